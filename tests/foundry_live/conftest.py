"""The table of the live tests."""

from __future__ import annotations

from .tables import play

__all__ = ["play"]
