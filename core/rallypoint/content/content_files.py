"""Content from files and folders, each read by what it is: packs in TOML, pages of equipment in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rallypoint.kernel.errors import InputError

from .catalogue import Catalogue
from .content import Content
from .problems import PageError
from .source import read_text

__all__ = ["read_content"]

_SUFFIXES = (".md", ".markdown", ".toml")


def read_content(paths: Iterable[str | Path], catalogue: Catalogue) -> Content:
    """Return the content of files and folders; folders are searched for ``.md`` and ``.toml``.

    Args:
        paths: files and folders.
        catalogue: the game's: it says which columns there are, and which sentences are known.

    Raises:
        InputError: a file cannot be read.
        PageError: something cannot be understood, or nothing at all was found in what was given; it holds every problem.
    """
    found: list[Content] = []
    problems: list[InputError] = []
    for path in paths:
        folder = Path(path).is_dir()
        read: list[Content] = []
        for file in _files(Path(path)):
            try:
                read.append(_read(file, catalogue))
            except PageError as error:
                problems += error.problems
        if not problems and not any(each.entries for each in read):
            what = "nothing in this folder is equipment" if folder else "nothing in this file is equipment"
            left = "; ".join(str(each) for content in read for each in content.left_out)
            problems.append(InputError(what, path=str(path), found=left or "no file", expected=", ".join(_SUFFIXES)))
        found += read
    if problems:
        raise PageError(problems)
    return Content(
        tuple([name for each in found for name in each.files]),
        tuple([entry for each in found for entry in each.entries]),
        tuple([row for each in found for row in each.left_out]),
        tuple([row for each in found for row in each.unknown]),
        sum(each.sentences for each in found),
    )


def _files(path: Path) -> Sequence[Path]:
    if not path.is_dir():
        return [path]
    try:
        files = sorted(file for file in path.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
    except OSError as error:
        raise InputError("this folder cannot be read", path=str(path), found=error.strerror) from None
    return [file for file in files if not any(part.startswith(".") for part in file.relative_to(path).parts)]


def _read(file: Path, catalogue: Catalogue) -> Content:
    if file.suffix.lower() not in _SUFFIXES:
        found = file.suffix or "a name without suffix"
        error = InputError(
            "content of this kind is not read", path=str(file), found=found, expected=", ".join(_SUFFIXES)
        )
        if file.exists():
            raise PageError([error])
    text = read_text(file)
    if file.suffix.lower() == ".toml":
        from .content_pack import read_pack

        return read_pack(text, str(file), catalogue)
    from .equipment_page import read_equipment_page

    return read_equipment_page(text, str(file), catalogue, file.stem)
