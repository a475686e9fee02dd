"""``rallypoint owlbear``: the live commands; each is imported when it runs."""
