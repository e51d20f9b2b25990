"""Changes of enums: added, removed, and their values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stratabase.core.model.model import Enumeration
from stratabase.evolution.difference.change import (
    AttributePair,
    Changes,
    ModelChange,
    ModelComparison,
    decision,
    probable_rename,
    reindex_advice,
    rename_advice,
    rename_hint,
    safe,
    settled_if_none,
)
from stratabase.evolution.difference.questions import with_exactly


def _enums(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Enums that only one model has. They are not stored names: only their values are."""
    old, new = comparison.old.enumerations, comparison.new.enumerations
    yield from (safe(f"enum {name}", "added") for name in new if name not in old)
    yield from (safe(f"enum {name}", "removed") for name in old if name not in new)


def _values(comparison: ModelComparison, _: Sequence[Any]) -> Changes:
    """Values of enums that both models have."""
    for new in comparison.new.enumerations.values():
        old = comparison.old.enumerations.get(new.name)
        if old is None:
            continue
        before, after = _by_stored_name(old), _by_stored_name(new)
        added = [value for stored, value in after.items() if stored not in before]
        gone = [value for stored, value in before.items() if stored not in after]
        for stored, value in before.items():
            if stored not in after:
                yield _removed(comparison, new, value, stored, (added, gone))
            elif after[stored] != value:
                why = "Stored values stay as they are. Clients must use the new name."
                yield safe(f"{new.name}.{after[stored]}", f"renamed, was {value}", why)
        yield from (safe(f"{new.name}.{value}", "added") for value in added)
        for stored, value in after.items():
            if stored in before and old.values[before[stored]] != new.values[value]:
                yield safe(f"{new.name}.{value}", "description changed")
        if old.description != new.description:
            yield safe(f"enum {new.name}", "description changed")


def _removed(
    comparison: ModelComparison,
    enumeration: Enumeration,
    value: str,
    stored: str,
    changed: tuple[Sequence[str], Sequence[str]],
) -> ModelChange:
    """Return the decision about a removed value, with a question for each attribute that can have it.

    `changed`: all added values, and all removed ones.
    """
    uses = list(_uses(comparison, enumeration.name))
    questions = (
        with_exactly(pair.owner.stored_name, pair.owner.new.name, pair.stored_name, stored) for pair in uses
    )
    built = {pair.owner.new.name for pair in uses if pair.built_for}
    build = "".join(f" {reindex_advice(name)}" for name in sorted(built))
    why = "Stored values count as null, and stay stored until they are overwritten."
    otherwise = f"Keep the value, or change the objects that have it.{build}"
    added = [each for each in changed[0] if each not in enumeration.renamed_from]
    name = probable_rename(value, added, changed[1])
    what, to_do = "removed", rename_hint(added, stored, otherwise)
    if name is not None:
        what = f"removed, or renamed to {name}?"
        to_do = rename_advice(name, f'{name} @renamed(from: "{stored}")', otherwise)
    change = decision(f"{enumeration.name}.{value}", what, why, to_do, *questions)
    # Closed versions are not counted.
    is_settled_by_counts = not built and not any(pair.owner.old.versioned for pair in uses)
    return settled_if_none(change) if is_settled_by_counts else change


def _uses(comparison: ModelComparison, enumeration: str) -> Iterator[AttributePair]:
    """Yield the stored attributes that both models have, and that are of an enum in the new one."""
    for owner in comparison.classes:
        for pair in owner.attributes:
            if pair.new.type.name == enumeration and pair.new.derivation is None and owner.new.is_stored:
                yield pair


def _by_stored_name(enumeration: Enumeration) -> Mapping[str, str]:
    return {enumeration.renamed_from.get(value, value): value for value in enumeration.values}


ENUM_RULES = (_enums, _values)
