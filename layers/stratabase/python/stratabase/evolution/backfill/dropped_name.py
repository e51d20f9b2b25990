"""Finds what to erase for a name given to `stratabase model drop`, or says why it cannot be erased."""

from collections.abc import Iterator, Sequence

from stratabase.core.model.model import Enumeration, Model
from stratabase.core.model.stored_names import NameKind, StoredNames
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.store.catalog.catalog import Catalog, CatalogName
from stratabase.evolution.backfill.drop import (
    ClassErasure,
    EnumValueErasure,
    Erasure,
    MemberErasure,
)
from stratabase.values.wording import nearest_word

_MAX_NAMED = 10
"""The maximum number of removed names in a message."""
_MAX_PARTS = 3
"""The number of parts of the longest name: class, attribute and enum value."""


class CannotDrop(Exception):
    """A name that cannot be dropped. The text says why, and what would be right."""


def find_erasure(text: str, catalog: Catalog, model: Model, *, unlisted: bool = False) -> Erasure:
    """Return what to erase for a stored name: `Employee.nickname`, `Team`, `Status.OLD`. Raises CannotDrop.

    `model`: of today. `unlisted`: also accept a name that the catalog does not have, because it was removed
    before Stratabase kept a catalog.
    """
    parts = text.split(".")
    if len(parts) > _MAX_PARTS or not all(parts):
        raise CannotDrop(f'"{text}" is not a name. {_FORMS}')
    stored = StoredNames(model).stored_model
    if in_use := _use(parts, stored, model):
        raise CannotDrop(in_use)
    for erasure in _candidates(parts, catalog, stored):
        if unlisted or any(name in catalog.entries for name in erasure.names(catalog)):
            return erasure
    raise CannotDrop(_unknown(text, catalog))


_FORMS = "Use CLASS, CLASS.attribute, CLASS.role, ENUM.VALUE or CLASS.attribute.VALUE."


def _candidates(parts: Sequence[str], catalog: Catalog, stored: Model) -> Iterator[Erasure]:
    """Yield what a name can mean, the most likely first."""
    label = ".".join(parts)
    if len(parts) == 1:
        yield ClassErasure(parts[0])
        return
    owner, name, *rest = parts
    if rest:
        if forms := _forms(catalog, owner, name):
            yield EnumValueErasure(label, rest[0], frozenset({(owner, name)}), forms)
        return
    if CatalogName(NameKind.ENUM_VALUE, owner, name) in catalog.entries:
        holders = frozenset(_holders(owner, catalog, stored))
        yield EnumValueErasure(label, name, holders, (owner,))
    yield MemberErasure(owner, name)


def _forms(catalog: Catalog, owner: str, name: str) -> tuple[str, ...]:
    """Return the types that an attribute had."""
    entry = catalog.entries.get(CatalogName(NameKind.ATTRIBUTE, owner, name))
    return () if entry is None else entry.forms


def _holders(enumeration: str, catalog: Catalog, stored: Model) -> Iterator[tuple[str, str]]:
    """Yield the attributes that can hold values of an enum, and that cannot read every text today."""
    for name, entry in catalog.entries.items():
        if name.kind is NameKind.ATTRIBUTE and enumeration in entry.forms:
            class_ = stored.classes.get(name.owner)
            today = None if class_ is None else class_.attributes.get(name.name)
            if today is None or isinstance(today.type, EnumType):
                yield name.owner, name.name


def _use(parts: Sequence[str], stored: Model, model: Model) -> str:
    """Return why the model of today still needs a stored name, an empty text if it does not."""
    owner, *rest = parts
    label = ".".join(parts)
    if owner in stored.enumerations:
        return _use_of_value(label, rest, model.enumerations[owner])
    class_ = stored.classes.get(owner)
    if class_ is None or (rest and rest[0] not in {*class_.attributes, *class_.roles}):
        return ""
    names = StoredNames(model).by_stored_name[owner]
    today = ".".join([names.name, *(names.from_stored[each] for each in rest[:1])])
    if len(rest) < _MAX_PARTS - 1:
        return _still_has(label, today)
    attribute = class_.attributes.get(rest[0])
    if attribute is None or not isinstance(attribute.type, EnumType):
        type_name = "a role" if attribute is None else f"of type {attribute.type.name}"
        return f"{today} is {type_name}. You can drop a value only of an attribute whose type is an enum."
    return _still_has(label, f"{today}.{rest[1]}") if rest[1] in attribute.type.values else ""


def _use_of_value(label: str, rest: Sequence[str], enumeration: Enumeration) -> str:
    """Return why the model of today still needs a stored value of an enum, an empty text if it does not."""
    stored_values = {enumeration.renamed_from.get(value, value): value for value in enumeration.values}
    if len(rest) != 1:
        return f"{enumeration.name} is an enum. Name one of its removed values, as in {enumeration.name}.OLD."
    return (
        _still_has(label, f"{enumeration.name}.{stored_values[rest[0]]}") if rest[0] in stored_values else ""
    )


def _still_has(label: str, today: str) -> str:
    renamed = "" if today == label else f", as {today}"
    return f"The model still has {label}{renamed}. Remove it from the model first, then drop it."


def _unknown(text: str, catalog: Catalog) -> str:
    removed = sorted({str(name) for name in catalog.removed() if name.kind is not NameKind.PROFILE})
    near = nearest_word(text, tuple(removed))
    if near:
        return f'Nothing was ever stored under the name "{text}". Did you mean {near}?'
    if not removed:
        return f'Nothing was ever stored under the name "{text}", and no name was removed from the model.'
    listed = ", ".join(removed[:_MAX_NAMED]) + (", …" if len(removed) > _MAX_NAMED else "")
    return f'Nothing was ever stored under the name "{text}". Removed names: {listed}.'
