"""``rallypoint foundry``: the live commands; each is imported when it runs."""
