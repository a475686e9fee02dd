"""How long it takes from what a page asks over HTTP to the battle's log, with `serve` and `watch` as processes of their own.

There is no browser: for clicks see `bench.owlbear_latency`. `python -m bench.owlbear_wishes`; everything is on this machine.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
from tests.owlbear_live.room import Page, Room

from rallypoint.cli.command_line import run
from rallypoint.kernel.plugins.opening import open_battle

CLICKS = 60
ROSTER = Path("examples/scenarios/ford.toml")


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "rallypoint", "owlbear", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as found:
        try:
            yield found
        finally:
            found.terminate()


class Line:
    """The page's way to the server."""

    def __init__(self, port: int, code: str, page: Page) -> None:
        self.page, self.ready = page, threading.Event()
        headers = {"host": f"localhost:{port}"}
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30, trust_env=False)
        token = self.client.post("/link/pair", json={"v": 1, "code": code}).json()["token"]
        self.headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        page.line = self
        page.hello()
        threading.Thread(target=self._listen, daemon=True).start()
        self.ready.wait(10)

    def up(self, text: str) -> None:
        self.client.post("/link/up", content=text.encode(), headers=self.headers).raise_for_status()

    def _listen(self) -> None:
        query = {"page": self.page.identity, "last": "0"}
        with self.client.stream("GET", "/link/events", params=query, headers=self.headers) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    self.page.told(line.removeprefix("data: "))
                    self.ready.set()


def measured(folder: Path) -> list[float]:
    battle, bundle = folder / "first.battle", folder / "bundle"
    bundle.mkdir()
    (bundle / "manifest.json").write_text("{}")
    assert run(["battle", "new", str(ROSTER), "-o", str(battle), "--seed", "7"]) == 0
    assert run(["export", "owlbear", str(ROSTER), "-o", str(folder / "out")]) == 0
    with ExitStack() as stack:
        server = stack.enter_context(process("serve", "--port", "0", "--bundle", str(bundle)))
        assert server.stdout is not None
        told = server.stdout.readline() + server.stdout.readline()
        port = re.findall(r"localhost:(\d+)", told)[0]
        page = Page(Room())
        Line(int(port), re.findall(r"code: (\d{3} \d{3})", told)[0], page)
        assert run(["owlbear", "place", str(folder / "out" / "encounter.owlbear.json"), "--port", port]) == 0
        run(["owlbear", "bind", str(battle), "--port", port])
        assert run(["owlbear", "sync", str(battle), "--port", port]) == 0
        watch = stack.enter_context(process("watch", str(battle), "--port", port, "--json"))
        assert watch.stdout is not None
        assert json.loads(watch.stdout.readline())["what"] == "listening"
        time.sleep(1)
        rows = [row for row in page.status["roster"] if row["side"] == "red" and row.get("maxWounds")]
        opened = stack.enter_context(open_battle(battle).battle)
        found = []
        for number in range(CLICKS):
            row = rows[number % len(rows)]
            was = opened.state[row["uid"]].value("Wounds")
            value = 1 - was if was < 2 else 0
            begun = time.perf_counter()
            page.say("set", uid=row["uid"], field="wounds", value=value, was=was)
            while not opened.refresh():
                time.sleep(0.0005)
            found.append(time.perf_counter() - begun)
            assert opened.state[row["uid"]].value("Wounds") == value
            time.sleep(0.1)
        return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        found = sorted(1000 * each for each in measured(Path(folder)))
    median, ninth = statistics.median(found), found[9 * len(found) // 10]
    print(
        f"{len(found)} clicks to the log: median {median:.1f} ms, 9 in 10 below {ninth:.1f} ms, most {found[-1]:.1f} ms"
    )


if __name__ == "__main__":
    main()
