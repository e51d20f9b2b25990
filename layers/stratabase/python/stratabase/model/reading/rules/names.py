"""Names are not reserved, not too long, and not taken; two that differ only in case are the same."""

from collections.abc import Iterable, Iterator

from graphql.language import EnumTypeDefinitionNode, NameNode, ObjectTypeDefinitionNode

from stratabase.model.api_names import SEPARATOR
from stratabase.model.reading.manuscript import Back, Manuscript, Written
from stratabase.model.reading.mistake import Mistake, line_of, mistake, shown
from stratabase.model.types import TYPES

LONGEST = 100


def names(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check the names of classes, enums, enum values, attributes and roles, also those that lead back."""
    definitions = [
        node
        for node in manuscript.definitions
        if isinstance(node, ObjectTypeDefinitionNode | EnumTypeDefinitionNode)
    ]
    yield from _distinct((node.name for node in definitions), TYPES, "")
    for one in manuscript.classes.values():
        yield from _distinct((member.node.name for member in one.fields), (), f"{one.name}.")
        yield from _backs(one, manuscript.backs.get(one.name, ()))
    for node in manuscript.enumerations.values():
        for value in node.values or ():
            yield from reserved(value.name)


def _distinct(nodes: Iterable[NameNode], taken: Iterable[str], owner: str) -> Iterator[Mistake]:
    """Yield what is wrong with names that share a room, of which some are `taken` from the start."""
    seen = {name.casefold(): (name, "is an attribute type") for name in taken}
    for node in nodes:
        yield from reserved(node)
        name = node.value
        if name.casefold() in seen:
            other, what = seen[name.casefold()]
            case = "" if name == other else ", and case does not make a difference"
            yield mistake(node, f"{owner}{shown(name)} is taken: {owner}{shown(other)} {what}{case}.")
        seen.setdefault(name.casefold(), (name, f"stands in line {line_of(node)}"))


def reserved(node: NameNode) -> Iterator[Mistake]:
    """Yield what is wrong with a name by itself."""
    if text := reserved_text(node.value):
        yield mistake(node, text)


def reserved_text(name: str) -> str | None:
    """Return what is wrong with a name by itself."""
    if name.startswith("_"):
        return f"{shown(name)} begins with _, as only the service's own names do."
    if SEPARATOR in name:
        return f"{shown(name)} holds {SEPARATOR}, as only generated names do."
    if len(name) > LONGEST:
        return f"{shown(name)} is too long: a name has at most {LONGEST} characters."
    return None


def _backs(part: Written, backs: Iterable[Back]) -> Iterator[Mistake]:
    taken = {member.name.casefold(): f"{member.full_name} is a field" for member in part.members.values()}
    for back in backs:
        origin = back.composition.full_name
        if text := taken.get(back.name.casefold()):
            yield mistake(
                back.place,
                f"The role back from {part.name} through {origin} cannot be called {shown(back.name)}: "
                f'{text}. Write another name: @composition(whole: "…").',
            )
        taken.setdefault(back.name.casefold(), f"the one through {origin} is called that")
