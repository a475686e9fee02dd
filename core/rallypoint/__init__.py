"""Rallypoint: a rules kernel for tabletop fights, and the link between those rules and the virtual tabletops."""

__version__ = "0.1.0.dev0"
