"""A derived attribute's path exists, ends where it should, and yields what the attribute holds."""

from collections.abc import Iterator, Sequence

from graphql.language import Node

from stratabase.model.attribute import Aggregate
from stratabase.model.reading.manuscript import Manuscript, Member, Use, inside
from stratabase.model.reading.mistake import Mistake, listed, mistake, shown
from stratabase.model.reading.walk import Walk, names_at, walk

NUMBERS = ("Int", "Real")
_SUMS = frozenset({Aggregate.SUM, Aggregate.AVG})
_EXTREMES = frozenset({Aggregate.MIN, Aggregate.MAX})
_UNORDERED = frozenset({"Boolean", "File"})


def paths(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check the path of every derived attribute."""
    for member in manuscript.members:
        use = member.use("derived")
        if member.type and use and use["path"] and "expression" not in use.given:
            names = tuple(use["path"].split("."))
            walked = walk(manuscript, member.owner, names)
            if len(walked.steps) < len(names):
                yield from _lost(manuscript, walked, names, use.at("path"))
            elif walked.at not in manuscript.unread and use.sound:
                yield from _ending(member, walked, use)


def _lost(manuscript: Manuscript, walked: Walk, names: Sequence[str], place: Node) -> Iterator[Mistake]:
    """Report the first name of a path that leads nowhere."""
    found = len(walked.steps)
    offset = inside(place, sum(len(name) + 1 for name in names[:found]))
    if walked.type:
        text = f"{'.'.join(walked.steps[-1])} is an attribute; a path ends there."
        yield mistake(place, text, offset=offset)
    elif walked.at in manuscript.classes and names[found] not in manuscript.classes[walked.at].members:
        text = f'{walked.at} has no attribute and no role "{shown(names[found])}".'
        yield mistake(place, text, word=names[found], among=names_at(manuscript, walked.at), offset=offset)


def _ending(member: Member, walked: Walk, use: Use) -> Iterator[Mistake]:
    """Check where a path ends, what is made of it there, and of what type that is."""
    aggregate = Aggregate(use["aggregate"]) if use["aggregate"] else None
    if text := _end(walked, aggregate):
        yield mistake(use.at("path"), text)
    elif text := _aggregate(walked, aggregate):
        yield mistake(use.at("aggregate"), text)
    elif (right := _results(walked, aggregate)) and member.type and member.type.name not in right:
        text = f"{member.full_name} is {member.type.name}, but what is computed is {listed(right, 'or')}."
        yield mistake(member.named, text, word=right[0], among=right)


def _end(walked: Walk, aggregate: Aggregate | None) -> str | None:
    """Return what is wrong with the end of a path."""
    path = ".".join(name for _, name in walked.steps)
    if walked.type and len(walked.steps) == 1:
        return (
            f"A path walks over at least one role; {path} is the class's own attribute. Write an expression."
        )
    if not walked.type and aggregate is not Aggregate.COUNT:
        return (
            f"{path} is a role: the path goes on to an attribute of {walked.at}, or COUNT counts the objects."
        )
    if walked.many and aggregate is None:
        return (
            f"{path} finds many values; aggregate is one of {listed((one.name for one in Aggregate), 'or')}."
        )
    return None


def _aggregate(walked: Walk, aggregate: Aggregate | None) -> str | None:
    """Return what is wrong with an aggregate."""
    if aggregate is None:
        return None
    if not walked.many:
        return f"{aggregate.name} goes with many values; no role of this path leads to many."
    kind = walked.type.name if walked.type else ""
    if aggregate in _SUMS and kind not in NUMBERS:
        return f"{aggregate.name} takes {listed(NUMBERS, 'or')}; {'.'.join(walked.steps[-1])} is {kind}."
    if aggregate in _EXTREMES and kind in _UNORDERED:
        return f"{aggregate.name} takes what has an order; {'.'.join(walked.steps[-1])} is {kind}."
    return None


def _results(walked: Walk, aggregate: Aggregate | None) -> tuple[str, ...]:
    """Return the types that hold what is computed, the nearest first."""
    if aggregate is Aggregate.COUNT:
        return ("Int",)
    if aggregate is Aggregate.AVG:
        return ("Real",)
    kind = walked.type.name if walked.type else ""
    return ("Int", "Real") if aggregate is Aggregate.SUM and kind == "Int" else (kind,)
