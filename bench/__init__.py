"""The speed table: goals and figures side by side, as ratios in one run (``make bench``)."""
