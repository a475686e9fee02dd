"""Questions at the command line: what can be answered, in a numbered list, and what somebody meant by what was typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rallypoint.kernel.errors import InputError
from rallypoint.kernel.nesting import too_much

if TYPE_CHECKING:
    from rallypoint.kernel.tape import Choice, Question

    from .battle_table import Table
    from .battle_words import Names

__all__ = ["answer_lines", "given_answer", "key_meant", "parsed"]


def answer_lines(shown: Table, question: Question) -> Iterator[str]:
    """Yield what can be answered, with the numbers and keys that ``battle answer`` takes; nothing of dice."""
    from rallypoint.kernel.tape import Choose, Pick

    from .terminal import table

    names = shown.names
    if isinstance(question, Pick):
        yield from table([(f"{number:4}", names(member)) for number, member in enumerate(question.among, 1)])
    if not isinstance(question, Choose):
        return
    missing = getattr(question, "missing", range(len(question.asks)))
    for part in missing:
        options = question.asks[part].options
        if len(question.asks) > 1:
            yield f"  --ask {part + 1}, {names(question.asks[part].seat)}"
        yield from table(
            [
                (f"{number:4}", names.codes(option.key), shown.voice.option(option.label))
                for number, option in enumerate(options, 1)
            ]
        )


def given_answer(names: Names, question: Question | None, words: Sequence[str], part: int | None = None) -> object:
    """Return what somebody typed as an answer: faces; of options and draws the numbers of the list, from 1, keys and codes.

    Args:
        names: for the codes.
        question: the open one.
        words: what was typed.
        part: which part of a sealed question is meant, from 0.

    Raises:
        InputError: a list is no JSON.
    """
    from rallypoint.kernel.tape import Choose, Pick

    if isinstance(question, Choose) and not words[0].startswith("["):
        if part is None and len(question.asks) == len(words) > 1:
            return [key_meant(names, ask, word) for ask, word in zip(question.asks, words, strict=True)]
        ask = question.asks[part if part is not None and part < len(question.asks) else 0]
        return key_meant(names, ask, " ".join(words))
    values = [_word(names, word) for word in words]
    if isinstance(question, Pick):
        return [value - 1 if type(value) is int else value for value in values]  # the list counts from 1
    return values[0] if len(values) == 1 else values


def key_meant(names: Names, ask: Choice, said: str) -> str:
    """Return the key of an option that is named by its number, its key, or its key with codes for uids and names for hexes.

    What is none of these is returned as it is: the rule that asks refuses it.
    """
    from .battle_words import hex_words

    keys = [option.key for option in ask.options]
    if said.isdecimal() and len(said) < 10 and 1 <= int(said) <= len(keys):
        return keys[int(said) - 1]
    for key in keys:
        if said.casefold() in (key.casefold(), names.codes(key).casefold()):
            return key
    for key in keys:
        q, _, r = key.partition(",")  # a hex, where both are numbers
        numbers = q.lstrip("-").isdecimal() and r.lstrip("-").isdecimal()
        if numbers and said.upper() == hex_words((int(q), int(r))):
            return key
    return said


def _word(names: Names, word: str) -> object:
    if not word.startswith("[") and not word.lstrip("-").isdecimal():
        return " ".join(names.uid(part) for part in word.split(" "))
    parse: Callable[[str], object] = json.loads if word.startswith("[") else int
    return parsed(parse, word, "this answer is not JSON", "such as [[34], [77]]")


def parsed(parse: Callable[[str], object], text: str, what: str, expected: str) -> object:
    """Return what somebody typed as a value; what is too deep or too large a number is refused like what is none.

    Raises:
        InputError: it cannot be read.
    """
    value: object = None
    try:
        value = parse(text)
        wrong = too_much(value)
    except (ValueError, RecursionError) as error:
        from rallypoint.content.toml_document import why_not

        wrong = why_not(error)
    if wrong is not None:
        raise InputError(what, found=wrong, expected=expected)
    return value
