"""Begins an erasure: checks that the object may be deleted, lists it, deletes it, and ends the way back.

The list has the ids of the object and its parts, with their last states, before anything is deleted. A job
that is written with it finishes what is interrupted. The deletion is an ordinary commit. Then the tombstone
is removed together with a note in the list. From then on, nobody can restore the object.
"""

from collections.abc import Mapping, Sequence

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Conflicting, NotFound, Refused, Unavailable
from stratabase.core.domain.objects.entity import Reference, describe_object, normalize_reference, whole_of
from stratabase.core.domain.write.commands import Delete, PartsCommand, Update
from stratabase.core.jobs.job import Job
from stratabase.core.model.model import ClassKind, Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.pipeline import Write
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    DeleteItem,
    Engine,
    Item,
    Key,
    Put,
)
from stratabase.core.store.layout import jobs, keys
from stratabase.core.store.layout.object_items import expect_as_read, live_head
from stratabase.core.store.name_translation import NameTranslation
from stratabase.core.store.write.job_queue import EngineQueue
from stratabase.evolution.backfill.rewrite import commit_all
from stratabase.evolution.erasure import erased_ids
from stratabase.evolution.erasure.erased_ids import BEGUN, DONE, GONE, status_of
from stratabase.evolution.erasure.parts_ever import PartsEver
from stratabase.values.messages import _

KIND = "erasures"
HOLD = 60_000
"""The milliseconds for which a job leaves an erasure to the request or command that has begun it."""
_MAX_ROUNDS = 20
"""The number of times that a deletion begins again, because somebody has restored the object meanwhile."""


def job_key(root: Reference) -> Key:
    """Return the key of the job that finishes an erasure."""
    return jobs.kind_layout(KIND).key(_job_name(root))


def _job_name(root: Reference) -> str:
    return f"{root.class_name}#{root.id}"


def _job_content(root: Reference) -> str:
    return orjson.dumps([*root]).decode()


def _head_of(items: Sequence[Item]) -> Item | None:
    """Return the head or tombstone among the items of an object."""
    return next((item for item in items if item.key.sort == keys.HEAD), None)


def root_of(job: Job[str]) -> Reference:
    """Return the object whose erasure a job finishes."""
    return Reference(*orjson.loads(job.content))


class ErasureBeginning:
    """Begins erasures of objects of a model."""

    def __init__(self, services: Services, model: Model, engine: Engine) -> None:
        """`model`: without the classes of members."""
        self._services = services
        self._model = model
        self._engine = engine
        names = StoredNames(model)
        self._to_stored = NameTranslation.to_stored(names)
        self._parts = PartsEver(engine, names.stored_model)
        self.queue = EngineQueue(engine, KIND)

    def begin(self, shown: Reference, caller: Caller) -> Reference:
        """Delete an object for good, unless that was done before; return it with its stored name.

        `shown`: with the name of the model. Afterwards, `steps` erases what is left. Raises NotFound if there
        never was such an object, Conflicting if it may not be deleted, Unavailable.
        """
        shown = normalize_reference(shown)
        self._check_class(shown.class_name)
        root = self._to_stored.reference(shown)
        status = status_of(self._engine, root)
        closure = self._parts.closure([root])
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

    def _head(self, reference: Reference) -> Item | None:
        (head,) = self._engine.get([keys.head(reference)])
        return head

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
        """Write the entry of an object with the job, then those of its parts.

        If an erasure was interrupted before, its entries of what is deleted since stay: they have the last
        states.
        """
        listed = erased_ids.entries_of(self._engine, root)
        is_repeated = any(entry.is_root and entry.status == BEGUN for entry in listed)
        heads = {reference: _head_of(items) for reference, items in closure.items()}
        kept = {entry.reference for entry in listed if is_repeated and heads.get(entry.reference) is None}
        now, commit_id = self._services.clock.now(), new_commit_id(KIND)
        job = self.queue.put(_job_name(root), _job_content(root), now + HOLD, commit_id)
        entry = Put(erased_ids.entry_item(root, None, now, heads.pop(root)))
        # The job comes first: if this process is stopped here, the job removes the states of parts again.
        self._engine.commit(Batch(commit_id, (job,) if root in kept else (entry, job)))
        self._list_parts(root, {part: head for part, head in heads.items() if part not in kept})

    def _list_parts(self, root: Reference, heads: Mapping[Reference, Item | None]) -> None:
        now = self._services.clock.now()
        entries = [erased_ids.entry_item(root, part, now, head) for part, head in heads.items()]
        commit_all(self._engine, KIND, map(Put, entries))

    def _withdraw(self, root: Reference) -> None:
        """Remove the entries and the job of an erasure that has erased nothing."""
        entries = erased_ids.entries_of(self._engine, root)
        job = DeleteItem(job_key(root))
        root_entry = DeleteItem(keys.erased(root), erased_ids.IS_BEGUN)
        if entries and is_committed(self._engine, Batch(new_commit_id(KIND), (root_entry, job))):
            commit_all(
                self._engine,
                KIND,
                [DeleteItem(keys.erased(root, each.reference)) for each in entries if not each.is_root],
            )

    def _set_gone(self, root: Reference) -> bool:
        """Make sure that a deleted object can't come back; return False if it has come back meanwhile."""
        head = self._head(root)
        if live_head(head) is not None:
            return False
        # Until its deletion, the object can have got parts that are not on the list.
        listed = {entry.reference for entry in erased_ids.entries_of(self._engine, root)}
        closure = self._parts.closure([root]) if listed else {}
        late = {part: _head_of(items) for part, items in closure.items() if part not in listed}
        self._list_parts(root, late)
        gone: Action = (
            Check(keys.head(root), NOT_EXISTS) if head is None else DeleteItem(head.key, expect_as_read(head))
        )
        batch = Batch(new_commit_id(KIND), (erased_ids.set_gone(root), gone))
        return is_committed(self._engine, batch) or status_of(self._engine, root) in {GONE, DONE}

    def settle(self, root: Reference) -> None:
        """Withdraw an erasure that has not deleted its object yet. End the way back of a deleted object."""
        if status_of(self._engine, root) == BEGUN:
            if live_head(self._head(root)) is not None:
                self._withdraw(root)
            else:
                self._set_gone(root)

    def leave_to_job(self, root: Reference) -> None:
        """Let the job finish an erasure now, which this process does not go on with."""
        self.queue.add(_job_name(root), _job_content(root), self._services.clock.now())
