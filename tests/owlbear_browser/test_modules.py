"""Modules of the page by themselves, without a browser: time is a number there, and the room is what a test says it is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .requirements import EXTENSION, need_to_build

MODULES = Path(__file__).parent / "modules"


@pytest.mark.parametrize("name", sorted(each.name for each in MODULES.glob("*.test.mjs")))
def test_modules(name: str, tmp_path: Path) -> None:
    """What is in ``modules``, in the words of the tests there."""
    need_to_build()
    node = shutil.which("node")
    assert node is not None
    built = tmp_path / name
    esbuild = EXTENSION / "node_modules" / "esbuild" / "bin" / "esbuild"
    options = ["--bundle", "--platform=node", "--format=esm", f"--alias:@owlbear-rodeo/sdk={MODULES / 'sdk.mjs'}"]
    subprocess.run([esbuild, MODULES / name, *options, f"--outfile={built}", "--log-level=warning"], check=True)
    ran = subprocess.run(
        [node, "--test", "--test-reporter=tap", built], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "# pass 0\n" not in ran.stdout  # a file without tests is a success to node
