"""Foundry VTT: a force as actors that a world can import."""
