"""Changed types: which stored values the new type reads.

Two stored values are the same if they have the same text. A type reads a stored value if one of its own
values has exactly that text; otherwise the value counts as null. So `"42"` is read as an Int, and `"042"` is
not.
"""

from collections.abc import Mapping
from typing import Any

from stratabase.core.model.types import MEMBER_ID_TYPE
from stratabase.core.model.types.base import AttributeType
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
from stratabase.evolution.difference.questions import Question, WithState, outside_domain

_ALL = "every value"
_SPELLING = 'such as "42", but not "042" or "+42"'
_FROM_TEXT: Mapping[str, str] = {
    "Int": f"whole numbers from -2147483648 to 2147483647 {_SPELLING}",
    "Real": 'numbers in their shortest form such as "1.5", but not "1.50"',
    "Boolean": '"true" and "false"',
    "Date": 'dates such as "2020-12-31"',
    "Time": 'times such as "{example}"',
    "Datetime": 'instants such as "{example}"',
    "Year": 'whole numbers from 0 to 9999 such as "2020"',
    "Serial": f"whole numbers from 1 {_SPELLING}",
    "Text": _ALL,
    "String": _ALL,
    MEMBER_ID_TYPE.name: "the IDs of members",
}
"""By type: which values of a String or a Text it reads."""
_BETWEEN_NUMBERS: Mapping[tuple[str, str], str] = {
    ("Int", "Real"): _ALL,
    ("Int", "Serial"): "numbers from 1",
    ("Int", "Year"): "numbers from 0 to 9999",
    ("Real", "Int"): "whole numbers from -2147483648 to 2147483647",
    ("Real", "Serial"): "whole numbers from 1",
    ("Real", "Year"): "whole numbers from 0 to 9999",
    ("Serial", "Int"): "numbers up to 2147483647",
    ("Serial", "Real"): _ALL,
    ("Serial", "Year"): "numbers up to 9999",
    ("Year", "Int"): _ALL,
    ("Year", "Real"): _ALL,
    ("Year", "Serial"): "numbers from 1",
}
"""By old and new type: which values the new type reads. All other pairs of types have no value in common."""
_TEXTS = frozenset({"String", "Text"})
_REASONS: Mapping[frozenset[str], str] = {
    frozenset({"Date", "Datetime"}): "A day is no instant.",
    frozenset({"Time", "Datetime"}): "A time of day is no instant.",
    frozenset({"Date", "Year"}): "A day is no year.",
}
"""By two types that one might expect to convert: why they do not."""


def readable_values(old: AttributeType, new: AttributeType) -> str | None:
    """Return which stored values of one type another type reads: "every value", some, or None for none."""
    if old.name == new.name:
        return _ALL
    if new.name in _TEXTS:
        return None if old.name == "File" else _ALL
    if isinstance(new, EnumType):
        return _readable_by_enum(old, new)
    if isinstance(old, EnumType) or old.name not in _TEXTS:
        return _BETWEEN_NUMBERS.get((old.name, new.name))
    text = _FROM_TEXT.get(new.name)
    return text and text.replace("{example}", getattr(new, "example", ""))


def _readable_by_enum(old: AttributeType, new: EnumType) -> str | None:
    if isinstance(old, EnumType):
        kept = [value for value in old.values if value in new.values]
        return _ALL if len(kept) == len(old.values) else ", ".join(kept) or None
    return f"the values {', '.join(new.values)}" if old.name in _TEXTS else None


def reading_of(type_: AttributeType) -> str:
    """Return how a type reads stored values. Types with the same reading share indexes and guards."""
    if isinstance(type_, EnumType):
        return "enum"
    return "text" if type_.name in _TEXTS else type_.name


def _type_changed(pair: AttributePair) -> Changes:
    """Yield a change if the type of a stored attribute has changed."""
    old, new = _stored_types(pair)
    if pair.old.type.name == pair.new.type.name or not _is_stored(pair):
        return
    what = f"type {pair.new.type.name}, was {pair.old.type.name}"
    readable = readable_values(old, new)
    rebuilt = pair.built_for if reading_of(old) != reading_of(new) else ()
    builds = f" {', '.join(rebuilt)} must be built again." if rebuilt else ""
    class_ = pair.owner.new.name
    if readable == _ALL:
        why = f"Every stored value is read as {pair.new.type.name}.{builds}"
        if rebuilt:
            yield to_build(pair.subject, what, why, class_)
        elif getattr(old, "max_length", None) is None and getattr(new, "max_length", None):
            why += " Longer texts than the type allows can't be written again."
            yield safe(pair.subject, what, why, _refused(pair))
        else:
            yield safe(pair.subject, what, why)
        return
    reason = _REASONS.get(frozenset({old.name, new.name}), "")
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
    if readable and new.name == "Serial":
        to_do += " Do it before you create objects, because only then new numbers do not repeat stored ones."
    if rebuilt:
        to_do += f" {reindex_advice(class_)}"
    change = decision(pair.subject, what, why, to_do, _unreadable(pair, new))
    # Closed versions are not counted. New serial numbers can repeat stored ones, however readable these are.
    is_settled_by_counts = not (rebuilt or pair.owner.old.versioned or new.name == "Serial")
    yield settled_if_none(change) if is_settled_by_counts else change


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


TYPE_RULES = (each_attribute(_type_changed),)
