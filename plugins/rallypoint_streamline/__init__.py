"""The [streamline] rules of Disrupter: fewer rolls, less to track. Each is a ruling of its own, off until it is chosen.

The game is by Violet Ballard / RV Games, CC BY 4.0; what its tagged sentences leave open is decided in the docs.
"""
