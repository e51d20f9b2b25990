"""Checks an export against a model before anything is written.

The check reads all lines. A temporary database holds what the check must compare across lines: which objects
exist, which objects need which guards, and which objects others lead to. So the memory does not grow with the
export. The import takes the counts of required roles from the same database.
"""

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import orjson

from stratabase.core.domain.files.pending_file import is_file_id
from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.domain.objects.entity import SINGLETON_ID, Reference, RoleName
from stratabase.core.model.model import ClassKind, Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.engine.port import Item, Key
from stratabase.core.store.file_references import stored_file_ids
from stratabase.core.store.indexes.registry_cache import WriteSchema
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.associations import Associations, LinkedPair
from stratabase.core.store.layout.ledgers import kept_ledger
from stratabase.core.store.name_translation import NameTranslation
from stratabase.core.store.write.guard_writes import UniqueClaim, exclusive_claims, unique_claims
from stratabase.evolution.erasure.erased_ids import ErasedId
from stratabase.evolution.erasure.erased_list import ERASED_FILE, parse_record, translated
from stratabase.transfer.format import (
    FILE_FOLDER,
    FILES,
    MEMBERS,
    MODEL,
    PENDING_WORK,
    SERIALS,
    ExportedFile,
    InvalidExport,
    Line,
    Manifest,
    ReportDone,
    check_content,
    links_file,
    objects_file,
    read_lines,
    text_field,
    versions_file,
)
from stratabase.transfer.records import (
    ID_FIELD,
    TARGET,
    ClassRecords,
    ImportedObject,
    ImportedVersion,
    other_ids,
)

MAX_NAMED = 20
"""The maximum number of links that lead nowhere to list."""
_TABLES = (
    "CREATE TABLE objects (class TEXT, id TEXT, PRIMARY KEY (class, id)) WITHOUT ROWID",
    "CREATE TABLE guards (key TEXT PRIMARY KEY, id TEXT) WITHOUT ROWID",
    "CREATE TABLE targets (class TEXT, id TEXT, role TEXT, owner TEXT)",
    "CREATE TABLE counts (class TEXT, id TEXT, role TEXT, number INTEGER, PRIMARY KEY (class, id, role))",
)
_COUNT = (
    "INSERT INTO counts VALUES (?, ?, ?, 1) ON CONFLICT (class, id, role) DO UPDATE SET number = number + 1"
)
_DANGLING = (
    "FROM targets WHERE NOT EXISTS "
    "(SELECT 1 FROM objects WHERE objects.class = targets.class AND objects.id = targets.id)"
)


class ExportedObject(NamedTuple):
    """All that an export has of one object, with stored names."""

    line: Line
    """The line of the object; of its last version if it has none."""
    reference: Reference
    versions: Sequence[ImportedVersion]
    present: ImportedObject | Tombstone | None
    """The object or its deletion. None for an object that only has versions."""


class Dangling(NamedTuple):
    """A role of an object that leads to an object which the export does not have."""

    owner: Reference
    role: RoleName
    target: Reference


