"""A battle that is live and has lost the plugin of a ruling: the live commands say so, and touch nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ..cli.test_plugin_rules import NEW, ok, site
from ..plugins.distributions import rallypoint

__all__ = ["site"]


@pytest.mark.parametrize(("gone", "command"), [("off", "connect"), ("off", "watch"), ("removed", "sync")])
def test_a_lost_ruling_is_said_with_the_way_out(site: Path, gone: str, command: str) -> None:
    ok(site, *NEW, "--option", "NERVES-1=two")
    switch = ("-p", "no:nerves") if gone == "off" else ()
    if gone == "removed":
        shutil.rmtree(next(site.glob("*nerves*.dist-info")))
    done = rallypoint(*switch, "foundry", command, "a.battle", folder=site)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "rallypoint battle adopt a.battle" in done.stderr
    assert "nerves" in done.stderr
    told = json.loads(rallypoint(*switch, "foundry", command, "a.battle", "--json", folder=site).stdout)
    assert told["code"] == "other_rules"
    assert not (site.parent / "a.battle.sync").exists()
