"""A battle in words: what entities are called, and what a game's module says of states, acts and events.

Where the game says nothing, something plainer is said; so a log can be read without its game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from rallypoint.kernel.canonical import canonical
from rallypoint.kernel.errors import InputError, RallypointError
from rallypoint.kernel.parts import Hex, Pose
from rallypoint.kernel.tape import Choose, Grade, Pick, Question, Reveal, Roll

if TYPE_CHECKING:
    from rallypoint.kernel.dice import Throw
    from rallypoint.kernel.events import Event
    from rallypoint.kernel.game import Intent
    from rallypoint.kernel.state import Entity, State
    from rallypoint.kernel.tape import Choice

__all__ = ["Called", "Names", "Voice", "answered", "hex_words", "in_codes", "pair", "question_words", "throw_words"]

Called: TypeAlias = Mapping[str, tuple[str, str, str]]
"""By uid the name, role and code of an entity, as its sheet says them."""


class Names:
    """What entities are called: a stand by its code, a figure by code and number, everything else by its name.

    >>> from rallypoint.kernel.state import Entity, State
    >>> state = State.of([Entity.new("r1a", "team"), Entity.new("r1a-1", "unit", parent="r1a")])
    >>> names = Names(state, {"r1a": ("Team A", "Team", "R-1A"), "r1a-1": ("NCO 1A-1", "NCO", "R-1A")})
    >>> names("r1a"), names("r1a-1"), names("nobody"), names.uid("r-1a-1")
    ('R-1A', 'R-1A-1 NCO', 'nobody', 'r1a-1')
    """

    def __init__(self, state: State, called: Called) -> None:
        self._words: dict[str, str] = {}
        self._uids: dict[str, str] = {}
        self._codes: dict[str, str] = {}
        for entity in state:
            short, words = _called(state, entity, called.get(entity.uid))
            self._words[entity.uid] = words
            self._codes[entity.uid] = short
            self._uids.setdefault(short.casefold(), entity.uid)

    def __call__(self, uid: str) -> str:
        """Return what somebody is called; who is unknown is called what he is given as."""
        return self._words.get(uid, uid)

    def uid(self, said: str) -> str:
        """Return the uid that a code means; what is no code is returned as it is."""
        return said if said in self._words else self._uids.get(said.casefold(), said)

    def codes(self, text: str) -> str:
        """Return a text with the short code of everybody whose uid is a word of it."""
        return ", ".join(" ".join(self._codes.get(word, word) for word in part.split(" ")) for part in text.split(", "))

    def known(self, said: str) -> str:
        """Return the uid that a uid or a code means.

        Raises:
            InputError: nobody is called so.
        """
        uid = self.uid(said)
        if uid not in self._words:
            from .command_line import unknown

            raise unknown(
                "nobody in this battle is called so", said, list(self._uids), "rallypoint battle show lists all"
            )
        return uid

    def inside(self, value: object) -> object:
        """Return a value of JSON with every code that stands in it as a uid."""
        if isinstance(value, str):
            return self.uid(value)
        if isinstance(value, (list, tuple)):
            return [self.inside(item) for item in value]
        if isinstance(value, Mapping):
            return {key: self.inside(item) for key, item in value.items()}
        return value


def _called(state: State, entity: Entity, sheet: tuple[str, str, str] | None) -> tuple[str, str]:
    """Return the short form and the words of an entity's name."""
    if sheet is None:
        return entity.uid, entity.uid
    name, role, code = sheet
    if entity.role == "unit" and entity.parent is not None:
        number = [unit.uid for unit in state.children(entity.parent)].index(entity.uid) + 1
        short = f"{code}-{number}"
        return short, f"{short} {role if name.startswith(role) or not name else name}"
    if entity.role == "side":
        return entity.uid, name
    if entity.role == "platoon":  # of a company it has a code of its own: R2; of a side with one it is that of the side
        return code if code[1:].isdigit() else entity.uid, f"{name} ({code})"
    return code, code


def hex_words(place: object) -> str:
    """Return the name of a hex as it stands on the map, a pose in whole millimetres; anything else as it is.

    >>> hex_words(Hex(2, 0)), hex_words((0, 1)), hex_words(None)
    ('C1', 'A2', 'nowhere')
    """
    if isinstance(place, Pose):
        return f"at {place.x:.0f}, {place.y:.0f} mm, heading {place.heading:.0f}"
    if isinstance(place, tuple) and len(place) >= 2 and all(isinstance(number, int) for number in place[:2]):
        from rallypoint.paper.board_picture import hex_name

        return hex_name(Hex(place[0], place[1]))
    return "nowhere" if place is None else str(place)


