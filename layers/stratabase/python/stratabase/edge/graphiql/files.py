"""The files of the page, as they were built."""

import gzip
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

FOLDER = Path(__file__).parent / "built"
LICENSES = "licenses.txt"

_TYPES = {".js": "text/javascript", ".css": "text/css", ".txt": "text/plain"}
"""What is served, by how the files' names end."""


@dataclass(frozen=True)
class File:
    """A file of the page."""

    path: Path = field(repr=False)

    @property
    def content_type(self) -> str:
        """Its media type."""
        return f"{_TYPES[self.path.suffix]}; charset=utf-8"

    @property
    def lasts(self) -> bool:
        """Whether its name says what is in it, so that it never changes."""
        return self.path.name != LICENSES

    @cached_property
    def content(self) -> bytes:
        """What is in it."""
        return self.path.read_bytes()

    @cached_property
    def compressed(self) -> bytes:
        """What is in it, in as few bytes as gzip can."""
        return gzip.compress(self.content, 9, mtime=0)


@cache
def files() -> dict[str, File]:
    """Return the files by their names."""
    return {path.name: File(path) for path in sorted(FOLDER.iterdir()) if path.suffix in _TYPES}


def named(suffix: str) -> str:
    """Return the name of the one file that ends so."""
    (name,) = (name for name in files() if name.endswith(suffix))
    return name
