"""The text of a file: encodings, and files that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rallypoint.content import Catalogue, read_force
from rallypoint.content.source import MOST_BYTES, decode, read_text
from rallypoint.kernel.errors import InputError

WORDS = "# Żółw\n\n* 狐 🦊 Отряд\n"
ENCODINGS = "UTF-8 (with or without a byte order mark) or UTF-16 with a byte order mark"
SAVE = "save the file again with the encoding UTF-8"


@pytest.mark.parametrize(
    "data",
    [
        WORDS.encode("utf-8"),
        b"\xef\xbb\xbf" + WORDS.encode("utf-8"),
        b"\xff\xfe" + WORDS.encode("utf-16-le"),
        b"\xfe\xff" + WORDS.encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16 little", "utf-16 big"],
)
def test_unicode_encodings_read_alike(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "squad.md"
    file.write_bytes(data)
    assert read_text(file) == WORDS


def test_example_reads_alike_in_every_encoding(example: str, catalogue: Catalogue, tmp_path: Path) -> None:
    documents = []
    for name, encoding in [("a", "utf-8"), ("b", "utf-8-sig"), ("c", "utf-16")]:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "squad.md").write_bytes(example.encode(encoding))
        documents.append(read_force(folder / "squad.md", catalogue).document())
    assert documents[0] == documents[1] == documents[2]


def test_cp1252_is_refused_with_line_and_offset() -> None:
    with pytest.raises(InputError) as caught:
        decode("# A\n\n* 1 CO – Combat Armor\n".encode("cp1252"), "squad.md")
    error = caught.value
    # "# A", two line ends and "* 1 CO " are 3 + 2 + 7 bytes, so the dash has offset 12; in cp1252 it is 0x96.
    assert (error.path, error.line) == ("squad.md", 3)
    assert error.what == "this is not UTF-8"
    assert error.found == "byte 0x96 at offset 12"
    assert error.expected == ENCODINGS
    assert error.hint == SAVE
    assert str(error) == f"squad.md:3: this is not UTF-8; found: byte 0x96 at offset 12; expected: {ENCODINGS}; {SAVE}"


@pytest.mark.parametrize(
    ("data", "line", "what", "found"),
    [
        (b"\xef\xbb\xbfab\n\xe9", 2, "this is not UTF-8", "byte 0xE9 at offset 6"),
        (b"\xff\xfea\0\n\0b", 2, "this is not UTF-16", "byte 0x62 at offset 6"),
        (b"\xfe\xff\0a\0\n\xd8\0\0b", 2, "this is not UTF-16", "byte 0xD8 at offset 6"),
        (b"a\nb\0c", 2, "this is not text", "a zero character after 3 others"),
        ("ab".encode("utf-32"), 1, "this is not text", "a zero character after 0 others"),
        (b"caf\xe9", 1, "this is not UTF-8", "byte 0xE9 at offset 3"),
    ],
    ids=["behind a mark", "odd utf-16", "lone surrogate", "zero", "utf-32", "latin-1"],
)
def test_other_bytes_are_refused(data: bytes, line: int, what: str, found: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(data, "x.md")
    assert (caught.value.line, caught.value.what, caught.value.found) == (line, what, found)


def test_missing_file_names_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "starter-platoon.md").write_text("", "utf-8")
    missing = tmp_path / "starter-platon.md"
    with pytest.raises(InputError) as caught:
        read_text(missing)
    assert caught.value.path == str(missing)
    assert caught.value.what == "there is no such file"
    assert caught.value.hint == "did you mean starter-platoon.md?"


def test_missing_file_in_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_text(tmp_path / "nowhere" / "squad.md")
    assert (caught.value.what, caught.value.hint) == ("there is no such file", None)


def test_folder_is_refused(tmp_path: Path, catalogue: Catalogue) -> None:
    for read in (read_text, lambda path: read_force(path, catalogue)):
        with pytest.raises(InputError) as caught:
            read(tmp_path)
        assert (caught.value.what, caught.value.expected) == ("this is a folder", "a file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipe_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    with pytest.raises(InputError) as caught:
        read_text(pipe)
    assert caught.value.what == "this is no ordinary file"


def test_unreadable_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "squad.md"
    file.write_text("# A", "utf-8")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    # Taking the right away by chmod says nothing to root, who runs tests in containers.
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError) as caught:
        read_text(file)
    assert (caught.value.what, caught.value.found) == ("this file cannot be read", "Permission denied")


def test_path_with_a_zero_is_refused() -> None:
    with pytest.raises(InputError):
        read_text("a\0b.md")


def test_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "squad.md"
    with file.open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    with pytest.raises(InputError) as caught:
        read_text(file)
    assert caught.value.found == "4000001 bytes"
    assert caught.value.expected == "at most 4000000 bytes"


@pytest.mark.parametrize(("name", "found"), [("squad.yaml", ".yaml"), ("squad", "a name without suffix")])
def test_other_kinds_of_file_are_refused(name: str, found: str, tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / name).write_text("{}", "utf-8")
    with pytest.raises(InputError) as caught:
        read_force(tmp_path / name, catalogue)
    assert caught.value.what == "rosters of this kind are not read"
    assert (caught.value.found, caught.value.expected) == (found, ".md, .markdown, .txt, .toml, .json, .csv")


@pytest.mark.parametrize("name", ["squad.md", "SQUAD.MD", "squad.markdown", "squad.txt"])
def test_markdown_goes_by_three_suffixes(name: str, example: str, tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / name).write_text(example, "utf-8")
    assert len(read_force(tmp_path / name, catalogue).units) == 28
