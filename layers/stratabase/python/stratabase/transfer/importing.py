"""Writes an export to an empty store: as the writes of objects would have left it.

The layout code of the store makes all items: heads with index entries and counts, versions, guards, links and
former links. Links of foreign keys begin and end with the versions that have the keys.

The store keeps how far the import has come. The same import can be stopped at any point and repeated: what it
writes again is the same. An import of another export is refused meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.objects.change import Change, Creation, Tombstone
from stratabase.core.domain.objects.entity import Entity, SerialName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.attribute import KEPT
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.store.engine.actions import new_commit_id
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import (
    MAX_ACTIONS,
    NO_EXPECTATION,
    Action,
    Batch,
    Engine,
    Key,
    Put,
)
from stratabase.core.store.indexes.registry_cache import RegistryCache, WriteSchema
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.layout.associations import ForeignKey
from stratabase.core.store.layout.object_items import guard_item, index_places
from stratabase.core.store.write.association_changes import AssociationChanges, KeyReference, link_actions
from stratabase.core.store.write.commit import MAX_BATCH_BYTES, action_bytes
from stratabase.core.store.write.guard_writes import ExclusiveClaim, exclusive_claims, unique_claims
from stratabase.core.store.write.serials import raise_counter
from stratabase.transfer.checking import (
    ExportCheck,
    ExportedObject,
    ExportReader,
    check_contents,
    parse_ledger,
    parse_serial,
)
from stratabase.transfer.format import FILES, PENDING_WORK, SERIALS, ReportDone, text_field
from stratabase.transfer.records import ImportedObject
from stratabase.transfer.store_state import DONE, ImportProgress, read_progress

_ITEMS_SIDE_BY_SIDE = 400
"""The number of items that are written to a remote store in parallel, before the progress is stored."""

_MAX_BYTES = MAX_BATCH_BYTES - 16 * 1024
"""The maximum size of the items of a commit. The rest is for the progress."""

StepReport = Callable[[str], ReportDone]
"""Takes the title of a step, and returns the function that takes the progress of the step."""


class StoreNotEmpty(Exception):
    """The store has objects already, or another import has begun. The text says how to fix it."""


class ImportedAlready(Exception):
    """The store has the objects of this export. The text says so."""


class Import:
    """One import into a store."""

    def __init__(
        self,
        folder: Path,
        reader: ExportReader,
        engine: Engine,
        parallel_map: ParallelMap | None,
    ) -> None:
        """`parallel_map`: runs several commits of a remote engine. None: the engine is embedded."""
        self._folder = folder
        self._reader = reader
        self._engine = engine
        self._registry = RegistryCache(engine, reader.model, associations=reader.associations)
        self._digest = reader.manifest.digest()
        self._commit_id = f"import{self._digest[:24]}"
        self._parallel_map = parallel_map

    @property
    def schema(self) -> WriteSchema:
        """What writes of the store will maintain. To read it writes nothing."""
        cache = RegistryCache(
            self._engine, self._reader.model, associations=self._reader.associations, read_only=True
        )
        return cache.write_schema()

    def check(self, check: ExportCheck, report: StepReport) -> bool:
        """Check the export and the store; return whether an earlier run of this import has begun.

        `report`: takes the title of a step, and returns what reports its progress. Raises InvalidExport,
        StoreNotEmpty, ImportedAlready, Unavailable. Nothing is written.
        """
        progress = read_progress(self._engine)
        is_done = progress is not None and progress.step == DONE
        if progress is not None and progress.export != self._digest and not is_done:
            raise StoreNotEmpty(
                "The import of another export into this store has begun and is not finished. Finish it with "
                "the folder of that export, or use an empty store."
            )
        if progress is None or is_done:
            self._check_empty(is_own=progress is not None and progress.export == self._digest)
        check_contents(self._folder, self._reader.manifest, report("Checksums"))
        check.run(report("Checking"))
        return progress is not None and not is_done

    def _check_empty(self, *, is_own: bool) -> None:
        for item in chain.from_iterable(self._engine.scan()):
            if keys.is_in_object(item.key):
                if is_own:
                    raise ImportedAlready(f"{self._folder} was imported already. Nothing was changed.")
                shown = self._reader.shown(keys.reference_of(item.key))
                raise StoreNotEmpty(
                    f"The store has objects already, such as {shown.class_name} {shown.id}. An export can "
                    "only be imported into an empty store. Use another one."
                )

    def run(self, check: ExportCheck, blobs: Callable[[], BlobStore], report: StepReport) -> None:
        """Write the objects and files of the export, from where an earlier run has stopped.

        The import is not finished before `finish` is called. Raises InvalidExport, Unavailable.
        """
        progress = read_progress(self._engine)
        if progress is None or progress.step == DONE:
            progress = ImportProgress(self._digest)
        self._save(progress)
        steps: list[tuple[str, Callable[[str, ReportDone], None]]] = [
            (FILES, lambda after, done: self._write_files(blobs, after, done)),
            # The order must be the same if the import continues after the model was edited.
            *(
                (name, lambda after, done, name=name: self._write_class(check, name, after, done))
                for name in sorted(self._reader.records)
            ),
            ("links/", self._write_pairs),
            (SERIALS, self._write_serials),
            (PENDING_WORK, self._write_ledgers),
        ]
        names = [name for name, _ in steps]
        # A class without objects may have been removed from the model meanwhile. Then all is written again.
        first = names.index(progress.step) if progress.step in names else 0
        for name, write in steps[first:]:
            after = progress.after if name == progress.step else ""
            self._save(ImportProgress(self._digest, name, after))
            write(after, report(name))

    def finish(self) -> None:
        """Store that everything is imported. Raises Unavailable."""
        self._save(ImportProgress(self._digest, DONE))

    def _save(self, progress: ImportProgress) -> None:
        self._commit(progress.put())

    def _commit(self, action: Action) -> None:
        self._engine.commit(Batch(new_commit_id("import"), (action,)))

    # The steps.

    def _write_files(self, blobs: Callable[[], BlobStore], after: str, done: ReportDone) -> None:
        for line in self._reader.lines(FILES):
            if line.number > _number(after):
                key, path = file_key(text_field(line, "id")), self._reader.file_path(line)
                size = int(line.record["size"])
                if blobs().size(key) != size:
                    blobs().put(key, _chunks(path), size)
                if not line.number % 100:
                    self._save(ImportProgress(self._digest, FILES, str(line.number)))
            done(1)

    def _write_class(self, check: ExportCheck, name: str, after: str, done: ReportDone) -> None:
        writer = self._writer(name)
        for each in self._reader.objects(name):
            if each.reference.id > after:
                writer.add(self._object_actions(check, each), each.reference.id)
            done(1)
        writer.flush()

    def _write_pairs(self, after: str, done: ReportDone) -> None:
        writer = self._writer("links/")
        for number, (_line, pair) in enumerate(self._reader.pairs(), 1):
            if number > _number(after):
                writer.add(link_actions(AssociationChanges(pairs_linked=(pair,)), 0), str(number))
            done(1)
        writer.flush()

    def _write_serials(self, _after: str, done: ReportDone) -> None:
        for line in self._reader.lines(SERIALS):
            role, last = parse_serial(line, self._reader)
            raise_counter(self._engine, SerialName(*role), last)
            done(1)

    def _write_ledgers(self, after: str, done: ReportDone) -> None:
        writer = self._writer(PENDING_WORK)
        for line in self._reader.lines(PENDING_WORK):
            if line.number > _number(after):
                writer.add((Put(parse_ledger(line)),), str(line.number))
            done(1)
        writer.flush()

    def _writer(self, step: str) -> "_Writer":
        return _Writer(
            self._engine,
            self._parallel_map,
            lambda after: ImportProgress(self._digest, step, after).put(),
        )

    # The items of an object.

    def _object_actions(self, check: ExportCheck, each: ExportedObject) -> Iterator[Action]:
        """Yield the writes of an object's versions, links, guards, and head."""
        associations, class_name = self._reader.associations, each.reference.class_name
        for version in each.versions:
            yield Put(version.item(self._commit_id))
        for foreign_key in associations.foreign_keys(class_name):
            yield from _former_links(foreign_key, each)
        present = each.present
        if isinstance(present, Tombstone):
            listing = self._registry.write_schema().deleted_listing(class_name)
            yield Put(object_items.tombstone_item(present, self._commit_id, listing))
        if not isinstance(present, ImportedObject):
            return
        item = present.item(self._commit_id)
        entity = codec.entity_of(item, self._reader.model.classes[class_name])
        for foreign_key in associations.foreign_keys(class_name):
            if (target := foreign_key.target_of(entity)) is not None:
                reference = KeyReference(foreign_key, present.reference.id, target)
                start = _start_of_key(foreign_key, target, each.versions, present)
                yield from link_actions(AssociationChanges(keys_set=(reference,)), start)
        yield from self._guards(each, present, entity)
        schema = self._registry.write_schema()
        if KEPT in entity.state:
            self._record_unread(entity)
            schema = self._registry.write_schema()
        counts = {
            codec.count_attribute(role): check.count(present.reference, role)
            for role in associations.counted_roles(class_name)
        }
        places = index_places(entity, schema.paths(class_name))
        yield Put(replace(item, attributes={**item.attributes, **counts}, places=places))

    def _guards(self, each: ExportedObject, present: ImportedObject, entity: Entity) -> Iterator[Action]:
        schema, id_ = self._registry.write_schema(), present.reference.id
        for key in unique_claims(schema.constraints(present.reference.class_name), entity):
            yield Put(guard_item(key, id_))
        claims: Mapping[Key, ExclusiveClaim] = exclusive_claims(
            self._reader.associations, present.reference, entity
        )
        for key, claim in claims.items():
            start = _start_of_key(claim.foreign_key, claim.target, each.versions, present)
            yield Put(guard_item(key, id_, start))

    def _record_unread(self, entity: Entity) -> None:
        """Record in the registry if an object has a text which an enum column does not read."""
        schema = self._registry.write_schema()
        if unread := schema.newly_unread(Change("", 0, (Creation(entity),))):
            record = schema.violation_record((), unread=unread)
            if record is not None:
                self._commit(record)
                self._registry.invalidate()


