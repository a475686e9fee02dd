"""Loading plugins: each in its own guard, so that a broken one is a row with a reason and the others work."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from ..errors import PluginError
from .discovery import Found
from .hooks import LoadedPlugin, hook_api, hook_specs
from .lint import api_problem, implemented, lint
from .manifest import Manifest
from .order import Rank, circle, in_order
from .switches import Switches

__all__ = ["Loaded", "Row", "State", "listed", "load"]

State: TypeAlias = Literal["on", "off", "broken", "incompatible"]


class Row(NamedTuple):
    """What is to be said about one plugin; ``order`` counts from 1 among those that are on.

    ``rules`` are those that it touches, ``decides`` the rulings that it alone may settle; ``rulings``, ``sets_of_rules``,
    ``content``, ``commands`` and ``formats`` (``export foundry``) are what it brings. ``seconds`` is what importing it took;
    ``None``: it was not imported.
    """

    name: str
    state: State
    reason: str = ""
    title: str = ""
    distribution: str = ""
    version: str = ""
    needs: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    order: int | None = None
    rules: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()
    rulings: tuple[str, ...] = ()
    sets_of_rules: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    seconds: float | None = None
    warnings: tuple[str, ...] = ()


class Loaded(NamedTuple):
    """The rows by name, the hook specifications of each game, and the plugins that are made for it."""

    rows: tuple[Row, ...]
    specifications: Mapping[str, object]
    plugins: Mapping[str, tuple[LoadedPlugin, ...]]


def listed(found: Iterable[Found], switches: Switches) -> tuple[Row, ...]:
    """Return the rows as far as they can be told without importing anything."""
    return tuple(_Loading(found, switches).finish().rows)


def load(found: Iterable[Found], switches: Switches, *, everything: bool = False) -> Loaded:
    """Import the plugins that are on and check them against the hooks of the games.

    Args:
        found: what :func:`~rallypoint.kernel.plugins.discovery.discover` found.
        switches: which are off; those are not imported.
        everything: also import what commands, formats and games run, to see that it is there.
    """
    loading = _Loading(found, switches)
    loading.games()
    loading.implementations()
    if everything:
        loading.targets()
    return loading.finish()


class _Loading:
    """Rows that are filled in one pass after the other; a row that is not ``on`` is passed over."""

    def __init__(self, found: Iterable[Found], switches: Switches) -> None:
        self.rows: list[Row] = []
        self.manifests: dict[str, Manifest] = {}
        self.packages: dict[str, str] = {}
        self.specifications: dict[str, object] = {}
        self.modules: dict[tuple[str, str], object] = {}
        for each in found:
            self.rows.append(_first_row(each, switches))
            if each.manifest is not None:
                self.manifests[each.name] = each.manifest
                self.packages[each.name] = each.package
        self._requirements()

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    def change(self, name: str, **fields: object) -> None:
        """Change fields of the row of that name."""
        self.rows = [row._replace(**fields) if row.name == name else row for row in self.rows]  # type: ignore[arg-type]

    def on(self) -> list[Manifest]:
        return [self.manifests[row.name] for row in self.rows if row.state == "on"]

    def take(self, name: str, target: str) -> object | None:
        """Import ``module`` or ``module:attribute`` for a plugin; on a failure its row says why."""
        module, _, attribute = target.partition(":")
        start = time.perf_counter()
        reason = None
        taken: object | None = None
        try:
            with contextlib.redirect_stdout(sys.stderr):  # what a plugin prints must not end up in a listing
                taken = importlib.import_module(module)
                if attribute:
                    taken = getattr(taken, attribute, None)
                    if taken is None:
                        reason = f"there is no {attribute} in {module}"
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            reason = _reason(error)
        seconds = (self.row(name).seconds or 0.0) + time.perf_counter() - start
        self.change(name, seconds=seconds)
        if reason is not None:
            self.change(name, state="broken", reason=reason)
        return taken

    def games(self) -> None:
        """Import the packages, and the hook specifications of the games."""
        for manifest in self.on():
            if self.take(manifest.name, self.packages[manifest.name]) is None or manifest.game is None:
                continue
            if manifest.game.hooks is not None:
                specification = self.take(manifest.name, manifest.game.hooks)
                if specification is not None:
                    self._specify(manifest.name, specification)

    def _specify(self, name: str, specification: object) -> None:
        try:
            hook_specs(specification)
        except PluginError as error:
            self.change(name, state="broken", reason=str(error))
        else:
            self.specifications[name] = specification

    def implementations(self) -> None:
        """Import the modules with implementations, where the hook API is the right one, and check them."""
        for manifest in self.on():
            problem = self._needs(manifest)
            if problem is not None:
                self.change(manifest.name, state="incompatible", reason=problem)
                continue
            if manifest.hooks is None:
                continue
            module = self.take(manifest.name, manifest.hooks)
            if module is not None:
                self._check(manifest, module)

    def _needs(self, manifest: Manifest) -> str | None:
        for game, version in manifest.needs.items():
            if game not in self.specifications:
                return f"needs the hooks of {game}, which is not installed or not on"
            problem = api_problem(version, hook_api(self.specifications[game]))
            if problem is not None:
                return f"{problem} ({game})"
        return None

    def _check(self, manifest: Manifest, module: object) -> None:
        """Keep the module for each game whose hooks it fits; with none, its row says what is wrong with it."""
        problems = {game: lint(manifest.name, module, self.specifications[game]) for game in manifest.needs}
        fitting = [game for game, found in problems.items() if not any(each.level == "error" for each in found)]
        self.modules.update({(manifest.name, game): module for game in fitting})
        shown = problems[fitting[0] if fitting else next(iter(problems))]
        errors = [str(problem) for problem in shown if problem.level == "error"]
        warnings = tuple([str(problem) for problem in shown if problem.level == "warning"])
        self.change(manifest.name, hooks=implemented(module), warnings=warnings)
        if errors:
            self.change(manifest.name, state="broken", reason=" | ".join(errors))

    def targets(self) -> None:
        """Import what games, commands and formats name."""
        for manifest in self.on():
            named = [] if manifest.game is None else [manifest.game.module]
            named += [command.run for command in manifest.commands]
            named += [exporter.run for exporter in manifest.exporters]
            named += [importer.run for importer in manifest.importers]
            named += [converter.run for converter in manifest.converters]
            named += [vtt.run for vtt in manifest.vtts]
            for target in named:
                if self.row(manifest.name).state == "on":
                    self.take(manifest.name, target)

    def _requirements(self) -> None:
        """Take out what requires something that is not on, and so forth."""
        while True:
            names = {manifest.name for manifest in self.on()}
            lacking = [
                (manifest.name, other) for manifest in self.on() for other in manifest.requires if other not in names
            ]
            if not lacking:
                return
            for name, other in lacking:
                self.change(name, state="incompatible", reason=f"requires {other}, which is not installed or not on")

    def finish(self) -> Loaded:
        """Put those that are on in order and return everything."""
        self._requirements()
        while found := circle(self._ranks()):
            for name in found:
                reason = f"the order goes round in a circle: {' before '.join([*found, found[0]])}"
                self.change(name, state="broken", reason=reason)
            self._requirements()
        order = in_order(self._ranks())
        for number, name in enumerate(order, 1):
            self.change(name, order=number)
        plugins: dict[str, tuple[LoadedPlugin, ...]] = {
            game: tuple([self._plugin(name, game) for name in order if (name, game) in self.modules])
            for game in self.specifications
        }
        return Loaded(tuple(self.rows), self.specifications, plugins)

    def _ranks(self) -> list[Rank]:
        return [Rank(manifest.name, manifest.before, manifest.after) for manifest in self.on()]

    def _plugin(self, name: str, game: str) -> LoadedPlugin:
        manifest = self.manifests[name]
        return LoadedPlugin(name, self.modules[name, game], self.row(name).version, manifest.before, manifest.after)


def _first_row(found: Found, switches: Switches) -> Row:
    manifest = found.manifest
    row = Row(found.name, "on", distribution=found.distribution, version=found.version)
    if manifest is not None:
        needs = tuple([f"{game} {version}" for game, version in manifest.needs.items()])
        row = row._replace(
            title=manifest.title,
            needs=needs,
            rules=manifest.touched,
            decides=manifest.decides,
            rulings=tuple([ruling.id for ruling in manifest.rulings]),
            sets_of_rules=tuple([preset.name for preset in manifest.presets]),
            content=manifest.content,
            commands=tuple([command.name for command in manifest.commands]),
            formats=_formats(manifest),
        )
    why = switches.why_off(found.name)
    if why is not None:
        return row._replace(state="off", reason=why)
    if found.problem is not None:
        return row._replace(state="broken", reason=found.problem)
    return row


def _formats(manifest: Manifest) -> tuple[str, ...]:
    return (
        *[f"export {each.name}" for each in manifest.exporters],
        *[f"import {each.name}" for each in manifest.importers],
        *[f"convert {each.source} to {each.target}" for each in manifest.converters],
        *[f"table {each.name}" for each in manifest.vtts],
    )


def _reason(error: BaseException) -> str:
    """Return the error in one line, with the place in the plugin where it came from."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        place = f"{Path(error.filename).name}:{error.lineno}"
        text = error.msg
    else:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if len(frames) > 1 else ""
        text = " ".join(str(error).split())
    return type(error).__name__ + (f": {text}" if text else "") + (f" ({place})" if place else "")
