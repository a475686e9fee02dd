"""The table of Disrupter's hooks in the page on plugins is the one that the hooks' own class gives."""

from __future__ import annotations

from pathlib import Path

from rallypoint.disrupter.hooks import Hooks
from rallypoint.kernel.plugins.hooks import HookSpec, hook_specs

PAGE = Path(__file__).parents[2] / "docs" / "plugins.md"
HEAD = "| hook | kind | arguments | rules | what a plugin says |\n| --- | --- | --- | --- | --- |\n"


def row(spec: HookSpec) -> str:
    """Return the line of a hook; what a *change* hook changes stands in bold."""
    kind = spec.kind if spec.reduce is None else f"{spec.kind}, {spec.reduce.__name__}"
    told = [name for name in spec.arguments if spec.kind != "tell" or name != "step"]  # news comes after the step
    arguments = ", ".join(f"**{name}**" if name == spec.value else name for name in told)
    first = spec.doc.splitlines()[0]
    return f"| `{spec.name}` | {kind} | {arguments} | {', '.join(spec.rules) or 'kernel'} | {first} |\n"


def test_the_page_lists_every_hook_of_disrupter_as_its_class_has_it() -> None:
    wanted = HEAD + "".join(row(spec) for spec in hook_specs(Hooks).values())
    page = PAGE.read_text(encoding="utf-8")
    assert HEAD in page
    listed = HEAD + page.split(HEAD)[1].split("\n\n")[0].rstrip("\n") + "\n"
    assert listed == wanted, f"docs/plugins.md should hold this table:\n\n{wanted}"


def test_rows_show_kind_value_and_reducer() -> None:
    specs = hook_specs(Hooks)
    assert row(specs["turn_start"]).startswith(
        "| `turn_start` | change | step, platoon, **stress** | D-R8.3, D-R11.3 | "
    )
    assert "| collect, strictest | step, team, to |" in row(specs["move_step"])
    assert row(specs["move_end"]).startswith("| `move_end` | tell | team, move | D-R14.1 |")
    assert row(specs["battle_over"]).startswith(
        "| `battle_over` | tell | result, state | kernel | Tell how a battle ended"
    )
