"""Game systems of the fake world: what fields a document has at first, what is dropped, what happens on creation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple, cast

from rallypoint.kernel.errors import InputError

from ..profile import read_template
from .documents import Document, FoundryError, at, copied, merge

__all__ = ["SYSTEMS", "System", "core_for", "load_system"]


class System(NamedTuple):
    """One game system.

    ``template`` are its fields by document and type; without one anything may stand in ``system``. ``drops``: it has
    data models, so undeclared keys vanish without a word and values of the wrong type are refused. ``clamps``: a value
    is moved between the ``min`` and ``max`` beside it (no system known to us does that on update; macros do).
    ``hook``: what mosh 0.6 does to every new actor. ``calm``: the world's setting of mosh that replaces Stress.
    """

    identity: str
    title: str
    version: str
    template: Mapping[str, Mapping[str, Mapping[str, object]]] | None = None
    drops: bool = False
    clamps: bool = False
    hook: bool = False
    calm: bool = False

    def fields(self, document: str, kind: object) -> Mapping[str, object] | None:
        """Return the declared fields of a type of document, ``None`` where anything goes.

        Raises:
            FoundryError: the system has no such type.
        """
        if self.template is None or document not in self.template:
            return None
        if kind not in self.template[document]:
            known = ", ".join(self.template[document])
            raise FoundryError(
                f'{document} validation errors:\n  type: "{kind}" is not a valid type for the {document} Document class '
                f"(one of {known})"
            )
        return self.template[document][str(kind)]

    def filled(self, document: str, kind: object, given: Mapping[str, object]) -> Document:
        """Return the ``system`` of a new document: its declared fields, changed by what was given."""
        fields = self.fields(document, kind)
        found = {} if fields is None else copied(fields)
        merge(found, self.cleaned(document, kind, given))
        return found

    def cleaned(self, document: str, kind: object, given: Mapping[str, object]) -> Document:
        """Return what a data model lets through of expanded ``system`` data.

        Raises:
            FoundryError: a value is of another type than its field.
        """
        fields = self.fields(document, kind)
        if fields is None or not self.drops:
            return dict(given)
        return _cleaned(document, fields, given, "system.")

    def clamped(self, system: Document, changes: Mapping[str, object]) -> None:
        """Move changed values between the ``min`` and ``max`` beside them, where the system does so."""
        if self.clamps:
            _clamp(system, changes)

    def creates(self, actor: Document) -> None:
        """Do to a new actor what the system does: mosh 0.6 rewrites token and, with ``calm``, Stress."""
        if not self.hook:
            return
        kind = actor["type"]
        token = cast("Document", actor["prototypeToken"])
        token.update(
            name=actor["name"],
            displayName=20,
            displayBars=20,
            disposition={"creature": -1, "character": 1}.get(str(kind), 0),
            bar1={"attribute": "system.health"},
            bar2={"attribute": "system.hits"},
        )
        if kind == "character":
            token["actorLink"] = True
            if self.calm:
                merge(actor, {"system": {"other": {"stress": {"min": 0, "value": 85, "max": 85, "label": "Calm"}}}})


def _cleaned(document: str, fields: Mapping[str, object], given: Mapping[str, object], where: str) -> Document:
    found: Document = {}
    for key, value in given.items():
        name = key.removeprefix("-=")
        if name not in fields or name != key:
            continue  # a declared field cannot be removed, either
        model = fields[name]
        if isinstance(model, Mapping) and model and isinstance(value, Mapping):
            found[key] = _cleaned(document, model, value, f"{where}{key}.")
        elif _fits(model, value):
            found[key] = value
        else:
            raise FoundryError(f"{document} validation errors:\n  {where}{key}: must be a {_called(model)}")
    return found


def _called(model: object) -> str:
    words = {bool: "boolean", int: "number", float: "number", str: "string", list: "Array"}
    return words.get(type(model), "object")


def _fits(model: object, value: object) -> bool:
    if value is None or model is None:
        return True
    if isinstance(model, bool) or isinstance(value, bool):
        return isinstance(model, bool) and isinstance(value, bool)
    if isinstance(model, int | float):
        return isinstance(value, int | float)
    return isinstance(value, type(model))


def _clamp(pod: Document, changes: Mapping[str, object]) -> None:
    for key in changes:
        inner = pod.get(key)
        if isinstance(inner, dict) and isinstance(changes[key], Mapping):
            _clamp(inner, cast("Mapping[str, object]", changes[key]))
    value = pod.get("value")
    if "value" in changes and isinstance(value, int | float):
        low, high = at(pod, "min"), at(pod, "max")
        value = min(value, high) if isinstance(high, int | float) else value
        pod["value"] = max(value, low) if isinstance(low, int | float) else value


SYSTEMS = ("mosh-0.6.1", "mosh-0.5.27", "mothershiprpg-0.1.0", "worldbuilding")
"""The systems that the fake world knows; the last stands for any system of which we know nothing."""

_CORES = {"mosh-0.5.27": "12.331"}


def load_system(name: str) -> System:
    """Return the system called ``name``, such as ``mosh-0.6.1``.

    Raises:
        InputError: there is none.
    """
    if name not in SYSTEMS:
        raise InputError("the fake world knows no such system", found=name, expected=", ".join(SYSTEMS))
    identity, _, version = name.partition("-")
    if not version:
        return System(name, name, "1.0.0")
    text = (files("rallypoint_foundry") / "profiles" / f"{name}-template.json").read_text(encoding="utf-8")
    fork = identity == "mothershiprpg"
    title = "Mothership RPG" if fork else "MoSh (Unofficial Mothership)"
    return System(identity, title, version, read_template(json.loads(text)), drops=fork, hook=name == "mosh-0.6.1")


def core_for(name: str) -> str:
    """Return the build of Foundry that a world of this system runs on, such as ``13.351``."""
    return _CORES.get(name, "13.351")
