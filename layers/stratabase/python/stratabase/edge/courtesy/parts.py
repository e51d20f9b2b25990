"""The files that pages are made of, and how values come into them."""

import html
from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).parent


class Markup(str):
    """A text that is HTML already; every other one is escaped."""

    __slots__ = ()


def filled(name: str, **values: str) -> Markup:
    """Return a file of this folder with values in the places that `$` marks."""
    escaped = {
        key: value if isinstance(value, Markup) else html.escape(value) for key, value in values.items()
    }
    return Markup(Template(content(name)).substitute(escaped))


@cache
def content(name: str) -> str:
    """Return what is in a file of this folder."""
    return (_FOLDER / name).read_text(encoding="utf-8")


@cache
def fingerprint(name: str) -> str:
    """Return what a Content-Security-Policy says to let in just what is in a file of this folder."""
    return f"'sha256-{b64encode(sha256(content(name).encode()).digest()).decode()}'"


def listed(element: str, texts: Iterable[str]) -> Markup:
    """Return an element for each of some texts."""
    return Markup("".join(f"<{element}>{html.escape(text)}</{element}>\n" for text in texts))
