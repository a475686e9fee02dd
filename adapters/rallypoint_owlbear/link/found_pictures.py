"""Pictures of tokens: files of a folder, and those under a public address."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

from rallypoint.kernel.errors import InputError

from .pictures import Measured, Picture, measured

__all__ = ["PublicPictures", "pictures_in"]

_MOST = 3_000_000
"""Bytes of a file that goes over the link."""
_HEAD = 65_536
"""Bytes in which a picture says how large it is."""
_SECONDS = 10.0
_TRIED = (".png", ".webp", ".jpg")


def pictures_in(folder: Path) -> Iterator[tuple[Path, bytes, Measured]]:
    """Yield the pictures of a folder and of those in it, by name.

    Raises:
        InputError: there is no such folder, one cannot be read, or is too big for the link.
    """
    if not folder.is_dir():
        raise InputError("there is no such folder", found=str(folder))
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        try:
            content = path.read_bytes()
        except OSError as error:
            raise InputError("this picture cannot be read", path=str(path), found=error.strerror) from None
        size = measured(content)
        if size is None:
            continue
        if len(content) > _MOST:
            raise InputError(
                "this picture is too big for the link",
                path=str(path),
                found=f"{len(content)} bytes",
                expected=f"at most {_MOST}",
            )
        yield path, content, size


class PublicPictures:
    """Pictures under a public address, each looked at once to learn its size.

    Args:
        base: the address: ``https://example.org/tokens/``.

    Raises:
        InputError: this is no address.
    """

    def __init__(self, base: str) -> None:
        try:
            parts = urlsplit(base)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
        except ValueError:
            is_address = False
        if not is_address:
            raise InputError("this is no address", where="--images", found=base, expected="https://example.org/tokens/")
        self.base = base.rstrip("/") + "/"
        self._known: dict[str, Picture | None] = {}

    def __call__(self, name: str) -> Picture | None:
        """Return the picture of a name, where there is one.

        Raises:
            InputError: the address does not answer.
        """
        if name not in self._known:
            self._known[name] = self._looked(name)
        return self._known[name]

    def _looked(self, name: str) -> Picture | None:
        for ending in _TRIED:
            url = f"{self.base}{quote(name, safe='')}{ending}"
            request = urllib.request.Request(url, headers={"User-Agent": "rallypoint"})  # noqa: S310 - checked above
            try:
                with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310 - checked above
                    size = measured(answer.read(_HEAD))
            except urllib.error.HTTPError as error:
                error.close()
                if error.code in (403, 404, 410):
                    continue
                raise self._silent(f"{error.code} {error.reason}") from None
            except (OSError, http.client.HTTPException) as error:
                raise self._silent(str(error)) from None
            if size is not None:
                return Picture.of(url, name, size)
        return None

    def _silent(self, found: str) -> InputError:
        return InputError("this address does not answer", where="--images", found=f"{self.base}: {found}")
