"""The kernel: state, rules and chance of any tabletop fight. It knows no game, no VTT and no terminal.

The tree tells the story: :mod:`~rallypoint.kernel.state` is a value, :mod:`~rallypoint.kernel.changes` are the only ways to
another one, a rule asks and tells through a :mod:`~rallypoint.kernel.step`, what it was answered stands on a
:mod:`~rallypoint.kernel.tape`, and a :mod:`~rallypoint.kernel.battle` keeps it all in a log.
"""
