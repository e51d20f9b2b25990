"""Expressions make sense, and give what is wanted: a condition a truth, a derived attribute its own type."""

from collections.abc import Iterator

from graphql.language import StringValueNode

from stratabase.model.expressions import ExpressionMistake, ExpressionMistakes, Scope, examine
from stratabase.model.reading.manuscript import Manuscript, Member, Use
from stratabase.model.reading.mistake import Mistake
from stratabase.model.reading.naming import WrittenNames
from stratabase.model.reading.places import place_in
from stratabase.model.types import TYPES
from stratabase.model.types.base import AttributeType

_CONDITIONS = {"warning": "condition", "grant": "where"}
"""The arguments that are conditions, by directive."""
_UNSUITED = frozenset({"File", "Serial"})
"""No derived attribute has these types, as another rule says."""


def expressions(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every condition and every derived attribute that is an expression."""
    names = WrittenNames(manuscript)
    for one in manuscript.classes.values():
        scope = Scope(names, one.name)
        for holder in (one, *one.fields):
            for use in holder.uses:
                if use.name in _CONDITIONS:
                    yield from _mistakes(use, _CONDITIONS[use.name], scope, TYPES["Boolean"])
        for member in one.fields:
            yield from _derived(member, scope)


def _derived(member: Member, scope: Scope) -> Iterator[Mistake]:
    use = member.use("derived")
    if use and member.type:
        wanted = None if member.type.name in _UNSUITED else member.type
        yield from _mistakes(use, "expression", scope, wanted)


def _mistakes(use: Use, argument: str, scope: Scope, wanted: AttributeType | None) -> Iterator[Mistake]:
    text, node = use[argument], use.at(argument)
    if not text or not text.strip() or not isinstance(node, StringValueNode):
        return
    try:
        found = examine(text, scope, wanted).mistakes
    except ExpressionMistakes as refusal:
        found = refusal.mistakes
    for one in found:
        yield _mistake(node, one)


def _mistake(node: StringValueNode, one: ExpressionMistake) -> Mistake:
    """Return a mistake where it stands in the file."""
    assert node.loc is not None
    line, column = place_in(node, one.at)
    return Mistake(node.loc.source.name, line, column, one.message, one.suggestion)
