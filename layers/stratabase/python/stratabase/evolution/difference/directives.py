"""Changes of `@unique`, `@index` and `@warning`."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.core.model.model import Class, Index, Unique
from stratabase.core.model.stored_names import ClassNames
from stratabase.evolution.difference.change import (
    Changes,
    ClassPair,
    directive_text,
    each_class,
    safe,
    to_build,
)
from stratabase.evolution.difference.questions import AllObjects, Question, Repeated, UniqueName


class _Stored(NamedTuple):
    """The stored name of an attribute or role."""

    name: str
    is_role: bool


_UNUSED = "It is maintained until the next `stratabase reindex {name}`."


def _uniques(pair: ClassPair) -> Changes:
    """Uniqueness constraints, whose attributes have no order."""
    old = {frozenset(_stored(pair.old, pair.old_names, each)): each for each in pair.old.uniques}
    new = {frozenset(_stored(pair.new, pair.new_names, each)): each for each in pair.new.uniques}
    name = pair.new.name
    for stored, each in new.items():
        if stored not in old:
            why = "Objects with the same values keep them, and are listed. New duplicates are refused."
            subject = f"{name} {directive_text('unique', each.attributes)}"
            yield to_build(subject, "added", why, name, repeated(pair, each))
    for stored, each in old.items():
        if stored not in new:
            subject = f"{name} {directive_text('unique', each.attributes)}"
            yield safe(subject, "removed", _UNUSED.format(name=name))


def repeated(pair: ClassPair, unique: Unique) -> Question:
    """Return the question how many objects repeat the values of a uniqueness constraint of the new model."""
    stored, attributes = pair.new_names.to_stored, pair.new.attributes
    names = (
        UniqueName(stored.get(name, name), attributes[name].type.folding if name in attributes else None)
        for name in unique.attributes
    )
    return Repeated(pair.stored_name, pair.new.name, tuple(sorted(names, key=lambda each: each.name)))


def _indexes(pair: ClassPair) -> Changes:
    """Indexes, whose attributes have an order."""
    old = {_stored(pair.old, pair.old_names, each): each for each in pair.old.indexes}
    new = {_stored(pair.new, pair.new_names, each): each for each in pair.new.indexes}
    name = pair.new.name
    for stored, each in new.items():
        if stored not in old:
            why = "Until it is built, pages read more objects, and are right."
            subject = f"{name} {directive_text('index', each.attributes)}"
            yield to_build(subject, "added", why, name, AllObjects(pair.stored_name, name))
    for stored, each in old.items():
        if stored not in new:
            subject = f"{name} {directive_text('index', each.attributes)}"
            yield safe(subject, "removed", _UNUSED.format(name=name))


def _stored(class_: Class, names: ClassNames, directive: Unique | Index) -> tuple[_Stored, ...]:
    """Return the stored names in a directive. An attribute and a role of one name are not the same."""
    return tuple(
        _Stored(names.to_stored.get(name, name), name in class_.roles) for name in directive.attributes
    )


def _warnings(pair: ClassPair) -> Changes:
    """Conditions of objects, which are checked when an object is written."""
    old = {each.name: each for each in pair.old.warnings}
    new = {each.name: each for each in pair.new.warnings}
    for name in _names(old, new):
        subject = f'{pair.new.name} @warning("{name}")'
        why = "Stored objects are checked when they are next written."
        if name not in new:
            yield safe(subject, "removed")
        elif name not in old:
            yield safe(subject, "added", why)
        elif old[name].blocking != new[name].blocking:
            yield safe(subject, "now blocking" if new[name].blocking else "no longer blocking", why)
        elif old[name].condition != new[name].condition:
            yield safe(subject, "condition changed", why)
        elif old[name] != new[name]:
            yield safe(subject, "message changed")


def _names(old: Iterable[str], new: Iterable[str]) -> list[str]:
    """Return the names of both, the new ones first."""
    return list(dict.fromkeys([*new, *old]))


DIRECTIVE_RULES = (each_class(_uniques), each_class(_indexes), each_class(_warnings))
