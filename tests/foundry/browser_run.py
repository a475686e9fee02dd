"""Runs the module's scenarios in headless Chromium: a page on the loopback does them all and sends back what it saw."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

__all__ = ["BROWSERS", "browser", "run_page"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
    "--disable-dev-shm-usage",
)  # fmt: skip
HERE = Path(__file__).parent / "browser"
KINDS = {".mjs": "text/javascript", ".html": "text/html", ".json": "application/json", ".svg": "image/svg+xml"}
_SECONDS = 120


def browser() -> str | None:
    """Return the path of a browser, ``None`` if there is none."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, files: Mapping[str, bytes], inbox: list[bytes], done: threading.Event, *rest: Any) -> None:
        self.files, self.inbox, self.done = files, inbox, done
        super().__init__(*rest)

    def do_GET(self) -> None:
        name = urlsplit(self.path).path.lstrip("/")
        local = HERE / name
        data = self.files.get(name)
        if data is None and "/" not in name and local.is_file():
            data = local.read_bytes()
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Type", KINDS.get(Path(name).suffix, "text/plain"))
        self.end_headers()
        self.wfile.write(data or b"")

    def do_POST(self) -> None:
        self.inbox.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.done.set()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def run_page(files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return what the scenarios gave, by name; ``files`` are served by path beside the page's own."""
    program = browser()
    assert program is not None
    inbox: list[bytes] = []
    done = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, files, inbox, done))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        address = f"http://127.0.0.1:{server.server_port}/page.html"
        command = [program, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-port=0", address]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            assert done.wait(_SECONDS), "the browser sent nothing"
        finally:
            process.terminate()
            process.wait(30)
            server.shutdown()
            server.server_close()
            thread.join()
    return dict(json.loads(inbox[0]))
