"""Mothership: contractors become units of Disrupter and units become contractors, and no field is lost on the way.

An encounter of the game ``mothership`` says a contractor in these words, whichever importer made it:

* entity of role ``unit``; trackers ``Wounds`` (taken, upwards, with its maximum) and, where there are such,
  ``Health`` and ``Stress``; facts ``salary`` (credits), ``motivation``, ``hidden_motivation``, ``speed``, ``extra`` (a mapping of
  whatever else was there) and ``disrupter`` (what the unit was before it became a contractor);
* its sheet: ``name``, ``role`` is the type (``Marine (grunt)``), ``stats`` has ``Combat``, ``Instinct`` and ``Loyalty`` as far as they are
  known, ``notes``, ``picture``;
* gear of kind ``weapon`` with the facts ``damage`` (dice), ``range``, ``shots``, ``wound``, ``anti_armor``, ``note``;
* gear of kind ``armor`` with the facts ``armor_points``, ``damage_reduction``, ``speed``, ``equipped``, ``note``.

Missing facts are unknown, not zero. A unit with the fact ``class`` is Disrupter's already and stays as it is. Stress of the whole group is a tracker of
an entity above the units. Mothership belongs to Tuesday Knight Games; nothing of its text is in here.
"""
