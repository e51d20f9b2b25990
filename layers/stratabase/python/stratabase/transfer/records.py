"""Converts between the items of a store and the records of an export.

A record is the JSON object of one line. It has the names of the model. Values that the model does not show,
such as those of removed attributes, are apart from the others, under their stored names.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from stratabase.core.domain.files.pending_file import is_file_id
from stratabase.core.domain.files.stored_file import stored_file
from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant, format_instant, parse_instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.objects.version import Author
from stratabase.core.domain.write.limits import MAX_OBJECT_BYTES
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, Role
from stratabase.core.model.stored_names import ClassNames
from stratabase.core.store.engine.port import Item
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.layout.codec import lock_attributes, lock_of
from stratabase.core.store.layout.object_items import DELETED, VersionFrame
from stratabase.transfer.format import Line

ID_FIELD, _START, _END, _PREVIOUS = "_id", "_versionStart", "_versionEnd", "_previousStart"
_DELETED_ON = "_deletedOn"
_AUTHOR = "_author"
_LOCK = "_lock"
_AUTHOR_FIELDS = ("member", "means", "commit")
_VALUES, _OTHER = "values", "otherValues"
TARGET = "target"
_HEAD_FIELDS = frozenset({ID_FIELD, _START, _PREVIOUS, _AUTHOR, _LOCK, _VALUES, _OTHER})
_TOMBSTONE_FIELDS = frozenset({ID_FIELD, _DELETED_ON, _PREVIOUS, _AUTHOR})
_VERSION_FIELDS = frozenset({ID_FIELD, _START, _END, _PREVIOUS, _AUTHOR, _VALUES, _OTHER})
_MAX_NAMED = 30
"""The maximum number of attributes and roles that an error lists."""


class ImportedVersion(NamedTuple):
    """A closed version from an export, with stored names."""

    reference: Reference
    frame: VersionFrame
    state: Mapping[str, Any]

    @property
    def start(self) -> Instant:
        """When the version began."""
        return self.frame.start

    @property
    def end(self) -> Instant:
        """When the version ended."""
        return self.frame.end

    def item(self, commit_id: str) -> Item:
        """Return the item of the version."""
        return object_items.version_item(self.reference, self.frame, commit_id, _stored_text(self.state))


class ImportedObject(NamedTuple):
    """An object from an export, with stored names."""

    reference: Reference
    start: Instant
    previous: Instant | None
    author: Author | None
    lock: Lock | None
    state: Mapping[str, Any]

    def item(self, commit_id: str) -> Item:
        """Return the head of the object, without index entries and counts."""
        attributes = {
            codec.COMMIT_IDS: [commit_id],
            codec.VERSION_START_ATTRIBUTE: self.start,
            **codec.previous_start_attributes(self.previous),
            **codec.author_attributes(self.author, self.start),
            **({} if self.lock is None else lock_attributes(self.lock)),
        }
        return Item(keys.head(self.reference), attributes, _stored_text(self.state))


def _stored_text(state: Mapping[str, Any]) -> str:
    """Return a state with stored names as it is stored."""
    return orjson.dumps(state).decode()


class ClassRecords:
    """The conversion for one class."""

    def __init__(self, class_: Class, names: ClassNames) -> None:
        """`class_`: with the names of the model."""
        self.name = class_.name
        self.stored_name = names.stored_name
        self._names = names
        self._stored = {names.to_stored[name]: each for name, each in class_.attributes.items()}
        """By stored name: the attributes."""
        self._roles = {names.to_stored[name]: each for name, each in class_.roles.items()}

    # Export.

    def object_record(self, head: Item) -> dict[str, Any] | None:
        """Return the record of a head or tombstone. None for the head of a singleton with only counts."""
        id_ = keys.id_of(head.key)
        if DELETED in head.attributes:
            tombstone = object_items.read_tombstone(head)
            assert tombstone is not None
            return {
                ID_FIELD: id_,
                _DELETED_ON: format_instant(tombstone.last_end),
                _PREVIOUS: format_instant(tombstone.previous_start),
                **_author_field(tombstone.author),
            }
        if not codec.is_written(head):
            return None
        state = orjson.loads(head.state or "{}")
        start = codec.head_start(head, {**state, ID_FIELD: id_})
        lock = lock_of(head)
        return {
            ID_FIELD: id_,
            _START: format_instant(start),
            **_previous(head),
            **_author_field(codec.recorded_author(head.attributes, start)),
            **({} if lock is None else {_LOCK: {**lock._asdict(), "until": format_instant(lock.until)}}),
            **self._values(state),
        }

    def version_record(self, item: Item) -> dict[str, Any]:
        """Return the record of a closed version."""
        start, end = item.attributes[object_items.START], item.attributes[object_items.END]
        assert isinstance(start, int)
        assert isinstance(end, int)
        return {
            ID_FIELD: keys.id_of(item.key),
            _START: format_instant(start),
            _END: format_instant(end),
            **_previous(item),
            **_author_field(codec.recorded_author(item.attributes, start)),
            **self._values(orjson.loads(item.state or "{}")),
        }

    def _values(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a stored state: those that the model shows, and the others."""
        values, other = dict[str, Any](), dict[str, Any]()
        for stored_name, raw in state.items():
            name = self._names.from_stored.get(stored_name, stored_name)
            attribute = self._stored.get(stored_name)
            if attribute is None:
                is_role = stored_name in self._roles
                (values if is_role else other)[name if is_role else stored_name] = raw
            elif raw is None or _is_readable(attribute, raw, stored=True):
                values[name] = self._shown_value(attribute, raw)
            else:
                other[stored_name] = raw
        return {_VALUES: values, _OTHER: other} if other else {_VALUES: values}

    def _shown_value(self, attribute: Attribute, raw: Any) -> Any:
        renames = self._names.renamed_values.get(attribute.name)
        return renames.from_stored.get(raw, raw) if renames and isinstance(raw, str) else raw

    # Import.

    def parse_object(self, line: Line) -> ImportedObject | Tombstone:
        """Return the object or the deletion of a line. Raises InvalidExport."""
        reference = Reference(self.stored_name, _id(line))
        if _DELETED_ON in line.record:
            _check_fields(line, _TOMBSTONE_FIELDS)
            ended, previous = _instant(line, _DELETED_ON), _instant(line, _PREVIOUS)
            return Tombstone(reference, ended, previous, author=_author(line))
        _check_fields(line, _HEAD_FIELDS)
        return ImportedObject(
            reference,
            _instant(line, _START),
            _instant(line, _PREVIOUS) if _PREVIOUS in line.record else None,
            _author(line),
            _lock(line),
            self._state(line),
        )

    def parse_version(self, line: Line) -> ImportedVersion:
        """Return the closed version of a line. Raises InvalidExport."""
        _check_fields(line, _VERSION_FIELDS)
        previous = _instant(line, _PREVIOUS) if _PREVIOUS in line.record else None
        frame = VersionFrame(_instant(line, _START), _instant(line, _END), previous, _author(line))
        version = ImportedVersion(Reference(self.stored_name, _id(line)), frame, self._state(line))
        if version.start >= version.end:
            raise line.refuse(f"{_END} must be after {_START}.")
        return version

    def _state(self, line: Line) -> dict[str, Any]:
        values, other = line.record.get(_VALUES), line.record.get(_OTHER, {})
        if not isinstance(values, dict) or not isinstance(other, dict):
            raise line.refuse(f'"{_VALUES}" and "{_OTHER}" must be JSON objects.')
        state = dict(other)
        for name, value in values.items():
            stored_name = self.stored_name_of(line, name)
            state[stored_name] = self._stored_value(line, name, stored_name, value)
        size = len(orjson.dumps(state))
        if size > MAX_OBJECT_BYTES:
            raise line.refuse(f"The object has {size:,} bytes. The maximum is {MAX_OBJECT_BYTES:,}.")
        return state

    def stored_name_of(self, line: Line, name: str) -> str:
        """Return the stored name of an attribute or role. `name` may also be the name before a rename.

        Raises InvalidExport.
        """
        stored = self._names.to_stored.get(name, name)
        if stored in self._stored or stored in self._roles:
            return stored
        known = [*self._names.to_stored][:_MAX_NAMED]
        raise line.refuse(
            f"{self.name} has no attribute or role {name!r}. The model has: {', '.join(known)}. Add it to "
            f"the model, or mark the attribute that has its values with @renamed(from: {name!r})."
        )

    def _stored_value(self, line: Line, name: str, stored_name: str, value: Any) -> Any:
        role = self._roles.get(stored_name)
        if role is not None:
            return self._role_value(line, role, value)
        attribute = self._stored[stored_name]
        if attribute.origin is Origin.DERIVED:
            raise line.refuse(f"{self.name}.{name} is derived, so it has no stored value. Remove the value.")
        if value is not None and not _is_readable(attribute, value, stored=False):
            raise line.refuse(
                f"{self.name}.{name} is {attribute.type.name} in the model, and can't have the value "
                f"{orjson.dumps(value).decode()[:100]}. Use the model of the export, "
                "or convert the values there."
            )
        if attribute.type.holds_file and value is not None and not _is_file(value):
            raise line.refuse(
                f"{self.name}.{name} must have fileId, name, mimeType, size and uploadedOn of a file, as an "
                "export writes them."
            )
        renames = self._names.renamed_values.get(attribute.name)
        return renames.to_stored.get(value, value) if renames and isinstance(value, str) else value

    def _role_value(self, line: Line, role: Role, value: Any) -> Any:
        label = f"{self.name}.{role.name}"
        if not (role.holds_key or role.composition or role.whole):
            raise line.refuse(
                f"{label} has links in the model, but the export has a key. Use the model of the export."
            )
        is_list = role.composition and role.many
        ids = value if is_list and isinstance(value, list) else [] if is_list else [value]
        if (is_list and not isinstance(value, list)) or not all(
            isinstance(each, str) or (each is None and not is_list) for each in ids
        ):
            wanted = "a list of _ids" if is_list else "an _id"
            raise line.refuse(f"{label} must be {wanted} of {role.target}. Use the model of the export.")
        return value


