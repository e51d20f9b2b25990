"""Texts that must say something."""

from collections.abc import Iterator

from stratabase.model.reading.manuscript import Use
from stratabase.model.reading.mistake import Mistake, mistake


def empty(use: Use, argument: str) -> Iterator[Mistake]:
    """Refuse an argument that is there but says nothing."""
    text = use[argument]
    if text is not None and not text.strip():
        yield mistake(use.at(argument), f"{argument} is empty.")
