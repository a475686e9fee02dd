"""Plugins: how they are found, checked, ordered and frozen into the hooks of one battle.

A game publishes :mod:`~rallypoint.kernel.plugins.hooks`; :mod:`~rallypoint.kernel.plugins.discovery` reads manifests without
importing anything, :mod:`~rallypoint.kernel.plugins.loading` imports each plugin in its own guard, and
:mod:`~rallypoint.kernel.plugins.plan` writes out one plain function a hook.
"""
