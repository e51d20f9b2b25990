"""The list of erased ids as text: one JSON object in each line, with the names of the model."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from stratabase.core.data_folder import OBJECTS
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import format_instant, parse_instant
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.layout import keys
from stratabase.core.store.name_translation import NameTranslation
from stratabase.core.store.sqlite.snapshot import open_snapshot
from stratabase.evolution.erasure.erased_ids import GONE, ErasedId, erased_entries

ERASED_FILE = "erased.jsonl"
"""The name of the list in an export."""
_CLASS, _ID, _ON, _WHOLE = "class", "_id", "erasedOn", "erasedWith"


class InvalidList(Exception):
    """A file or folder has no list of erased ids. The text says why."""


def translated(entry: ErasedId, translation: NameTranslation) -> ErasedId:
    """Return an entry with the names of another side. Those that the model does not have stay."""
    reference, root = map(translation.reference, (entry.reference, entry.root))
    return entry._replace(reference=reference, root=root)


def list_record(entry: ErasedId) -> dict[str, Any]:
    """Return the line of an entry with the names of the model."""
    whole = {} if entry.is_root else {_WHOLE: {_CLASS: entry.root.class_name, _ID: entry.root.id}}
    return {
        _CLASS: entry.reference.class_name,
        _ID: entry.reference.id,
        _ON: format_instant(entry.erased_on),
        **whole,
    }


def parse_record(record: Mapping[str, Any]) -> ErasedId:
    """Return the entry of a line. Raises ValueError, whose text says what a line must have."""
    try:
        reference = _reference(record)
        root = _reference(record[_WHOLE]) if _WHOLE in record else reference
        erased_on = parse_instant(record[_ON])
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f'a line must have the texts "{_CLASS}" and "{_ID}", and an instant "{_ON}".'
        ) from None
    return ErasedId(reference, root, erased_on, GONE if root == reference else "", None, ())


def _reference(record: Mapping[str, Any]) -> Reference:
    reference = Reference(record[_CLASS], record[_ID])
    if not all(isinstance(each, str) and each for each in reference):
        raise ValueError
    return reference


def read_list(path: Path, model: Model, busy_timeout: float) -> list[ErasedId]:
    """Return the entries of a list, with stored names.

    `path`: a file of `stratabase erase --list`, an export, a data folder, or a backup. Raises InvalidList,
    Unavailable, UnusableStore.
    """
    if (path / OBJECTS).exists():
        with open_snapshot(path / OBJECTS, busy_timeout) as snapshot:
            pages = snapshot.scan()
            items = (item for page in pages for item in page)
            return [*erased_entries(item for item in items if item.key.partition == keys.ERASED)]
    to_stored = NameTranslation.to_stored(StoredNames(model))
    listed = _read_lines(path / ERASED_FILE if path.is_dir() else path)
    return [translated(entry, to_stored) for entry in listed]


def _read_lines(path: Path) -> Iterator[ErasedId]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InvalidList(
            f"{path} can't be read ({error.strerror}). Name a file that `stratabase erase --list` has "
            "written, an export, a backup, or a former data folder."
        ) from error
    for number, line in enumerate(lines, 1):
        try:
            record = orjson.loads(line)
            yield parse_record(record if isinstance(record, dict) else {})
        except ValueError as error:
            reason = "the line is not JSON." if isinstance(error, orjson.JSONDecodeError) else error
            raise InvalidList(f"{path}, line {number}: {reason}") from error