def other_ids(class_: Class, state: Mapping[str, Any]) -> Iterator[tuple[Role, str]]:
    """Yield the roles in a state with the ids that they lead to."""
    for role in class_.roles.values():
        value = state.get(role.name)
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, str):
                yield role, each


def _is_readable(attribute: Attribute, value: Any, *, stored: bool) -> bool:
    """Return whether a type reads a value. `stored`: the value of an enum has its stored name."""
    type_ = attribute.type
    shown = type_.renames.from_stored.get(value, value) if stored and isinstance(value, str) else value
    return type_.read_stored(shown) is not None


def _is_file(value: Any) -> bool:
    """Return whether a value is that of a File attribute with a file."""
    try:
        file = stored_file(value)
    except (KeyError, TypeError, ValueError):
        return False
    return (
        file is not None
        and is_file_id(file.file_id)
        and all(isinstance(each, str) for each in (file.name, file.mime_type))
        and isinstance(file.size, int)
    )


def _previous(item: Item) -> dict[str, str]:
    previous = codec.previous_start(item)
    return {} if previous is None else {_PREVIOUS: format_instant(previous)}


def _author_field(author: Author | None) -> dict[str, dict[str, str]]:
    return {} if author is None else {_AUTHOR: dict(zip(_AUTHOR_FIELDS, author, strict=True))}


