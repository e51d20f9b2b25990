"""The pages of the documentation, in HTML.

A wheel has them as files. In a copy of the repository, `source_pages` renders each on first use.

This module and `source_pages` import nothing of the core, because a wheel is built without its dependencies.
"""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import stratabase
from stratabase.server.repository import DOCUMENTATION, REPOSITORY

PAGE_LIST = ""
"""The name of the page that lists the others."""
_STYLES = (
    Path(stratabase.__file__).parent / "core/http/pages/templates/style.css",
    Path(__file__).parent / "style.css",
)


def documentation_style() -> str:
    """Return the style of the pages: that of all pages of the service, and more for long texts."""
    return "".join(file.read_text("utf-8") for file in _STYLES)


@dataclass(frozen=True)
class DocumentationPage:
    """A complete page in HTML."""

    content: bytes

    @cached_property
    def gzipped(self) -> bytes:
        """The page, compressed by gzip at its highest level."""
        return gzip.compress(self.content, 9, mtime=0)


class Documentation:
    """The pages by name, each kept from its first use on."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        """`read` returns the content of a page, or None if there is no such page."""
        self._read = read
        self._pages: dict[str, DocumentationPage] = {}

    def find(self, name: str) -> DocumentationPage | None:
        """Return a page by its name, or None if there is no such page."""
        if name not in self._pages:
            content = self._read(name)
            if content is None:
                return None
            self._pages[name] = DocumentationPage(content)
        return self._pages[name]


def documentation() -> Documentation:
    """Return the documentation of this version."""
    if REPOSITORY is None:
        return Documentation(BuiltPages(DOCUMENTATION).read)
    # Only a copy of the repository has the source and its parser.
    from stratabase.server.documentation.source_pages import SourcePages  # noqa: PLC0415

    return Documentation(SourcePages(REPOSITORY).render)


class BuiltPages:
    """The files of the pages. That of PAGE_LIST is `.html`."""

    def __init__(self, folder: Path) -> None:
        self._files = {file.name.removesuffix(".html"): file for file in folder.iterdir()}

    def read(self, name: str) -> bytes | None:
        """Return the content of a page, or None if there is no such page."""
        file = self._files.get(name)
        return None if file is None else file.read_bytes()
