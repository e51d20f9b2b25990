"""Objects of every class can be created: no class needs, over required roles, an object of its own first."""

from collections.abc import Iterator, Mapping, Sequence

from graphql.language import Node

from stratabase.model.class_ import Kind
from stratabase.model.reading.manuscript import Manuscript, Written
from stratabase.model.reading.mistake import Mistake, mistake
from stratabase.model.reading.rounds import rounds
from stratabase.model.words import listed


def creation(manuscript: Manuscript) -> Iterator[Mistake]:
    """Report classes of which there can never be an object."""
    made, there = _possible(manuscript)
    never = [one for name, one in manuscript.classes.items() if name not in there]
    needs = {one.name: _needs(manuscript, one, made, there) for one in never}
    for way in rounds(needs):
        first, *others = [*way[1:], way[0]]
        reason = _parts_only(way) if made.issuperset(way) else _needed(way[0], first, others)
        yield mistake(needs[way[0]][first], f"No {way[0]} can ever be created: {reason}")


def _needed(name: str, first: str, others: Sequence[str]) -> str:
    """Return why there is no object of a class: over required roles it needs one of its own first."""
    chain = "".join(f", which needs {other}" for other in others)
    return f"{name} needs {first}{chain}. Make one of the roles optional."


def _parts_only(way: Sequence[str]) -> str:
    """Return why there is no object of classes that are parts of one another, and of no other class."""
    if len(way) == 1:
        reason = f"it is a part of {way[0]} only, so that the first one has no whole"
    else:
        pairs = zip(way, [*way[1:], way[0]], strict=True)
        chain = listed(f"{part} is a part of {whole}" for part, whole in pairs)
        reason = f"{chain} only, so that the first one has no whole"
    return f"{reason}. Make {way[0]} a part of another class too, or remove @composition from a role."


def _possible(manuscript: Manuscript) -> tuple[set[str], set[str]]:
    """Return the classes that can be made, given a whole if they are parts, and those that can be there."""
    made = {name for name, one in manuscript.classes.items() if one.kind is not Kind.ORDINARY}
    there = set(made)
    size = -1
    while size != len(made) + len(there):
        size = len(made) + len(there)
        made |= {name for name, one in manuscript.classes.items() if not _missing(one, made, there)}
        there |= {name for name in made if _rooted(manuscript, name, there)}
    return made, there


def _rooted(manuscript: Manuscript, name: str, there: set[str]) -> bool:
    backs = manuscript.backs.get(name, ())
    return not backs or any(back.composition.owner in there for back in backs)


def _missing(one: Written, made: set[str], there: set[str]) -> dict[str, Node]:
    """Return what an object must have and cannot, with the role that asks for it."""
    required = [role for role in one.roles.values() if role.required]
    return {
        role.target: role.named
        for role in required
        if role.leads_to not in (made if role.is_composition else there)
    }


def _needs(manuscript: Manuscript, one: Written, made: set[str], there: set[str]) -> Mapping[str, Node]:
    """Return what is in the way of an object: what it must have, or else its wholes, of which none can be."""
    if one.name in made:
        return {back.composition.owner: back.composition.named for back in manuscript.backs.get(one.name, ())}
    return _missing(one, made, there)
