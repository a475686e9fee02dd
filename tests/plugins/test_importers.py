"""Importers and converters of a manifest: read, and wrong ones told with file and line."""

from __future__ import annotations

import pytest

from rallypoint.kernel.plugins.manifest import Converter, Importer, Option, Vtt, read_manifest

TEXT = """manifest = 1
name = "cold-steel"

[[importers]]
name = "cards"
help = "Read cards."
run = "cold_steel.cards:read"

[[importers.options]]
name = "size"
default = "a7"
choices = ["a6", "a7"]

[[converters]]
from = "whist"
to = "bridge"
run = "cold_steel.cards:turned"

[[converters.options]]
name = "trump"
default = true
"""


def test_importers_and_converters_are_read() -> None:
    manifest, problems = read_manifest(TEXT, "m.toml")
    assert problems == ()
    assert manifest is not None
    assert manifest.importers == (
        Importer("cards", "Read cards.", "cold_steel.cards:read", (Option("size", "text", "a7", ("a6", "a7")),)),
    )
    assert manifest.converters == (
        Converter("whist", "bridge", "cold_steel.cards:turned", (Option("trump", "switch", True),)),
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            ('from = "whist"', 'form = "whist"'),
            '[converters] a key is missing; expected: from = "small-letters-and-digits"',
        ),
        (('to = "bridge"', 'to = "The Bridge"'), "m.toml:16: [converters] to does not fit; found: 'The Bridge'"),
        (("cards:turned", "cards"), "m.toml:17: [converters] run does not fit; found: 'cold_steel.cards'"),
        (("cards:read", "cards.read"), "m.toml:7: [importers] run does not fit; found: 'cold_steel.cards.read'"),
        (('help = "Read', 'halp = "Read'), "m.toml:6: [importers] unknown key; found: halp; did you mean help?"),
        (('default = "a7"', 'default = "a8"'), "[importers.options] the default is not among the choices"),
        (("[[importers]]", "[importers]"), "importers does not fit"),
    ],
)
def test_faults_are_named(change: tuple[str, str], said: str) -> None:
    assert change[0] in TEXT
    manifest, problems = read_manifest(TEXT.replace(*change, 1), "m.toml")
    assert manifest is None
    assert any(said in str(problem) for problem in problems), [str(problem) for problem in problems]


VTT = """manifest = 1
name = "whiteboard"
[[vtts]]
name = "whiteboard"
help = "A board on the wall."
run = "whiteboard.live:at_table"
[[vtts.options]]
name = "pens"
default = 3
"""


def test_a_vtt_is_read_and_what_is_wrong_with_one_is_told() -> None:
    manifest, problems = read_manifest(VTT, "m.toml")
    assert not problems
    assert manifest is not None
    assert manifest.vtts == (
        Vtt("whiteboard", "A board on the wall.", "whiteboard.live:at_table", (Option("pens", "integer", 3),)),
    )
    for (old, new), words in {
        ("live:at_table", "live"): "m.toml:6: [vtts] run does not fit; found: 'whiteboard.live'",
        ("help =", "halp ="): "m.toml:5: [vtts] unknown key; found: halp; did you mean help?",
        ("[[vtts]]", "[vtts]"): "vtts does not fit",
    }.items():
        manifest, problems = read_manifest(VTT.replace(old, new), "m.toml")
        assert manifest is None
        assert any(words in str(each) for each in problems), problems
