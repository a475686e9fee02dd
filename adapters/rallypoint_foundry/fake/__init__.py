"""A relay with a world behind it, both of our own: what stands in for Foundry in tests, demos and for homebrewers.

It speaks the relay's HTTP as far as it is known, with its faults, and its documents behave as Foundry's do as far as
that is known. ``docs/foundry-live.md`` says what it plays and what it does not.
"""
