"""Changed types: which stored values the new type reads, and how it compares them.

Two stored values are the same if they have the same text. A type reads a stored value if one of its own
values has exactly that text; otherwise the value counts as null. So `"42"` is read as an Int, and `"042"` is
not.
"""

from collections.abc import Mapping
from typing import Any

from stratabase.core.model.types.base import EVERY_VALUE, AttributeType, NumberRange
from stratabase.core.model.types.enumeration import EnumType
from stratabase.evolution.difference.change import (
    AttributePair,
    Changes,
    decision,
    each_attribute,
    reindex_advice,
    safe,
    settled_if_none,
    to_build,
)
from stratabase.evolution.difference.directives import repeated
from stratabase.evolution.difference.questions import Question, WithState, outside_domain

EXACT = "EXACT"
"""The name in the model language of the comparison that folds nothing."""


def readable_values(old: AttributeType, new: AttributeType) -> str | None:
    """Return which stored values of one type another type reads: EVERY_VALUE, some, or None for none."""
    if old.name == new.name:
        return EVERY_VALUE
    if new.readable_texts == EVERY_VALUE:
        return None if old.holds_file else EVERY_VALUE
    if old.readable_texts == EVERY_VALUE:
        return new.readable_texts
    if isinstance(old, EnumType) and isinstance(new, EnumType):
        kept = [value for value in old.values if value in new.values]
        return EVERY_VALUE if len(kept) == len(old.values) else ", ".join(kept) or None
    return _readable_numbers(old.numbers, new.numbers) if old.numbers and new.numbers else None


def _readable_numbers(old: NumberRange, new: NumberRange) -> str:
    """Return which numbers of one type another type of numbers reads."""
    limits = []
    if new.minimum is not None and (old.minimum is None or old.minimum < new.minimum):
        limits.append(f"from {new.minimum}")
    if new.maximum is not None and (old.maximum is None or old.maximum > new.maximum):
        limits.append(f"{'to' if limits else 'up to'} {new.maximum}")
    loses_fractions = new.whole and not old.whole
    if not limits and not loses_fractions:
        return EVERY_VALUE
    return " ".join(["whole numbers" if loses_fractions else "numbers", *limits])


def _type_changed(pair: AttributePair) -> Changes:
    """Yield a change if the type of a stored attribute has changed."""
    old, new = _stored_types(pair)
    if pair.old.type.name == pair.new.type.name or not _is_stored(pair):
        return
    what = f"type {pair.new.type.name}, was {pair.old.type.name}"
    readable = readable_values(old, new)
    rebuilt = pair.built_for if old.reading != new.reading else ()
    builds = f" {', '.join(rebuilt)} must be built again." if rebuilt else ""
    class_ = pair.owner.new.name
    if readable == EVERY_VALUE:
        why = f"Every stored value is read as {pair.new.type.name}.{builds}"
        if rebuilt:
            yield to_build(pair.subject, what, why, class_)
        elif getattr(old, "max_length", None) is None and getattr(new, "max_length", None):
            why += " Longer texts than the type allows can't be written again."
            yield safe(pair.subject, what, why, _refused(pair))
        else:
            yield safe(pair.subject, what, why)
        return
    reason = old.unlike.get(new.name) or new.unlike.get(old.name) or ""
    read = f"{pair.new.type.name} reads only these values: {readable}." if readable else ""
    nothing = f"{pair.new.type.name} reads no value of {pair.old.type.name}."
    rest = "All others count as null" if readable else "They count as null"
    why = " ".join(
        filter(
            None, [read or nothing, reason, f"{rest}, and stay stored until they are overwritten.{builds}"]
        )
    )
    to_do = (
        f"To rewrite what can be read and list the rest, run `stratabase model convert {pair.subject}`."
        if readable
        else "Add an attribute with another name for the new type, and fill it before you remove this one."
    )
    if readable and new.numbered:
        to_do += " Do it before you create objects, because only then new numbers do not repeat stored ones."
    if rebuilt:
        to_do += f" {reindex_advice(class_)}"
    change = decision(pair.subject, what, why, to_do, _unreadable(pair, new))
    # Closed versions are not counted. New serial numbers can repeat stored ones, however readable these are.
    is_settled_by_counts = not (rebuilt or pair.owner.old.versioned or new.numbered)
    yield settled_if_none(change) if is_settled_by_counts else change


def _comparison_changed(pair: AttributePair) -> Changes:
    """Yield a change if the texts of an attribute are compared in another way."""
    old, new, owner = pair.old.type.folding, pair.new.type.folding, pair.owner
    if old is new:
        return
    was, now = (EXACT if each is None else each.name for each in (old, new))
    what = f"compared {now}, was {was}"
    why = "Filters, orders, unique constraints and expressions compare its texts in this way."
    if not pair.built_for:
        yield safe(pair.subject, what, why)
        return
    why += f" {', '.join(pair.built_for)} must be built again."
    uniques = [each for each in owner.new.uniques if pair.new.name in each.attributes]
    if uniques:
        why += " Objects that are the same from now on keep their values, and are listed."
    questions = (repeated(owner, each) for each in uniques)
    yield to_build(pair.subject, what, why, owner.new.name, *questions)


def _refused(pair: AttributePair) -> Question:
    return outside_domain(pair.owner.stored_name, pair.owner.new.name, pair.stored_name, pair.new)


def _is_stored(pair: AttributePair) -> bool:
    return pair.old.derivation is None and pair.new.derivation is None


def _stored_types(pair: AttributePair) -> tuple[AttributeType, AttributeType]:
    """Return the old and the new type. Those of enums have the stored names of their values."""
    comparison = pair.owner.comparison
    return (
        _stored_type(pair.old.type, comparison.old.enumerations),
        _stored_type(pair.new.type, comparison.new.enumerations),
    )


def _stored_type(type_: AttributeType, enumerations: Mapping[str, Any]) -> AttributeType:
    if not isinstance(type_, EnumType):
        return type_
    renamed = enumerations[type_.name].renamed_from
    return EnumType(type_.name, [renamed.get(value, value) for value in type_.values])


def _unreadable(pair: AttributePair, new: AttributeType) -> Question:
    name = pair.stored_name
    text = f"have a value that {pair.new.type.name} does not read"

    def is_unreadable(state: Mapping[str, Any]) -> bool:
        value = state.get(name)
        return value is not None and new.read_stored(value) is None

    return WithState(pair.owner.stored_name, pair.owner.new.name, text, is_unreadable)


TYPE_RULES = (each_attribute(_type_changed), each_attribute(_comparison_changed))
