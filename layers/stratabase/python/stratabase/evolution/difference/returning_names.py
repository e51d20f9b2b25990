"""Names that come back: what the store still has under a name that was removed from the model before."""

from collections.abc import Iterator, Sequence

from stratabase.core.model.attribute import Origin
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import NameKind, RemovedName
from stratabase.core.model.types.enumeration import EnumType
from stratabase.evolution.difference.change import (
    Changes,
    ClassPair,
    ModelComparison,
    decision,
    safe,
    settled_if_none,
)
from stratabase.evolution.difference.questions import (
    AllObjects,
    MembersWithProfile,
    Question,
    WithAssociations,
    with_exactly,
    with_value,
)


def _returning(comparison: ModelComparison, removed: Sequence[RemovedName]) -> Changes:
    """Names that the new model takes again."""
    known, now = {*_names(comparison.old)}, {*_names(comparison.new)}
    for each in removed:
        if _place(each) in now and _place(each) not in known:
            noun = each.kind.value
            why = (
                f"The store still has what was stored under the {noun} that was removed on "
                f"{each.removed_on}. It shows again."
            )
            subject, questions = f"{noun} {each.name}", _questions(comparison, each)
            if _is_late_rename(comparison, each):
                yield safe(subject, "comes back by @renamed", why, *questions)
            else:
                change = decision(subject, "comes back", why, _advice(each), *questions)
                # Former links and the values of enums in closed versions are not counted.
                if each.kind in {NameKind.CLASS, NameKind.ATTRIBUTE, NameKind.PROFILE}:
                    versions = "" if each.kind is NameKind.PROFILE else each.name
                    change = settled_if_none(change, kept_in_versions=versions)
                yield change


def _is_late_rename(comparison: ModelComparison, removed: RemovedName) -> bool:
    """Return whether a name that the old model has gets `@renamed` only now, so that the values are meant."""
    owner, _, stored = removed.name.partition(".")
    return any(
        pair.stored_name == owner and first == stored and name in pair.old_names.to_stored
        for pair in comparison.classes
        for name, first in pair.new_names.to_stored.items()
    )


def _place(removed: RemovedName) -> tuple[str, str]:
    # A role and an attribute of the same name share the place in the state of objects.
    kind = NameKind.ATTRIBUTE if removed.kind is NameKind.ROLE else removed.kind
    return kind.value, removed.name


def _names(model: Model) -> Iterator[tuple[str, str]]:
    """Yield all stored names of a model, with their kinds."""
    for profile in model.profiles.values():
        yield NameKind.PROFILE.value, profile.name
        if profile.renamed_from:
            yield NameKind.PROFILE.value, profile.renamed_from
    for class_ in model.classes.values():
        name = class_.renamed_from or class_.name
        yield NameKind.CLASS.value, name
        for attribute in class_.attributes.values():
            if attribute.origin is not Origin.DERIVED:
                yield NameKind.ATTRIBUTE.value, f"{name}.{attribute.renamed_from or attribute.name}"
        for role in class_.roles.values():
            yield NameKind.ATTRIBUTE.value, f"{name}.{role.renamed_from or role.name}"
    for enumeration in model.enumerations.values():
        for value in enumeration.values:
            yield (
                NameKind.ENUM_VALUE.value,
                f"{enumeration.name}.{enumeration.renamed_from.get(value, value)}",
            )


def _advice(removed: RemovedName) -> str:
    if removed.kind is NameKind.PROFILE:
        return "If members who still have it are not meant, give them another profile first."
    return f"If it is not meant, use another name, or run `stratabase model drop {removed.name}` first."


def _questions(comparison: ModelComparison, removed: RemovedName) -> Iterator[Question]:
    """Yield the questions how much is stored under a name."""
    first, _, second = removed.name.partition(".")
    if removed.kind is NameKind.CLASS:
        yield AllObjects(first, first)
    elif removed.kind is NameKind.PROFILE:
        yield MembersWithProfile(first)
    elif removed.kind is NameKind.ENUM_VALUE:
        for pair in comparison.classes:
            for name in _attributes_of_enum(pair, first):
                yield with_exactly(pair.stored_name, pair.new.name, name, second)
    else:
        names = comparison.new_names.by_stored_name.get(first)
        label = first if names is None else names.name
        yield with_value(first, label, second, "still have a value")
        if removed.kind is NameKind.ROLE:
            yield WithAssociations(first, label, "still have links", second, in_links=True)


def _attributes_of_enum(pair: ClassPair, enumeration: str) -> Iterator[str]:
    """Yield the stored names of the attributes that are of an enum in the new model."""
    for each in pair.new.attributes.values():
        if isinstance(each.type, EnumType) and each.type.name == enumeration and each.derivation is None:
            yield pair.new_names.to_stored[each.name]


RETURNING_RULES = (_returning,)
