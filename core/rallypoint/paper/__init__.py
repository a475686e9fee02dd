"""Pictures and paper: the board, token counters and cards, drawn from an encounter alone. It knows the kernel and no game."""
