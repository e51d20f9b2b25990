"""A warning has a name of its own in its class, a condition and a message."""

from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake, mistake, shown
from stratabase.model.reading.rules.texts import empty


def warnings(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every @warning."""
    for one in manuscript.classes.values():
        seen: set[str] = set()
        for use in one.all("warning"):
            for argument in ("name", "condition", "message"):
                yield from empty(use, argument)
            if use["name"] in seen:
                yield mistake(use.at("name"), f'{one.name} has a warning "{shown(use["name"])}" already.')
            seen.add(use["name"])