class Voice:
    """Speaks for a game's module, ``None`` where it is not there."""

    def __init__(self, module: object, name: Callable[[str], str]) -> None:
        self._module = module
        self.name = name

    def _asked(self, what: str, *given: object) -> Any:
        """Return what a function of the module says, ``None`` where there is no such function."""
        function = getattr(self._module, what, None)
        return None if function is None else function(*given)

    def headline(self, state: State) -> str:
        """Return in a few words how far a battle is."""
        said = self._asked("headline", state, self.name)
        return "" if said is None else str(said)

    def remarks(self, state: State, uid: str) -> Sequence[str]:
        """Return what is worth saying of an entity besides its trackers and statuses."""
        return cast("Sequence[str]", self._asked("remarks", state, uid, self.name) or ())

    def act(self, state: State, intent: Intent) -> str:
        """Return an act in words."""
        said = self._asked("choice_words", state, intent, self.name)
        if said is not None:
            return str(said)
        return " ".join([intent.rule, *[self._argument(argument) for argument in intent.args]])

    def at_once(self, intents: Sequence[Intent]) -> Intent:
        """Return several acts as one, where the game knows how.

        Raises:
            InputError: the game does not, or these are not for one act.
        """
        if len(intents) == 1:
            return intents[0]
        said = self._asked("combined", intents)
        if said is None:
            raise InputError("this game takes one act at a time", found=f"{len(intents)} choices", expected="one")
        return cast("Intent", said)

    def spelled(self, rule: str, words: Sequence[str]) -> Sequence[object] | None:
        """Return the arguments of an act that words without brackets mean, ``None`` where they mean none."""
        return cast("Sequence[object] | None", self._asked("spelled", rule, words))

    def amiss(self, rule: str, words: Sequence[str]) -> tuple[str, str, str] | None:
        """Return what is wrong with the words of an act, the word and what is expected; ``None`` where the game does not say it."""
        return cast("tuple[str, str, str] | None", self._asked("amiss", rule, words))

    def understood(self, state: State, intent: Intent, legal: Sequence[Intent], uid: Callable[[str], str]) -> Intent:
        """Return an act as the rules take it, of one in which people named hexes as the map does."""
        said = self._asked("understood", state, intent, legal, uid)
        return intent if said is None else cast("Intent", said)

    def event(self, event: Event) -> str:
        """Return an event in one line."""
        if event.kind in _KERNEL:
            return _KERNEL[event.kind](event.why)
        said = self._asked("event_words", event, self.name)
        return _plain(event, self.name) if said is None else str(said)

    def worth_telling(self, event: Event) -> bool:
        """Say whether an event belongs in a log for people; ``explain`` tells all of them."""
        said = self._asked("worth_telling", event)
        return said is None or bool(said)

    def asked(self, state: State, events: Sequence[Event], ask: Choice) -> str | None:
        """Return in a sentence what a seat is to decide, ``None`` where the game says nothing of it.

        Args:
            state: the battle at the question.
            events: what the step that asks has told so far.
            ask: the choice.
        """
        said = self._asked("choice_asked", state, events, ask, self.name)
        return None if said is None else str(said)

    def option(self, label: str) -> str:
        """Return the label of an option, with names instead of uids."""
        said = self._asked("option_words", label, self.name)
        return " ".join(self.name(word) for word in label.split(" ")) if said is None else str(said)

    def explained(self, event: Event) -> Sequence[str]:
        """Return an event at length."""
        if event.kind in _KERNEL:
            return (self.event(event),)
        said = self._asked("explained", event, self.name)
        return (_plain(event, self.name),) if said is None else cast("Sequence[str]", said)

    def needed(self, question: Question, why: Mapping[str, object]) -> str:
        """Return what the dice of a question must show and why, nothing where the game does not say it."""
        return str(self._asked("needed", question, why, self.name) or "") if why else ""

    def shots(self, event: Event) -> Iterable[tuple[str, str | Hex]]:
        """Return who fires at whom, or at which hex, in an event."""
        return cast("Iterable[tuple[str, str | Hex]]", self._asked("shots", event) or ())

    def stand(self, state: State, uid: str) -> Sequence[str]:
        """Return a stand or side at length: stats, weapons, what a side has set; nothing where the game says nothing."""
        return tuple(self._asked("stand_lines", state, uid, self.name) or ())

    def gone(self, state: State, uid: str) -> str | None:
        """Return what became of a unit that is out of the fight; without the game's word, whoever has no Wound left."""
        if hasattr(self._module, "gone"):
            return cast("str | None", self._asked("gone", state, uid))
        wounds = state[uid].trackers.get("Wounds")
        return "out" if wounds is not None and wounds.max is not None and wounds.value >= wounds.max else None

    def _argument(self, value: object) -> str:
        if isinstance(value, str):
            return self.name(value)
        return canonical(value)


