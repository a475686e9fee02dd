"""Vehicles that leave the grid: movement templates, slides and fire arcs (D-VE-1 to D-VE-13, D-AMB-32).

The rules take their templates from Gaslands (Mike Hutchinson / Osprey Games), at half size. Nothing of that game is in here: neither its shapes
nor its table of gears is known to us. What is in here is a form of data for a set of templates, rules that work with any set, and
a house set of simple curves of our own, so that the rules can be played and tested. Who owns the templates can measure them:
``docs/vehicles.md`` says how.

A vehicle takes part that is not ``infantry_movement`` and has the trait ``templates(NAME)`` with the name of a set. Further traits:
``size(LENGTH,WIDTH)`` in millimetres, ``arc(WEAPON,MIDDLE,WIDTH)`` in degrees, clockwise from straight ahead.

:mod:`.geometry` moves poses, :mod:`.templates` says what a set is, :mod:`.set_files` reads one, :mod:`.vehicles` finds out how a team
drives, :mod:`.rules` are the hooks, :mod:`.planning` finds ways, :mod:`.drawing` and :mod:`.commands` show them.
"""
