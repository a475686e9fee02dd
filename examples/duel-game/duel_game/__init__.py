"""The duel as a game to install. Its rules, ``examples/duel.py``, become the module ``duel_game.rules``."""
