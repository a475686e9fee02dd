"""Owlbear Rodeo: a force as tokens with trackers."""
