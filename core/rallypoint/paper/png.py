"""SVG as PNG, by resvg (the extra ``pictures``)."""

from __future__ import annotations

from functools import cache

from rallypoint.kernel.errors import InputError

__all__ = ["png"]

_PROBE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text x="2" y="16" font-size="16" '
    'font-family="{font}">M</text></svg>'
)


def png(svg: str, width: int) -> bytes:
    """Return a picture as PNG.

    Args:
        svg: a whole SVG document.
        width: in pixels; the height follows.

    Raises:
        InputError: resvg is not installed, the computer has no font, or the picture is too large.
    """
    _check_fonts()
    return _render(svg, width)


def _render(svg: str, width: int) -> bytes:
    try:
        import resvg_py
    except ImportError:
        hint = 'in the checkout, pipx install --force ".[pictures]" adds it; or write .svg'
        raise InputError("PNG needs resvg-py", found="resvg-py is not installed", hint=hint) from None
    try:
        # Sizes in millimetres have a meaning only with a resolution.
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, dpi=96, font_family=_font()))
    except ValueError as error:
        raise InputError("this picture cannot be made", found=str(error), expected="fewer pixels") from None


def _font() -> str:
    from .svg import FONT

    return FONT.partition(",")[0]


@cache
def _check_fonts() -> None:
    """Make sure that letters come out: without any font resvg leaves them out and says nothing."""
    from .svg import FONT

    letter = _PROBE.format(font=FONT)
    if _render(letter, 20) == _render(letter.replace(">M<", "> <"), 20):
        hint = "install one (fonts-dejavu, for example), or write .svg"
        raise InputError("a picture needs letters", found="no font on this computer", hint=hint)
