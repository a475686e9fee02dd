"""The live link to a room of Owlbear Rodeo: the server of our extension, and the transport over it. ``docs/owlbear-link.md``."""
