"""The differences between two versions of an object."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

from stratabase.core.domain.files.stored_file import shown_file
from stratabase.core.domain.objects.entity import Entity, part_ids
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, PlatformAttribute, Role
from stratabase.core.model.types.base import Stored
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from stratabase.values.frozen import frozen


@frozen
class AttributeChange:
    """An attribute or role that differs between two versions.

    `old` and `new` are its values as JSON text, None for null.
    """

    name: str
    old: str | None
    new: str | None
    changed_by: str | None = None
    """The username of the member who made the last such change, if the class records it."""
    changed_on: Instant | None = None
    """The start of the version with the last such change."""


def changed_names(class_: Class, old: Entity | None, new: Entity | None) -> list[str]:
    """Return the names of the attributes and roles that differ, in the model's order.

    All values of an object that does not exist (None) are null.
    """
    return [name for name in _names(class_) if _value(name, old) != _value(name, new)]


def attribute_change(class_: Class, name: str, old: Entity | None, new: Entity | None) -> AttributeChange:
    """Return the change of one attribute or role, without `changed_by` and `changed_on`."""
    return AttributeChange(name, _as_json(class_, name, old), _as_json(class_, name, new))


def last_changes(
    names: Iterable[str], newest_first: Iterable[Entity], first: Entity | None
) -> Iterator[tuple[str, Entity]]:
    """Yield each name that changed, with the version that changed it last.

    `newest_first`: the versions to look through. `first`: the version before all of them, None if the object
    did not exist. The function stops reading versions as soon as it has found all `wanted` names.
    """
    remaining = set(names)
    # If nothing precedes the first version, `first` is None: the first version then set all its values.
    for new, old in pairwise(chain(newest_first, [first])):
        for name in [name for name in remaining if _value(name, new) != _value(name, old)]:
            remaining.remove(name)
            assert new is not None
            yield name, new
        if not remaining:
            return


def changed_by(version: Entity) -> str | None:
    """Return the username of the member who made a version, if its class records it."""
    name = version.state.get(PlatformAttribute.LAST_MODIFIED_BY.value)
    return name if isinstance(name, str) else None


def _names(class_: Class) -> Iterator[str]:
    """Yield the names that versions store: attributes, keys, and lists of parts."""
    yield from (name for name, each in class_.attributes.items() if each.origin is not Origin.DERIVED)
    yield from (name for name, role in class_.roles.items() if role.holds_key or role.composition)


def _value(name: str, entity: Entity | None) -> Stored:
    return None if entity is None else entity.state.get(name)


def _as_json(class_: Class, name: str, entity: Entity | None) -> str | None:
    """Return a value as JSON text, as answers show it, except that dates and times are in ISO 8601.

    So clients can send these values back, whatever the member's formats are.
    """
    value = _value(name, entity)
    if value is None:
        return None
    role = class_.roles.get(name)
    shown = _plain(class_.attributes[name], value) if role is None else _ids(role, value)
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


def _plain(attribute: Attribute, value: Stored) -> Any:
    if isinstance(value, Mapping):
        return shown_file(value)
    if attribute.type.takes_format or not attribute.type.has_serializer:
        return value
    return attribute.type.serializer("default", DEFAULT_FORMATS)(value)


def _ids(role: Role, value: Stored) -> Any:
    return part_ids(value) if role.many else value
