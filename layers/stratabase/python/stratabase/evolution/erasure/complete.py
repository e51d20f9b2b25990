"""Completes an erasure whose object is gone: erases all that is left, in steps that can be repeated.

First what items of other objects and kept answers have, in scans that are repeated until one finds nothing.
Then the bytes of files, and the items of the object and its parts. An embedded database is rebuilt. In the
end, the list of erased ids has nothing but ids, the instant, and the numbers of the receipt.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson

from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.store.engine.actions import new_commit_id
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import (
    ITEMS,
    Action,
    DeleteItem,
    Engine,
    Item,
    Put,
)
from stratabase.core.store.file_references import stored_file_ids
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout import keys, ledgers
from stratabase.core.store.layout.object_items import live_head
from stratabase.core.store.name_translation import NameTranslation
from stratabase.evolution.backfill.object_erasure import MAX_REFERRERS, ErasedValues, ObjectErasure
from stratabase.evolution.backfill.rewrite import Checkpoint, ItemRewriter, RepeatedScan, commit_all
from stratabase.evolution.erasure import erased_ids
from stratabase.evolution.erasure.begin import KIND, job_key
from stratabase.evolution.erasure.erased_ids import DONE, GONE, ErasedId, status_of
from stratabase.evolution.erasure.parts_ever import PartsEver
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

_FILES_AT_ONCE = 100
_PARTS_AT_ONCE = 100


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


class ErasureCompletion:
    """Erases what is left of objects of a model."""

    def __init__(  # noqa: PLR0913 - the parts of an app
        self,
        services: Services,
        model: Model,
        engine: Engine,
        files: FileStores,
        *,
        parallel_map: ParallelMap,
        vacuum: Callable[[], bool] | None,
    ) -> None:
        """`model`: without the classes of members. `vacuum`: rebuilds an embedded database, if it is one."""
        self._services = services
        self._engine = engine
        self._files = files
        self._vacuum = vacuum
        names = StoredNames(model)
        self._model = names.stored_model
        self._to_stored = NameTranslation.to_stored(names)
        self._parts = PartsEver(engine, names.stored_model)
        self._registry = RegistryCache(engine, names.stored_model, read_only=True)
        self._parallel_map = parallel_map

    def steps(self, root: Reference) -> Iterator[None]:
        """Erase all that is left of an object, and yield after each step. Raises Unavailable.

        Any number of processes can do this at the same time. Each of them ends when all is erased.
        """
        if status_of(self._engine, root) == GONE:
            yield from self._erase([root], f"erase {root.class_name} {root.id}")

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
        back = {entry.root for entry in entries if self._parts.closure([entry.reference])[entry.reference]}
        # An object can be missing while others still have its id: an export that was made during its erasure
        # leaves out the object alone. What has a job is left to it.
        named = {entry.root for entry in listed}
        left = {e.root for e in entries if e.status == GONE or e.root in named}
        if roots := sorted(back | {root for root in left if not self._has_job(root)}):
            yield from self._erase(roots, "erase what is listed")
        return len(back)

    def _knows(self, reference: Reference) -> bool:
        """Return whether the model has the class of an object."""
        return reference.class_name in self._model.classes

    def _has_job(self, root: Reference) -> bool:
        return self._engine.get([job_key(root)]) != [None]

    def _erase(self, roots: Sequence[Reference], work: str) -> Iterator[None]:
        checkpoint = Checkpoint(self._engine, work)
        entries = list(chain.from_iterable(erased_ids.entries_of(self._engine, root) for root in roots))
        named = [entry.reference for entry in entries if self._knows(entry.reference)]
        # 1. Delete what an import or a backup has brought back, and what large deletions have left.
        yield from self._delete_for_good(named)
        closure = {each: list[Item]() for each in named} | self._parts.closure(named)
        # 2. Collect what tells that an answer shows one of them, and their files, before all that is gone.
        values, file_ids = self._collect(entries, closure)
        stored = checkpoint.load()
        progress = RepeatedScan.resumed(stored) if stored else RepeatedScan.first()
        progress.setdefault("removed", {**self._count(closure, entries), "files": len(file_ids)})
        progress.setdefault("referrers", [])
        checkpoint.save(progress)
        # 3. Erase what the items of others have.
        plan = ObjectErasure(self._engine, self._model, closure, values)
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
        values, file_ids = ErasedValues(self._model), dict[str, None]()
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
        if not RepeatedScan.is_clean(progress):  # the objects stay, so that the next run finds their values
            raise Unavailable(_("Concurrent writes to the same objects prevented this write. Try again."))

    def _remove_items(self, reference: Reference) -> Iterator[None]:
        """Delete all items of an object and its ledgers. It does not exist any more."""
        for partition in (keys.head(reference).partition, keys.ledgers(reference)):
            for page in self._engine.range(ITEMS, partition):
                self._commit([DeleteItem(item.key) for item in page])
                yield

    def _finish(
        self, entries: Iterable[ErasedId], receipt: Mapping[str, Any] | None, checkpoint: Checkpoint
    ) -> None:
        """Leave nothing but the list. Raises Unavailable if the database can't be rebuilt now."""
        left = [entry for entry in entries if entry.status != DONE]
        self._commit([erased_ids.finished(each, receipt) for each in left if not each.is_root])
        roots = [each for each in left if each.is_root]
        self._commit([Put(erased_ids.listed_item(each.root, each.root, each.erased_on)) for each in roots])
        if self._vacuum is not None and left and not self._vacuum():
            raise Unavailable(_("Another process uses the database all the time. Try again later."))
        checkpoint.clear()
        self._commit([erased_ids.finished(each, receipt or {}) for each in roots])
        self._commit([DeleteItem(job_key(each.root)) for each in roots])

    def _commit(self, actions: Sequence[Action]) -> None:
        commit_all(self._engine, KIND, actions)

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