def answered(why: Mapping[str, object]) -> str:
    """Return what a plugin answered to a hook, from the reasons of the kernel's event."""
    if why.get("before") is None:
        return f"{why.get('hook')} is decided: {_brief(why.get('after'))}"
    return f"{why.get('hook')} is changed from {_brief(why.get('before'))} to {_brief(why.get('after'))}"


def _brief(value: object) -> str:
    return value if isinstance(value, str) else canonical(value)


def _edited(why: Mapping[str, object]) -> str:
    return f"edited from outside{': ' if why.get('text') else ''}{why.get('text', '')}"


def _due(why: Mapping[str, object]) -> str:
    return f"{why.get('appointment')} is due"


_KERNEL: Mapping[str, Callable[[Mapping[str, object]], str]] = {
    "plugin.answered": answered,
    "outside.edit": _edited,
    "agenda.due": _due,
}
"""The events that the kernel itself tells, in any game."""


def _plain(event: Event, name: Callable[[str], str]) -> str:
    """Return an event without knowing its game: its kind and what it changed."""
    done = [f"{type(change).__name__} {' '.join(_field(part, name) for part in change)}" for change in event.changes]
    return f"{event.kind}: {'; '.join(done)}" if done else event.kind


def _field(part: object, name: Callable[[str], str]) -> str:
    return name(part) if isinstance(part, str) else str(part)


# Questions


def throw_words(throw: Throw, name: Callable[[str], str], needed: str = "") -> str:
    """Return what is to be thrown, what for, and what it must show."""
    dice = f"{'' if throw.number == 1 else throw.number}{_die(throw.die.low, throw.die.high)}"
    return f"{name(throw.who)} rolls {dice} for {throw.purpose}" + (f": {needed}" if needed else "")


def _die(low: int, high: int) -> str:
    if (low, high) == (0, 99):
        return "d100 (00 to 99)"
    return f"d{high}" if low == 1 else f"a die from {low} to {high}"


def question_words(
    question: Question,
    name: Callable[[str], str],
    needed: str = "",
    asked: Callable[[Choice], str | None] = lambda _: None,
) -> Iterator[str]:
    """Yield what a question asks, a line for each part.

    Args:
        question: the question.
        name: says what a uid is called.
        needed: what its dice must show.
        asked: may know a sentence for a choice.
    """
    if isinstance(question, Roll):
        yield from [throw_words(throw, name, needed) for throw in question.throws]
    elif isinstance(question, (Grade, Reveal)):
        yield throw_words(question.throw, name, needed)
    elif isinstance(question, Pick):
        yield f"draw {question.k} of {len(question.among)} for {question.purpose}: {_members(question.among, name)}"
    else:
        assert isinstance(question, Choose)
        missing = getattr(question, "missing", None)
        for place, ask in enumerate(question.asks):
            if missing is None or place in missing:
                part = "" if missing is None else f" (part {place + 1})"
                about = "" if ask.subject is None else f" of {name(ask.subject)}"
                said = asked(ask)
                what = f" on {ask.purpose}{about}" if said is None else f": {said}"
                yield f"{name(ask.seat)} decides{what}{part}"


def _members(among: Sequence[str], name: Callable[[str], str]) -> str:
    return ", ".join(name(member) for member in among)


def pair(text: str, what: str, example: str) -> tuple[str, str]:
    """Return the two halves of ``name=value``.

    Raises:
        InputError: it is no such pair.
    """
    name, sign, value = text.partition("=")
    if not sign or not name or not value:
        raise InputError(f"{what} is given as NAME=VALUE", found=text, expected=example)
    return name, value


def in_codes(error: RallypointError, names: Names) -> RallypointError:
    """Return an error that speaks of stands and units by their codes, as those who typed it do."""
    error.where = None if error.where is None else names.codes(error.where)
    if isinstance(error.found, str):
        error.found = names.codes(error.found)
    if isinstance(error.expected, str):
        error.expected = names.codes(error.expected)
    error.args = (str(error),)
    return error