def _author(line: Line) -> Author | None:
    author = line.record.get(_AUTHOR)
    if author is None:
        return None
    if not isinstance(author, dict) or not all(isinstance(author.get(each), str) for each in _AUTHOR_FIELDS):
        raise line.refuse(f'"{_AUTHOR}" must have the texts {", ".join(_AUTHOR_FIELDS)}.')
    return Author(*map(author.__getitem__, _AUTHOR_FIELDS))


def _check_fields(line: Line, known: frozenset[str]) -> None:
    if unknown := line.record.keys() - known:
        raise line.refuse(f"The field {min(unknown)!r} is unknown. Use: {', '.join(sorted(known))}.")


def _id(line: Line) -> str:
    id_ = line.record.get(ID_FIELD)
    if not isinstance(id_, str) or not id_:
        raise line.refuse(f'"{ID_FIELD}" must be a text that is not empty.')
    return id_


def _instant(line: Line, name: str) -> Instant:
    value = line.record.get(name)
    try:
        return parse_instant(value if isinstance(value, str) else "")
    except (ValueError, TypeError):
        raise line.refuse(f'"{name}" must be an instant such as 2026-01-31T10:00:00.000Z.') from None


def _lock(line: Line) -> Lock | None:
    lock = line.record.get(_LOCK)
    if lock is None:
        return None
    if not isinstance(lock, dict) or not all(isinstance(lock.get(each), str) for each in Lock._fields):
        raise line.refuse(f'"{_LOCK}" must have the texts owner, name and until.')
    until = _instant(line._replace(record=lock), "until")
    return Lock(lock["owner"], lock["name"], until)
