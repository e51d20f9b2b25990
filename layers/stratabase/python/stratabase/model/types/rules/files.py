"""A file has one of the extensions, and is not too large."""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.model.attribute import Domain
from stratabase.model.malformed import shown
from stratabase.model.plurals import counted, is_or_are
from stratabase.model.types.base import Breach, DomainMistake


def files_mistakes(stored: Mapping[str, Any], domain: Domain) -> Iterator[DomainMistake]:
    """Yield what `@file` has against what is known of a file."""
    if domain.extensions and _extension(stored["name"]) not in map(str.lower, domain.extensions):
        wanted = " or ".join(domain.extensions)
        yield DomainMistake(
            Breach.FILE_TYPE, f"{shown(stored['name'])} is of no type that fits: give {wanted}"
        )
    if domain.max_size is not None and stored["size"] > domain.max_size:
        size = stored["size"]
        text = f"{counted(size, 'byte')} {is_or_are(size)} too many: give at most {domain.max_size:,}"
        yield DomainMistake(Breach.FILE_SIZE, text)


def _extension(name: str) -> str:
    _, dot, extension = name.rpartition(".")
    return extension.lower() if dot else ""