class ExportReader:
    """Reads the lines of an export as the objects, links and counters of a model. Raises InvalidExport."""

    def __init__(self, folder: Path, manifest: Manifest, model: Model) -> None:
        self.manifest = manifest
        self._folder = folder
        self._names = StoredNames(model)
        self._to_stored = NameTranslation.to_stored(self._names)
        self.model = self._names.stored_model
        """The model with stored names."""
        self.associations = Associations(self.model)
        self.records = {
            name: ClassRecords(model.classes[name], each)
            for name, each in self._names.classes.items()
            if model.classes[name].is_stored
        }
        """By name of the class."""
        self._link_roles = self._check_files(manifest)

    def _check_files(self, manifest: Manifest) -> Mapping[str, RoleName]:
        """Return the stored roles with links by their files. Raises InvalidExport for unknown files."""
        known = {MODEL, MEMBERS, SERIALS, FILES, PENDING_WORK, ERASED_FILE}
        for name in self.records:
            known |= {objects_file(name), versions_file(name)}
        roles = {
            links_file(self._to_stored.inverse.role(role)): role
            for role in self.associations.by_role
            if "." not in role.role_name
        }
        for name in manifest.files:
            if name in known or name in roles:
                continue
            kind, _, rest = name.partition("/")
            if kind == "links":
                raise InvalidExport(
                    f"{name}: the model has no links for the role {rest.removesuffix('.jsonl')}. "
                    "Use the model of the export."
                )
            raise InvalidExport(
                f"{name}: the model has no class {rest.removesuffix('.jsonl')}. Add the class to the model, "
                "or use the model of the export."
            )
        return {name: role for name, role in roles.items() if name in manifest.files}

    def objects(self, class_name: str) -> Iterator[ExportedObject]:
        """Yield the objects of a class in the order of their ids. `class_name`: of the model."""
        records = self.records[class_name]
        heads = _by_id(read_lines(self._folder, objects_file(class_name)))
        histories = _by_id(read_lines(self._folder, versions_file(class_name)))
        for id_, lines, history in _merge(heads, histories):
            versions = [records.parse_version(line) for line in history]
            for before, after, line in zip(versions, versions[1:], history[1:], strict=False):
                if after.start < before.end:
                    raise line.refuse("The version begins before the one on the line before it ends.")
            if len(lines) > 1:
                raise lines[1].refuse(f"There are two objects with the _id {id_}.")
            present = records.parse_object(lines[0]) if lines else None
            line = (lines or history)[-1]
            yield ExportedObject(line, Reference(records.stored_name, id_), versions, present)

    def pairs(self) -> Iterator[tuple[Line, LinkedPair]]:
        """Yield the links of associations without foreign keys."""
        for name, role in sorted(self._link_roles.items()):
            for line in read_lines(self._folder, name):
                yield line, self.associations.pair(role, text_field(line, ID_FIELD), text_field(line, TARGET))

    def lines(self, name: str) -> Iterator[Line]:
        """Yield the lines of a file."""
        return read_lines(self._folder, name)

    def erased(self) -> list[ErasedId]:
        """Return the list of erased ids, with stored names. Raises InvalidExport."""
        return [self._erased_id(line) for line in self.lines(ERASED_FILE)]

    def _erased_id(self, line: Line) -> ErasedId:
        try:
            return translated(parse_record(line.record), self._to_stored)
        except ValueError as error:
            raise line.refuse(str(error)) from error

    def file_path(self, line: Line) -> Path:
        """Return the path of a file of an object by its line."""
        id_ = text_field(line, "id")
        if not is_file_id(id_):
            raise line.refuse(f"{id_!r} is not an ID of a file.")
        return self._folder / FILE_FOLDER / id_

    def shown_role(self, role: RoleName) -> RoleName:
        """Return a stored role with the names of the model."""
        return self._to_stored.inverse.role(role)

    def shown(self, reference: Reference) -> Reference:
        """Return the reference of an object with the name of the model's class."""
        return self._to_stored.inverse.reference(reference)