class _Writer:
    """Collects the writes of objects, commits many of them together, and stores how far they have come.

    An embedded engine commits many items as fast as one. For a remote one, a transaction costs twice as much
    as its items, and items that are written again do no harm. So it writes them one by one, in parallel.
    """

    def __init__(
        self, engine: Engine, parallel_map: ParallelMap | None, checkpoint: Callable[[str], Put]
    ) -> None:
        """`parallel_map`: of a remote engine. `checkpoint`: returns the write that stores the progress."""
        self._engine = engine
        self._parallel_map = parallel_map
        self._max_items = MAX_ACTIONS - 1 if parallel_map is None else _ITEMS_SIDE_BY_SIDE
        self._checkpoint = checkpoint
        self._puts: dict[Key, Put] = {}
        self._size = 0
        self._after = ""

    def add(self, actions: Iterable[Action], after: str) -> None:
        """Add the writes of an object. `after`: the progress when they are done."""
        for action in actions:
            assert isinstance(action, Put)
            size = action_bytes(action)
            if len(self._puts) == self._max_items or self._size + size > _MAX_BYTES:
                self.flush()
            # An import that is repeated finds what it has written before.
            self._puts[action.key] = replace(action, expect=NO_EXPECTATION)
            self._size += size
        self._after = after

    def flush(self) -> None:
        """Write all that was added, and the progress."""
        puts, progress = tuple(self._puts.values()), self._checkpoint(self._after)
        if self._parallel_map is None:
            self._commit(*puts, progress)
        else:
            self._parallel_map(self._commit, puts)
            self._commit(progress)
        self._puts.clear()
        self._size = 0

    def _commit(self, *puts: Put) -> None:
        self._engine.commit(Batch(new_commit_id("import"), puts))


