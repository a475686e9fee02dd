"""Sync: keeps a battle and its virtual tabletops (VTTs) in step; the same for every VTT."""
