"""Cold steel, a plugin for the duel."""
