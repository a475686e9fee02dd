"""The live way to Foundry: over a relay, to the module in the Gamemaster's browser. ``docs/foundry-live.md`` says how."""
