"""Indirect fire for Disrupter: shots at places that nobody has to see, and where they drift (D-IF-1 to D-IF-6)."""