class ExportCheck:
    """The check of an export, and what the import must know of the whole export."""

    def __init__(self, reader: ExportReader, schema: WriteSchema) -> None:
        """Make an empty temporary database. `schema`: that of the store into which the export is imported."""
        self._reader = reader
        self._schema = schema
        self.objects = 0
        """The number of objects and deleted objects that were checked."""
        self._files = {text_field(line, "id") for line in reader.lines(FILES)}
        self.missing_files = 0
        """The number of references to files that the export does not have."""
        self._folder = tempfile.TemporaryDirectory(prefix="stratabase-import-")
        self._database = sqlite3.connect(Path(self._folder.name) / "check.db", isolation_level=None)
        for statement in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", *_TABLES, "BEGIN"):
            self._database.execute(statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Remove the temporary database."""
        self._database.close()
        self._folder.cleanup()

    def run(self, report: ReportDone = lambda _: None) -> None:
        """Check all lines. Raises InvalidExport for the first one that can't be imported."""
        try:
            for name in self._reader.records:
                for each in self._reader.objects(name):
                    self._add(each)
                    self.objects += 1
                    report(1)
            for _line, pair in self._reader.pairs():
                self._add_pair(pair)
        except sqlite3.OperationalError as error:  # such as a full disk
            raise OSError(
                None, f"the check needs room for temporary files ({error})", self._folder.name
            ) from error
        for line in self._reader.lines(SERIALS):
            parse_serial(line, self._reader)
        for line in self._reader.lines(PENDING_WORK):
            parse_ledger(line)
        self._reader.erased()

    def count(self, reference: Reference, role: RoleName) -> int:
        """Return how many associations a required role of an object has."""
        found = self._database.execute(
            "SELECT number FROM counts WHERE class = ? AND id = ? AND role = ?",
            (*reference, f"{role}"),
        ).fetchone()
        return 0 if found is None else int(found[0])

    def dangling(self) -> tuple[int, list[Dangling]]:
        """Return the number of roles that lead to objects which do not exist, and the first of them."""
        (number,) = self._database.execute(f"SELECT count(*) {_DANGLING}").fetchone()
        rows = self._database.execute(
            f"SELECT class, id, role, owner {_DANGLING} ORDER BY role, owner, id LIMIT {MAX_NAMED}"
        )
        return number, [self._dangling(*row) for row in rows]

    def _dangling(self, class_name: str, id_: str, role: str, owner: str) -> Dangling:
        owner_class, name = role.split(".", 1)
        shown = self._reader
        return Dangling(
            shown.shown(Reference(owner_class, owner)),
            shown.shown_role(RoleName(owner_class, name)),
            shown.shown(Reference(class_name, id_)),
        )

    def _add(self, each: ExportedObject) -> None:
        present, class_name = each.present, each.reference.class_name
        for version in each.versions:
            self._note_files(version.item(""))
        if not isinstance(present, ImportedObject):
            return
        class_ = self._reader.model.classes[class_name]
        if class_.kind is ClassKind.SINGLETON and each.reference.id != SINGLETON_ID:
            raise each.line.refuse(f"The only object of {class_name} has the _id {SINGLETON_ID}.")
        self._database.execute("INSERT INTO objects VALUES (?, ?)", each.reference)
        head = present.item("")
        self._note_files(head)
        entity = codec.entity_of(head, class_)
        claims = {
            **unique_claims(self._schema.constraints(class_name), entity),
            **exclusive_claims(self._reader.associations, each.reference, entity),
        }
        for key, claim in claims.items():
            self._claim(each, f"{key.partition}", claim)
        for role, id_ in other_ids(class_, present.state):
            self._target(Reference(role.target, id_), RoleName(class_name, role.name), each.reference.id)
        for foreign_key in self._reader.associations.foreign_keys(class_name):
            if (target := foreign_key.target_of(entity)) is not None:
                for role_name in foreign_key.counted_roles:
                    self._count(Reference(foreign_key.target, target), role_name)

    def _note_files(self, item: Item) -> None:
        self.missing_files += sum(id_ not in self._files for id_ in stored_file_ids(item))

    def _claim(self, each: ExportedObject, key: str, claim: object) -> None:
        try:
            self._database.execute("INSERT INTO guards VALUES (?, ?)", (key, each.reference.id))
        except sqlite3.IntegrityError:
            (other,) = self._database.execute("SELECT id FROM guards WHERE key = ?", (key,)).fetchone()
            shown = self._reader.shown(each.reference)
            if isinstance(claim, UniqueClaim):
                names = ", ".join(
                    self._reader.shown_role(RoleName(each.reference.class_name, name)).role_name
                    for name in claim.constraint.unique.attributes
                )
                what = f"have the same values of @unique({names})"
            else:
                what = "have a one-to-one role that leads to the same object"
            raise each.line.refuse(
                f"The {shown.class_name} objects {other} and {each.reference.id} {what}. "
                "Change one of them where the data comes from, and export it again."
            ) from None

    def _add_pair(self, pair: LinkedPair) -> None:
        (near, owner, _), (far, target, _) = pair.sides()
        self._target(target, near.role, owner.id)
        self._target(owner, far.role, target.id)
        for end, reference in ((near, owner), (far, target)):
            if end.required:
                self._count(reference, end.role)

    def _target(self, target: Reference, role: RoleName, owner: str) -> None:
        if self._reader.model.classes[target.class_name].kind is not ClassKind.SINGLETON:
            self._database.execute("INSERT INTO targets VALUES (?, ?, ?, ?)", (*target, str(role), owner))

    def _count(self, reference: Reference, role: RoleName) -> None:
        self._database.execute(_COUNT, (*reference, str(role)))


def check_contents(folder: Path, manifest: Manifest, report: ReportDone = lambda _: None) -> None:
    """Raise InvalidExport unless all files are as the export has written them. Report each file."""
    for name, expected in manifest.files.items():
        if name.startswith("/") or ".." in name.split("/"):
            raise InvalidExport(f"The manifest names the file {name!r}, which is not in the export.")
        check_content(folder, name, expected)
        report(1)
    for line in read_lines(folder, FILES):
        id_, size = text_field(line, "id"), line.record.get("size")
        if not is_file_id(id_) or not isinstance(size, int):
            raise line.refuse("The line must have the ID of a file, and its size in bytes.")
        check_content(folder, f"{FILE_FOLDER}/{id_}", ExportedFile(0, size, text_field(line, "sha256")))
        report(1)


def parse_serial(line: Line, reader: ExportReader) -> tuple[RoleName, int]:
    """Return the Serial attribute and the last number of a line, with stored names. Raises InvalidExport."""
    class_name, attribute = text_field(line, "class"), text_field(line, "attribute")
    last, records = line.record.get("last"), reader.records.get(class_name)
    if not isinstance(last, int) or isinstance(last, bool) or last < 0:
        raise line.refuse('"last" must be a whole number that is not negative.')
    if records is None:
        raise line.refuse(f"The model has no class {class_name}. Use the model of the export.")
    return RoleName(records.stored_name, records.stored_name_of(line, attribute)), last


def parse_ledger(line: Line) -> Item:
    """Return the item of a ledger from its line. Raises InvalidExport."""
    key = Key(text_field(line, "partition"), text_field(line, "sort"))
    attributes, state = line.record.get("attributes"), line.record.get("state")
    if not keys.is_ledger(key) or not isinstance(attributes, dict) or not isinstance(state, dict | None):
        raise line.refuse("The line must be as an export writes it. Export again.")
    return kept_ledger(key, attributes, None if state is None else orjson.dumps(state).decode())


def _by_id(lines: Iterator[Line]) -> Iterator[tuple[str, list[Line]]]:
    """Yield the lines of each object. Raises InvalidExport if the ids are not in order."""
    last = ""
    for id_, group in groupby(lines, lambda line: text_field(line, ID_FIELD)):
        found = list(group)
        if id_.encode() < last.encode():
            raise found[0].refuse("The lines must be in the order of their _id.")
        last = id_
        yield id_, found


def _merge(
    heads: Iterator[tuple[str, list[Line]]], histories: Iterator[tuple[str, list[Line]]]
) -> Iterator[tuple[str, list[Line], list[Line]]]:
    """Yield for each id: the lines of the object and of its versions. Both are in the order of ids."""
    head, history = next(heads, None), next(histories, None)
    while head is not None or history is not None:
        id_ = min(each[0] for each in (head, history) if each is not None)
        own: list[Line] = []
        past: list[Line] = []
        if head is not None and head[0] == id_:
            own, head = head[1], next(heads, None)
        if history is not None and history[0] == id_:
            past, history = history[1], next(histories, None)
        yield id_, own, past
