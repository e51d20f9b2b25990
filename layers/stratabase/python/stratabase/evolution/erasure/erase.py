"""Erases objects with their parts and versions, in steps that can be interrupted and repeated.

1. `begin` checks that the object may be deleted, and writes the ids of the object and its parts to the list
   of erased ids, with a job that finishes what is interrupted.
2. The object is deleted like any other, by an ordinary commit: its associations end, and concurrent writes
   fail. Then its tombstone is removed together with a note in the list. From then on, nobody can restore it.
3. `steps` removes all that is left: in items of other objects and in kept answers, in scans that are repeated
   until one finds nothing; then the bytes of files; then the items of the object and its parts.
4. An embedded database is rebuilt, and the list keeps nothing but ids and instants.

An import and a restore erase what the list has in the same way. They delete without the checks of step 1,
because the object was erased when it could be.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.issues.refusals import Conflicting, NotFound, Refused, Unavailable
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import (
    Reference,
    describe_object,
    normalize_reference,
    part_ids,
    whole_of,
)
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.commands import Delete, PartsCommand, Update
from stratabase.core.jobs.job import Job, JobKind
from stratabase.core.model.model import ClassKind, Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.pipeline import Write
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import (
    ITEMS,
    MAX_ACTIONS,
    NOT_EXISTS,
    Action,
    Batch,
    Bounds,
    Check,
    DeleteItem,
    Engine,
    Item,
    Put,
)
from stratabase.core.store.file_references import stored_file_ids
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout import codec, jobs, keys, ledgers
from stratabase.core.store.layout.object_items import expect_as_read, live_head
from stratabase.core.store.name_translation import NameTranslation
from stratabase.core.store.write.commit import fits_in_one_commit
from stratabase.core.store.write.job_queue import EngineQueue
from stratabase.evolution.backfill.object_erasure import MAX_REFERRERS, ErasedValues, ObjectErasure
from stratabase.evolution.backfill.rewrite import Checkpoint, ItemRewriter, RepeatedScan
from stratabase.evolution.erasure import erased_ids
from stratabase.evolution.erasure.erased_ids import BEGUN, DONE, GONE, ErasedId
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

KIND = "erasures"
HOLD = 60_000
"""The milliseconds for which a job leaves an erasure to the request or command that has begun it."""
_ALL_VERSIONS = Bounds(keys.VERSIONS, f"{keys.VERSIONS[:-1]}$", high_included=False)
_FILES_AT_ONCE = 100
_PARTS_AT_ONCE = 100
_MAX_ROUNDS = 20
"""The number of times that a deletion begins again, because somebody has restored the object meanwhile."""


@frozen
class Receipt:
    """What an erasure has erased, and what it left. All names are those of the model."""

    reference: Reference
    erased_on: Instant
    is_complete: bool
    removed: Mapping[str, int]
    """How many `objects` (with parts), `versions`, `links`, `uniqueValues`, `files`, and how many
    `references` and `answers` of others. Empty if the object was erased by an import or a restore."""
    referrers: Sequence[Reference] = ()
    """Objects with closed versions that still have the id of the object, or of one of its parts."""
    has_more_referrers: bool = False


class Erasures:
    """Erases objects of a model."""

    def __init__(  # noqa: PLR0913 - the parts of an app
        self,
        services: Services,
        model: Model,
        engine: Engine,
        files: FileStores,
        *,
        parallel_map: ParallelMap = sequential_map,
        vacuum: Callable[[], bool] | None = None,
    ) -> None:
        """`model`: without the classes of members. `vacuum`: rebuilds an embedded database, if it is one."""
        self._services = services
        self._model = model
        self._engine = engine
        self._files = files
        self._vacuum = vacuum
        names = StoredNames(model)
        self._stored_model = names.stored_model
        self._to_stored = NameTranslation.to_stored(names)
        self._registry = RegistryCache(engine, self._stored_model, read_only=True)
        self._parallel_map = parallel_map
        self.queue = EngineQueue(engine, KIND)

    # Begin.

    def begin(self, shown: Reference, caller: Caller) -> Reference:
        """Delete an object for good, unless that was done before; return it with its stored name.

        `shown`: with the name of the model. Afterwards, `steps` erases what is left. Raises NotFound if there
        never was such an object, Conflicting if it may not be deleted, Unavailable.
        """
        shown = normalize_reference(shown)
        self._check_class(shown.class_name)
        root = self._to_stored.reference(shown)
        status = self._status(root)
        closure = self._closure([root])
        exists = any(items for items in closure.values())
        if status in {GONE, DONE} and not (status == DONE and exists):
            return root
        # A deleted object of a class without versions leaves nothing, but perhaps the answer of a request.
        if not exists and (self._model.classes[shown.class_name].versioned or id_timestamp(shown.id) is None):
            raise NotFound(_("The store has nothing of {object}.", object=describe_object(shown)))
        head = live_head(self._head(root))
        if head is not None:
            self._check(shown, caller)
        self._list(root, closure)
        for _round in range(_MAX_ROUNDS):
            if live_head(self._head(root)) is not None:
                try:
                    self._delete(shown, caller)
                except Conflicting:
                    self._withdraw(root)
                    raise
            if self._set_gone(root):
                return root
        raise Unavailable(_("Concurrent writes to the same objects prevented this write. Try again."))

    def _check_class(self, name: str) -> None:
        class_ = self._model.classes.get(name)
        if class_ is None or class_.kind is ClassKind.FORM:
            message = _(
                "The model has no class {class_name} with objects that can be erased.", class_name=name
            )
            raise NotFound(message)
        if class_.kind is ClassKind.SINGLETON:
            message = _(
                "The object of {class_name} always exists, so it can't be erased. Set its values to null.",
                class_name=name,
            )
            raise Conflicting(message)

    def _status(self, root: Reference) -> str:
        (item,) = self._engine.get([keys.erased(root)])
        return "" if item is None else erased_ids.read_entry(item).status

    def _head(self, reference: Reference) -> Item | None:
        (head,) = self._engine.get([keys.head(reference)])
        return head

    def _closure(self, roots: Sequence[Reference]) -> dict[Reference, list[Item]]:
        """Return objects and all parts that they have or had, with their heads, tombstones and versions."""
        found: dict[Reference, list[Item]] = {}
        waiting: list[tuple[Reference, Reference | None]] = [(root, None) for root in roots]
        while waiting:
            reference, whole = waiting.pop()
            if reference in found:
                continue
            items = list(
                chain.from_iterable(self._engine.range(ITEMS, keys.head(reference).partition, _ALL_VERSIONS))
            )
            if whole is not None and self._belongs_elsewhere(reference, items, whole):
                continue
            found[reference] = items
            parts = chain(self._parts(reference, items), self._parts_left(reference))
            waiting += [(part, reference) for part in parts]
        return found

    def _belongs_elsewhere(self, part: Reference, items: Sequence[Item], whole: Reference) -> bool:
        """Return whether a part exists and has another whole now."""
        heads = [item for item in items if item.key.sort == keys.HEAD and live_head(item) is not None]
        if not heads:
            return False
        class_ = self._stored_model.classes[part.class_name]
        now = whole_of(class_, codec.raw_state(heads[0]))
        return now is not None and now.reference != whole

    def _parts(self, reference: Reference, items: Iterable[Item]) -> Iterator[Reference]:
        """Yield the parts in the states of an object."""
        class_ = self._stored_model.classes[reference.class_name]
        if not class_.compositions:
            return
        for item in items:
            state: Mapping[str, Any] = orjson.loads(item.state or "{}")
            for role in class_.compositions:
                yield from (Reference(role.target, id_) for id_ in part_ids(state.get(role.name)))

    def _parts_left(self, reference: Reference) -> Iterator[Reference]:
        """Yield the parts that a large deletion has left for cleanup."""
        pages = self._engine.range(ITEMS, keys.ledgers(reference))
        for ledger in chain.from_iterable(pages):
            if not keys.is_of_restoration(ledger.key) and not keys.is_part_list(ledger.key):
                yield from ledgers.ledger_parts(ledger)

    def _check(self, shown: Reference, caller: Caller) -> None:
        """Raise Conflicting if an object may not be deleted now."""
        outcome = self._write(shown, caller).dry_run()
        if outcome.issues:
            raise Conflicting(Refused(outcome.issues).message)

    def _delete(self, shown: Reference, caller: Caller) -> None:
        try:
            self._write(shown, caller).commit()
        except Refused as refusal:
            if self._services.entities.read([shown])[0] is not None:
                raise Conflicting(refusal.message) from refusal

    def _write(self, shown: Reference, caller: Caller) -> Write:
        """Return the write that deletes an object. A part is deleted by a write of its whole."""
        command: Delete | Update = Delete(shown)
        (entity,) = self._services.entities.read([shown])
        whole = None if entity is None else whole_of(self._model.classes[shown.class_name], entity.state)
        if whole is not None:
            parts = PartsCommand(delete=(shown.id,))
            command = Update(whole.reference, roles={whole.composition: parts})
        return Write(self._services, command, caller, options=WriteOptions(force=True))

    def _list(self, root: Reference, closure: Mapping[Reference, Sequence[Item]]) -> None:
        """Write the entries of an object and its parts, that of the object last, with the job."""
        now = self._services.clock.now()
        heads = {
            each: next((i for i in items if i.key.sort == keys.HEAD), None) for each, items in closure.items()
        }
        parts = [
            Put(erased_ids.entry_item(root, part, now, head)) for part, head in heads.items() if part != root
        ]
        self._commit(parts)
        commit_id = new_commit_id(KIND)
        entry = Put(erased_ids.entry_item(root, None, now, heads[root]))
        job = self.queue.put(_job_key(root), _job_content(root), now + HOLD, commit_id)
        self._engine.commit(Batch(commit_id, (entry, job)))

    def _withdraw(self, root: Reference) -> None:
        """Remove the entries and the job of an erasure that has erased nothing."""
        entries = erased_ids.entries_of(self._engine, root)
        job = DeleteItem(_job_layout().key(_job_key(root)))
        root_entry = DeleteItem(keys.erased(root), erased_ids.IS_BEGUN)
        if entries and is_committed(self._engine, Batch(new_commit_id(KIND), (root_entry, job))):
            self._commit(
                [DeleteItem(keys.erased(root, each.reference)) for each in entries if not each.is_root]
            )

    def _set_gone(self, root: Reference) -> bool:
        """Make sure that a deleted object can't come back; return False if it has come back meanwhile."""
        head = self._head(root)
        if live_head(head) is not None:
            return False
        gone: Action = (
            Check(keys.head(root), NOT_EXISTS) if head is None else DeleteItem(head.key, expect_as_read(head))
        )
        batch = Batch(new_commit_id(KIND), (erased_ids.set_gone(root), gone))
        return is_committed(self._engine, batch) or self._status(root) in {GONE, DONE}

    # Erase what is left.

    def steps(self, root: Reference) -> Iterator[None]:
        """Erase all that is left of an object, and yield after each step. Raises Unavailable.

        Any number of processes can do this at the same time. Each of them ends when all is erased.
        """
        if self._status(root) == GONE:
            yield from self._erase([root], f"erase {root.class_name} {root.id}")

    def run(self, job: Job[str]) -> Iterator[None]:
        """Finish an erasure that was interrupted. One that has not deleted its object yet is withdrawn."""
        root = Reference(*orjson.loads(job.content))
        if self._status(root) == BEGUN:
            if live_head(self._head(root)) is not None:
                self._withdraw(root)
                return
            self._set_gone(root)
        yield from self.steps(root)

    def apply(self, listed: Sequence[ErasedId]) -> Generator[None, None, int]:
        """Erase the objects on a list of erased ids that the store has nevertheless. Yield after each step.

        All entries are added to the list of the store. Return the number of objects. Raises Unavailable.
        """
        known = erased_ids.read_erased(self._engine)
        references = {entry.reference for entry in known}
        new = [entry for entry in listed if entry.reference not in references]
        self._commit([Put(erased_ids.listed_item(each.root, each.reference, each.erased_on)) for each in new])
        yield
        entries = [e for e in erased_ids.read_erased(self._engine) if self._knows(e.reference)]
        back = {entry.root for entry in entries if self._closure([entry.reference])[entry.reference]}
        left = {entry.root for entry in entries if entry.status == GONE} - back
        if back:
            yield from self._erase([*back], "erase what is listed")
        self._finish([e for e in entries if e.root in left and not self._has_job(e.root)], None)
        return len(back)

    def _knows(self, reference: Reference) -> bool:
        """Return whether the model has the class of an object."""
        return reference.class_name in self._stored_model.classes

    def _has_job(self, root: Reference) -> bool:
        return self._engine.get([_job_layout().key(_job_key(root))]) != [None]

    def _erase(self, roots: Sequence[Reference], work: str) -> Iterator[None]:
        checkpoint = Checkpoint(self._engine, work)
        entries = list(chain.from_iterable(erased_ids.entries_of(self._engine, root) for root in roots))
        named = [entry.reference for entry in entries if self._knows(entry.reference)]
        # 1. Delete what an import or a backup has brought back, and what large deletions have left.
        yield from self._delete_for_good(named)
        closure = {each: list[Item]() for each in named} | self._closure(named)
        # 2. Collect what tells that an answer shows one of them, and their files, before all that is gone.
        values, file_ids = self._collect(entries, closure)
        stored = checkpoint.load()
        progress = RepeatedScan.resumed(stored) if stored else RepeatedScan.first()
        progress.setdefault("removed", {**self._count(closure, entries), "files": len(file_ids)})
        progress.setdefault("referrers", [])
        checkpoint.save(progress)
        # 3. Erase what the items of others have.
        plan = ObjectErasure(self._engine, self._stored_model, closure, values)
        yield from self._scan(plan, checkpoint, progress)
        # 4. Erase the bytes of files, then the objects.
        for at in range(0, len(file_ids), _FILES_AT_ONCE):
            self._files.blobs.erase([file_key(id_) for id_ in file_ids[at : at + _FILES_AT_ONCE]])
            yield
        for reference in reversed([*closure]):  # parts first, because the whole tells which ones there are
            yield from self._remove_items(reference)
        # 5. Forget their last states, rebuild the database, and keep the receipt.
        receipt = {"removed": progress["removed"], "referrers": progress["referrers"]}
        self._finish(entries, receipt if len(roots) == 1 else None, checkpoint)
        yield

    def _delete_for_good(self, references: Sequence[Reference]) -> Iterator[None]:
        """Delete objects that exist although they are erased, whoever needs them, with all their parts."""
        for at in range(0, len(references), _PARTS_AT_ONCE):
            some = references[at : at + _PARTS_AT_ONCE]
            heads = self._engine.get([keys.head(reference) for reference in some])
            for reference, head in zip(some, heads, strict=True):
                if live_head(head) is not None:
                    change = Change(new_commit_id(KIND), self._services.clock.now(), ())
                    key = keys.update_purge(reference, change.commit_id)
                    self._commit([Put(ledgers.purge_ledger(key, [reference], change))])
            shown = [self._to_stored.inverse.reference(each) for each in some]
            while self._services.entities.finish_cleanup(shown):
                yield

    def _collect(
        self, entries: Iterable[ErasedId], closure: Mapping[Reference, Sequence[Item]]
    ) -> tuple[ErasedValues, list[str]]:
        """Return the values of erased objects, and the ids of their files."""
        values, file_ids = ErasedValues(self._stored_model), dict[str, None]()
        for entry in entries:
            if entry.status != DONE and self._knows(entry.reference):
                values.add_state(entry.reference.class_name, entry.state)
                values.commit_ids.update(entry.commit_ids)
                file_ids |= dict.fromkeys(stored_file_ids(Item(keys.head(entry.reference), {}, entry.state)))
        for reference, items in closure.items():
            for item in items:
                values.add(reference.class_name, item)
                file_ids |= dict.fromkeys(stored_file_ids(item))
        return values, [*file_ids]

    def _count(
        self, closure: Mapping[Reference, Sequence[Item]], entries: Sequence[ErasedId]
    ) -> dict[str, int]:
        """Return the numbers of objects and versions that are erased. A last state counts as a version."""
        last = {entry.reference for entry in entries if entry.state is not None and entry.status != DONE}
        existing = last | {reference for reference, items in closure.items() if items}
        closed = sum(item.key.sort != keys.HEAD for items in closure.values() for item in items)
        return {"objects": len(existing), "versions": closed}

    def _scan(self, plan: ObjectErasure, checkpoint: Checkpoint, progress: dict[str, Any]) -> Iterator[None]:
        rewriter = ItemRewriter(
            self._engine,
            lambda item: plan.actions(item, self._registry.registry()),
            self._parallel_map,
            local=self._vacuum is not None,
            changed=self._registry.invalidate,
        )
        before, known = dict(progress["removed"]), [*progress["referrers"]]
        for _number in RepeatedScan(self._engine, checkpoint, rewriter).steps(progress):
            progress["removed"] = {**before, **{k: before.get(k, 0) + n for k, n in plan.changed.items()}}
            found = sorted({tuple(each) for each in (*known, *plan.referrers)})
            progress["referrers"] = [[*each] for each in found[: MAX_REFERRERS + 1]]
            yield
        checkpoint.save(progress)

    def _remove_items(self, reference: Reference) -> Iterator[None]:
        """Delete all items of an object and its ledgers. It does not exist any more."""
        for partition in (keys.head(reference).partition, keys.ledgers(reference)):
            for page in self._engine.range(ITEMS, partition):
                self._commit([DeleteItem(item.key) for item in page])
                yield

    def _finish(
        self,
        entries: Iterable[ErasedId],
        receipt: Mapping[str, Any] | None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        """Leave nothing but the list. Raises Unavailable if the database can't be rebuilt now."""
        left = [entry for entry in entries if entry.status != DONE]
        self._commit([erased_ids.finished(each, receipt) for each in left if not each.is_root])
        roots = [each for each in left if each.is_root]
        self._commit([Put(erased_ids.listed_item(each.root, each.root, each.erased_on)) for each in roots])
        if self._vacuum is not None and left and not self._vacuum():
            raise Unavailable(_("Another process uses the database all the time. Try again later."))
        if checkpoint is not None:
            checkpoint.clear()
        self._commit([erased_ids.finished(each, receipt or {}) for each in roots])
        self._commit([DeleteItem(_job_layout().key(_job_key(each.root))) for each in roots])

    def _commit(self, actions: Sequence[Action]) -> None:
        """Commit actions that expect nothing, as many at once as fit in one commit. Raises Unavailable."""
        batch: list[Action] = []
        for action in actions:
            if batch and (len(batch) == MAX_ACTIONS or not fits_in_one_commit([*batch, action])):
                self._engine.commit(Batch(new_commit_id(KIND), tuple(batch)))
                batch = []
            batch.append(action)
        if batch:
            self._engine.commit(Batch(new_commit_id(KIND), tuple(batch)))

    # The receipt, and the job.

    def receipt(self, root: Reference) -> Receipt:
        """Return what was erased of an object so far. `root`: with its stored name."""
        entry = next(each for each in erased_ids.entries_of(self._engine, root) if each.is_root)
        is_complete = entry.status == DONE
        found = (
            orjson.loads(entry.state or "{}")
            if is_complete
            else Checkpoint(self._engine, f"erase {root.class_name} {root.id}").load()
        )
        out = self._to_stored.inverse
        referrers = [out.reference(Reference(*each)) for each in found.get("referrers", ())]
        return Receipt(
            out.reference(root),
            entry.erased_on,
            is_complete,
            {kind: number for kind, number in found.get("removed", {}).items() if number},
            referrers[:MAX_REFERRERS],
            len(referrers) > MAX_REFERRERS,
        )

    def leave_to_job(self, root: Reference) -> None:
        """Let the job finish an erasure now, which this process does not go on with."""
        self.queue.add(_job_key(root), _job_content(root), self._services.clock.now())

    def kinds(self) -> list[JobKind[str]]:
        """Return the kind of job that finishes erasures."""
        return [JobKind(KIND, self.queue, self.run, on_added=self.queue.on_added)]


def _job_key(root: Reference) -> str:
    return f"{root.class_name}#{root.id}"


def _job_content(root: Reference) -> str:
    return orjson.dumps([*root]).decode()


def _job_layout() -> jobs.QueueLayout:
    return jobs.kind_layout(KIND)
