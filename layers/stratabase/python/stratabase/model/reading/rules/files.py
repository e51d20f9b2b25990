"""What `@file` asks of files makes sense."""

import re
from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript, Use
from stratabase.model.reading.mistake import Mistake, mistake, shown

_EXTENSION = re.compile(r"[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")


def files(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every @file of an attribute."""
    for member in manuscript.members:
        if not member.type or not (use := member.use("file")):
            continue
        if member.type.name != "File":
            text = f"@file is for attributes of type File; {member.full_name} is {member.type.name}."
            yield mistake(use.node, text)
        yield from _something(use)
        yield from _extensions(use)
        if use["maxSize"] is not None and use["maxSize"] < 1:
            yield mistake(use.at("maxSize"), "maxSize is a number of bytes, 1 or more.")


def _something(use: Use) -> Iterator[Mistake]:
    if not use.given and use.sound:
        yield mistake(use.node, "This @file says nothing; it takes extensions and maxSize.")
    if use["extensions"] == () and use.sound:
        yield mistake(use.at("extensions"), "No file is possible: extensions is empty.")


def _extensions(use: Use) -> Iterator[Mistake]:
    seen: set[str] = set()
    for extension, node in use.each("extensions"):
        if not _EXTENSION.fullmatch(extension):
            text = f'"{shown(extension)}" is no file name extension: write it without the dot.'
            yield mistake(node, text, word=extension, among=[extension.strip(" .*")])
        elif extension.lower() in seen:
            yield mistake(node, f'"{extension}" stands here already; case does not make a difference.')
        seen.add(extension.lower())