def _start_of_key(
    foreign_key: ForeignKey, target: str, history: Sequence[Any], present: ImportedObject
) -> Instant:
    """Return when an object got its foreign key: the start of the first of its latest versions with it."""
    start = present.start
    for version in reversed(history):
        if version.end != start or version.state.get(foreign_key.role.role_name) != target:
            break
        start = version.start
    return start


def _former_links(foreign_key: ForeignKey, each: ExportedObject) -> Iterator[Action]:
    """Yield the former links that the versions of an object have left: with the last end of each key."""
    if foreign_key.former_role is None:
        return
    name = foreign_key.role.role_name
    states: list[tuple[Instant, Instant | None, Any]] = [
        (version.start, version.end, version.state.get(name)) for version in each.versions
    ]
    if isinstance(each.present, ImportedObject):
        states.append((each.present.start, None, each.present.state.get(name)))
    ends: dict[str, Instant] = {}
    for number, (_start, end, target) in enumerate(states):
        following = states[number + 1] if number + 1 < len(states) else None
        goes_on = following is not None and following[0] == end and following[2] == target
        if isinstance(target, str) and end is not None and not goes_on:
            ends[target] = end
    for target, end in ends.items():
        reference = KeyReference(foreign_key, each.reference.id, target)
        for action in link_actions(AssociationChanges(keys_cleared=(reference,)), end):
            if isinstance(action, Put):
                yield action


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(256 * 1024):
            yield chunk


def _number(text: str) -> int:
    return int(text or 0)
