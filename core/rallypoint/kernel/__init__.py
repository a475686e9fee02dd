"""The kernel: state, rules and chance of any tabletop fight. It knows no game, no VTT and no terminal."""
