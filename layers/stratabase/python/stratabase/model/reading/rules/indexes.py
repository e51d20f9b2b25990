"""An index names stored attributes; a class has at most seven, each once."""

from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript, Use, Written
from stratabase.model.reading.mistake import Mistake, mistake
from stratabase.model.reading.rules.attribute_lists import attribute_list

MOST = 7


def indexes(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every @index."""
    for one in manuscript.classes.values():
        seen: set[tuple[str, ...]] = set()
        for number, use in enumerate(one.all("index"), start=1):
            yield from attribute_list(manuscript, one, use)
            yield from _derived(one, use)
            if use["attributes"] in seen:
                yield mistake(use.node, f"{one.name} has this @index already.")
            elif number > MOST:
                yield mistake(use.node, f"{one.name} has more than {MOST} indexes: keep those used most.")
            seen.add(use["attributes"])


def _derived(one: Written, use: Use) -> Iterator[Mistake]:
    for name, node in use.each("attributes"):
        member = one.attributes.get(name)
        if member and member.is_derived:
            text = (
                f"{member.full_name} is derived at each read, so no index holds it: name what it is made of."
            )
            yield mistake(node, text)
