"""``rallypoint owlbear serve`` as a process of its own, from its first line to Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx

from rallypoint_owlbear.link.desk import Desk, Place
from rallypoint_sync.transport import UnreachableError


def how_it_ends(changes: Iterator[Sequence[str]]) -> str:
    try:
        for _ in changes:
            pass
    except UnreachableError as error:
        return error.code
    return "by itself"


def test_from_the_first_line_to_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    command = [sys.executable, "-m", "rallypoint", "owlbear", "serve", "--port", "0", "--bundle", str(tmp_path)]
    more = {"XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | more
    ) as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline() + process.stdout.readline()
            port = int(re.findall(r"http://localhost:(\d+)/manifest.json", told)[0])
            (code,) = re.findall(r"Pairing code: (\d{3} \d{3})", told)
            with httpx.Client(headers={"host": f"localhost:{port}"}, trust_env=False, timeout=20) as client:
                base = f"http://127.0.0.1:{port}"
                assert client.get(f"{base}/manifest.json").text == "{}"
                assert "token" in client.post(f"{base}/link/pair", json={"v": 1, "code": code}).json()
            (kept,) = (tmp_path / "state" / "rallypoint").iterdir()
            place = Place(**json.loads(kept.read_text()))
            changes = Desk(place).changes()
            assert list(next(changes)) == []
            ended: list[str] = []
            waiting = threading.Thread(target=lambda: ended.append(how_it_ends(changes)))  # a watch of another process
            waiting.start()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
            assert "Traceback" not in process.stdout.read()
            assert not kept.exists()
            waiting.join(20)
            assert ended == ["no_server"]
        finally:
            process.kill()
