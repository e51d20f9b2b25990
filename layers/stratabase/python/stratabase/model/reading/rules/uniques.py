"""A uniqueness constraint names comparable attributes, and its `getBy` service has a name of its own."""

from collections.abc import Iterator

from stratabase.model.api_names import get_by_verb
from stratabase.model.reading.manuscript import Manuscript, Use, Written
from stratabase.model.reading.mistake import Mistake, line_of, listed, mistake
from stratabase.model.reading.rules.attribute_lists import attribute_list

ARGUMENTS = frozenset({"insight", "disableCache"})
"""What a `getBy` service takes beside the attributes."""


def uniques(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every @unique."""
    for one in manuscript.classes.values():
        seen: dict[frozenset[str], str] = {}
        services: dict[str, tuple[str, ...]] = {}
        for use in one.all("unique"):
            yield from attribute_list(manuscript, one, use)
            yield from _kinds(one, use)
            yield from _repeated(use, seen, services)


def _kinds(one: Written, use: Use) -> Iterator[Mistake]:
    """Refuse attributes that clients do not give, or that a service cannot take as arguments."""
    for name, node in use.each("attributes"):
        member = one.attributes.get(name)
        if member and member.is_derived:
            yield mistake(
                node, f"{member.full_name} is derived, so it cannot be unique: name what it is made of."
            )
        elif member and name in ARGUMENTS:
            text = f"{member.full_name} cannot be unique: its getBy service has an argument {name} already."
            yield mistake(node, text)


def _repeated(
    use: Use, seen: dict[frozenset[str], str], services: dict[str, tuple[str, ...]]
) -> Iterator[Mistake]:
    attributes, service = use["attributes"], get_by_verb(use["attributes"])
    if first := seen.get(frozenset(attributes)):
        yield mistake(use.node, f"{first} says the same.")
    elif (other := services.get(service)) is not None:
        text = f"The service {service} is generated for both {listed(other)} and {listed(attributes)}."
        yield mistake(use.node, text)
    seen.setdefault(frozenset(attributes), f"The @unique in line {line_of(use.node)}")
    services.setdefault(service, attributes)
