"""Random histories of uploads, writes and sweeps leave exactly the bytes that a naive model expects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count as numbers
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import SWEEP_DELAY, PendingFile
from stratabase.core.domain.files.stored_file import file_key, pending_key
from stratabase.core.domain.issues.refusals import FileNotFound, PendingFileGone, Refused
from stratabase.core.domain.objects.entity import Entity, Reference, part_ids
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import Create, PartsCommand, Update, UpdateBulk
from stratabase.core.model.types.file import FileType
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.write.bulk import update_bulk
from stratabase.core.operations.write.services import save
from tests.contract.engine.engine_calls import settle
from tests.contract.engine.lagging import LaggingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.files.file_scenario import ADA, BEN, CLEO, HOUR, MODEL, FileScenario, reference_to
from tests.fakes import unlimited_budget
from tests.soak import count, seed

STEPS = 25
DAY = 24 * HOUR
MEMBERS = (ADA, BEN, CLEO)
ATTRIBUTES = {
    class_.name: [each.name for each in class_.attributes.values() if isinstance(each.type, FileType)]
    for class_ in MODEL.classes.values()
}
PARTS = {"Photo": ("prints", "Print"), "Album": ("pages", "Page")}
"""By class: the role with the parts, and their class."""
WHOLES = ("Photo", "Letter", "Album")
TARGETS = [(name, attribute) for name, attributes in ATTRIBUTES.items() for attribute in attributes]
Files = dict[str, bytes]
"""By attribute: the content of the files of an object."""


@dataclass
class Upload:
    """An upload, as the naive model knows it."""

    pending: PendingFile
    content: bytes
    owner: Caller
    is_gone: bool = False
    """Whether an object has taken it, or the sweep has condemned it."""

    def serves(self, caller: Caller, now: int) -> bool:
        """Return whether a member can use it."""
        return (
            not self.is_gone and (caller.administrator or caller == self.owner) and now < self.pending.expires
        )


NONE: list[Upload] = []
NEW: list[Upload] = []
"""Stands for a new upload."""


@dataclass
class Known:
    """An object, as the naive model knows it."""

    files: Files
    parts: list[Reference] = field(default_factory=list)
    exists: bool = True
    versions: dict[int, tuple[Files, list[Reference]]] = field(default_factory=dict)
    """By start: the files and the parts."""


class Histories(RuleBasedStateMachine):
    """Members and the sweep use a service, whose clock jumps."""

    engine_of = staticmethod(ReferenceEngine)

    @initialize()
    def begin(self) -> None:
        self.scenario = FileScenario(self.engine_of())
        self.uploads: list[Upload] = []
        self.objects: dict[Reference, Known] = {}
        self.numbers = numbers()
        self.latest = self.scenario.clock.instant

    # What members do.

    @rule(address=st.sampled_from(TARGETS), caller=st.sampled_from(MEMBERS))
    def upload(self, address: tuple[str, str], caller: Caller) -> None:
        class_name, attribute = address
        self._upload(class_name, attribute, ADA if attribute == "secret" else caller)

    def _upload(self, class_name: str, attribute: str, caller: Caller) -> Upload:
        content = f"content {next(self.numbers)}".encode()
        pending = self.scenario.upload(content, attribute, class_name, caller=caller)
        self.latest = max(self.latest, self.scenario.clock.instant)
        self.uploads.append(Upload(pending, content, caller))
        return self.uploads[-1]

    @rule(data=st.data(), class_name=st.sampled_from(WHOLES), caller=st.sampled_from(MEMBERS))
    def create(self, data: st.DataObject, class_name: str, caller: Caller) -> None:
        chosen, parts = self._draw(data, class_name), self._draw_parts(data, class_name)
        values = {name: self._reference(upload) for name, upload in chosen.items()}
        command = Create(class_name, values, roles=self._roles(class_name, create=parts))
        entity = self._save(command, caller, chosen, *parts)
        if entity is not None:
            self._know(entity, self._contents(chosen), self._new_parts(entity, parts))

    @rule(data=st.data(), caller=st.sampled_from(MEMBERS))
    def update(self, data: st.DataObject, caller: Caller) -> None:
        """Replace and clear files, and add, change and delete parts."""
        reference = self._draw_object(data, WHOLES)
        if reference is None:
            return
        known, class_name = self.objects[reference], reference.class_name
        chosen, parts = self._draw(data, class_name), self._draw_parts(data, class_name)
        cleared = data.draw(st.sets(st.sampled_from(ATTRIBUTES[class_name])), "cleared")
        values: dict[str, Any] = dict.fromkeys(cleared - {"secret"})
        values |= {name: self._reference(upload) for name, upload in chosen.items()}
        lost = data.draw(st.sets(st.sampled_from(known.parts))) if known.parts else set()
        changed = [part for part in known.parts if part not in lost][:1]
        part_files = [self._draw(data, part.class_name) for part in changed]
        roles = self._roles(
            class_name,
            create=parts,
            update=[
                Update(part, {name: self._reference(upload) for name, upload in files.items()})
                for part, files in zip(changed, part_files, strict=True)
            ],
            delete=[part.id for part in lost],
        )
        entity = self._save(Update(reference, values, roles=roles), caller, chosen, *parts, *part_files)
        if entity is None:
            return
        for part in lost:
            self._forget(part)
        for part, files in zip(changed, part_files, strict=True):
            self._know_part(part, {**self.objects[part].files, **self._contents(files)})
        kept = {name: content for name, content in known.files.items() if name not in values}
        left = [part for part in known.parts if part not in lost]
        self._know(entity, {**kept, **self._contents(chosen)}, self._new_parts(entity, parts, left))

    @rule(data=st.data(), clears=st.booleans())
    def update_bulk(self, data: st.DataObject, clears: bool) -> None:
        """Set the thumbnail of all photos. A file can be given to only one."""
        photos = [each for each, known in self.objects.items() if each.class_name == "Photo" and known.exists]
        upload = None if clears else self._draw(data, "Photo").get("thumbnail")
        settle(self.scenario.engine)
        command = UpdateBulk("Photo", {"thumbnail": upload and self._reference(upload)})
        now = self.scenario.clock.instant
        is_allowed = upload is None or (
            len(photos) == 1 and self._serves(upload, BEN, "Photo", "thumbnail", now)
        )
        query, evaluation = Query("Photo", Order(), window=Window(50)), evaluation_context(BEN, now)
        try:
            update_bulk(self.scenario.services, command, query, BEN, unlimited_budget(), evaluation)
        except Refused:
            assert photos
            assert not is_allowed
            return
        assert is_allowed or not photos
        for photo in photos:
            self.objects[photo].files.pop("thumbnail", None)
            if upload is not None:
                self.objects[photo].files["thumbnail"] = upload.content
                upload.is_gone = True

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        reference = self._draw_object(data, WHOLES)
        if reference is not None:
            assert self.scenario.delete(reference)
            self._forget(reference)

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """Restore a version, possibly of a deleted object."""
        versions = [
            (reference, start)
            for reference, known in self.objects.items()
            if reference.class_name in {"Letter", "Album"}
            for start in known.versions
        ]
        if not versions:
            return
        reference, start = data.draw(st.sampled_from(versions), "version")
        files, parts = self.objects[reference].versions[start]
        former = {part: self._as_of(part, start) for part in parts}
        lost = [part for part in self.objects[reference].parts if part not in parts]
        entity = self.scenario.restore(reference, start)
        for part in lost:
            self._forget(part)
        for part, its_files in former.items():
            self._know_part(part, its_files)
        self._know(entity, dict(files), list(parts))

    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        if self.uploads:
            upload = data.draw(st.sampled_from(self.uploads), "upload")
            self.scenario.ledger.withdraw(upload.pending.id)
            upload.is_gone = True

    # What else happens.

    @rule(step=st.sampled_from([1, 1000, HOUR - 1, HOUR, SWEEP_DELAY, 30 * DAY, -1, -HOUR, -2 * DAY]))
    def jump(self, step: int) -> None:
        self.scenario.clock.instant += step

    @rule()
    def sweep(self) -> None:
        self.scenario.sweep_once()
        if isinstance(self.scenario.engine, LaggingEngine):  # the sweep may have overlooked what is due
            self._ask_what_is_gone()
        else:
            self._condemn(self.scenario.clock.instant)

    @precondition(lambda self: self.uploads)
    @rule()
    def sweep_completely(self) -> None:
        settle(self.scenario.engine)
        self.scenario.sweep_once()
        self._condemn(self.scenario.clock.instant)
        pending = {pending_key(each.pending.id) for each in self.uploads if not each.is_gone}
        self.scenario.clock.instant += SWEEP_DELAY
        settle(self.scenario.engine)
        self.scenario.sweep_once()
        self._condemn(self.scenario.clock.instant)
        assert self.scenario.stored_keys() == self._bound_keys() | pending

    def teardown(self) -> None:
        """Sweep when everything is due: only the files of objects and versions are left."""
        if not hasattr(self, "latest"):
            return
        self.scenario.clock.instant = max(self.latest, self.scenario.clock.instant) + 2 * HOUR
        for _ in range(2):
            settle(self.scenario.engine)
            self.scenario.sweep_once()
            self.scenario.clock.instant += SWEEP_DELAY
        self._condemn(self.scenario.clock.instant)
        assert self.scenario.stored_keys() == self._bound_keys()
        self.files_are_there()
        settle(self.scenario.engine)
        assert list(self.scenario.ledger.released.due(self.latest * 2)) == []

    # What must always be true.

    @invariant()
    def files_are_there(self) -> None:
        for reference, known in self.objects.items():
            for name in ATTRIBUTES[reference.class_name]:
                expected = known.files.get(name) if known.exists else None
                assert self._downloaded(reference, name) == expected
                for start, (files, _parts) in known.versions.items():
                    assert self._downloaded(reference, name, start) == files.get(name)

    @invariant()
    def uploads_are_there_for_their_members(self) -> None:
        now = self.scenario.clock.instant
        for upload in self.uploads:
            for member in MEMBERS:
                expected = upload.content if upload.serves(member, now) else None
                assert self._downloaded_pending(upload, member) == expected

    # The naive model.

    def _save(
        self,
        command: Create | Update,
        caller: Caller,
        whole: Mapping[str, Upload],
        *parts: Mapping[str, Upload],
    ) -> Entity | None:
        """Save an object with uploads for it and its parts, if the model expects that this succeeds.

        Otherwise, assert that it is refused.
        """
        class_name = command.class_name if isinstance(command, Create) else command.reference.class_name
        part_class = PARTS[class_name][1] if parts else ""
        now = self.scenario.clock.instant
        used = [upload for files in (whole, *parts) for upload in files.values()]
        is_allowed = (
            all(self._serves(upload, caller, class_name, name, now) for name, upload in whole.items())
            and all(
                self._serves(upload, caller, part_class, name, now)
                for files in parts
                for name, upload in files.items()
            )
            and len({upload.pending.id for upload in used}) == len(used)
        )
        if not is_allowed:
            with pytest.raises(Refused):
                save(self.scenario.services, command, caller)
            return None
        entity = save(self.scenario.services, command, caller).entity
        for upload in used:
            upload.is_gone = True
        return entity

    @staticmethod
    def _serves(upload: Upload, caller: Caller, class_name: str, attribute: str, now: int) -> bool:
        return upload.pending.target == (class_name, attribute) and upload.serves(caller, now)

    def _know(self, entity: Entity, files: Files, parts: list[Reference]) -> None:
        known = self.objects.setdefault(entity.reference, Known({}))
        known.files, known.parts, known.exists = files, parts, True
        if MODEL.classes[entity.reference.class_name].versioned:
            assert entity.start is not None
            known.versions.setdefault(entity.start, (dict(files), list(parts)))

    def _know_part(self, reference: Reference, files: Files) -> None:
        (entity,) = self.scenario.services.entities.read([reference])
        assert entity is not None
        self._know(entity, files, [])

    def _new_parts(
        self,
        entity: Entity,
        parts: list[dict[str, Upload]],
        before: Sequence[Reference] = (),
    ) -> list[Reference]:
        """Return the parts of an object, after the model knows the new ones."""
        if entity.reference.class_name not in PARTS:
            return []
        role, part_class = PARTS[entity.reference.class_name]
        found = [Reference(part_class, id_) for id_ in part_ids(entity.state.get(role))]
        assert found[: len(before)] == [*before]
        for reference, files in zip(found[len(before) :], parts, strict=True):
            self._know_part(reference, self._contents(files))
        return found

    def _forget(self, reference: Reference) -> None:
        known = self.objects[reference]
        for part in known.parts:
            self._forget(part)
        known.files, known.parts, known.exists = {}, [], False

    def _as_of(self, part: Reference, instant: int) -> Files:
        versions = self.objects[part].versions
        return dict(versions[max(start for start in versions if start <= instant)][0])

    def _condemn(self, now: int) -> None:
        """Mark what a sweep makes unusable."""
        for upload in self.uploads:
            upload.is_gone |= upload.pending.expires + SWEEP_DELAY <= now

    def _ask_what_is_gone(self) -> None:
        for upload in self.uploads:
            (pending,) = self.scenario.ledger.pending([upload.pending.id])
            is_due = upload.pending.expires + SWEEP_DELAY <= self.scenario.clock.instant
            assert upload.is_gone or is_due or pending is not None
            upload.is_gone |= pending is None

    def _bound_keys(self) -> set[str]:
        by_content = {content: file_id for file_id, content in self.scenario.contents.items()}
        present = [known.files for known in self.objects.values()]
        former = [files for known in self.objects.values() for files, _parts in known.versions.values()]
        return {file_key(by_content[each]) for files in (*present, *former) for each in files.values()}

    # Choices.

    def _draw(self, data: st.DataObject, class_name: str) -> dict[str, Upload]:
        """Choose uploads for some attributes: mostly fitting ones, sometimes any."""
        chosen = {}
        for name in [each for each in ATTRIBUTES[class_name] if each != "secret"]:
            fitting = [each for each in self.uploads if each.pending.target == (class_name, name)]
            useful = [each for each in fitting if not each.is_gone]
            among = data.draw(st.sampled_from([NONE, NEW, NEW, useful, fitting, self.uploads]), name)
            if among is NEW:
                chosen[name] = self._upload(class_name, name, BEN)
            elif among:
                chosen[name] = data.draw(st.sampled_from(among))
        return chosen

    def _draw_parts(self, data: st.DataObject, class_name: str) -> list[dict[str, Upload]]:
        if class_name not in PARTS:
            return []
        return [self._draw(data, PARTS[class_name][1]) for _ in range(data.draw(st.integers(0, 2), "parts"))]

    def _draw_object(self, data: st.DataObject, classes: tuple[str, ...]) -> Reference | None:
        found = [each for each, known in self.objects.items() if known.exists and each.class_name in classes]
        return data.draw(st.sampled_from(found), "object") if found else None

    @staticmethod
    def _reference(upload: Upload) -> dict[str, Any]:
        return reference_to(upload.pending)

    def _roles(
        self,
        class_name: str,
        create: list[dict[str, Upload]],
        update: Sequence[Update] = (),
        delete: Sequence[str] = (),
    ) -> dict[str, PartsCommand]:
        if class_name not in PARTS:
            return {}
        role, part_class = PARTS[class_name]
        created = [
            Create(part_class, {name: self._reference(upload) for name, upload in files.items()})
            for files in create
        ]
        return {role: PartsCommand(create=created, update=update, delete=delete)}

    @staticmethod
    def _contents(chosen: Mapping[str, Upload]) -> Files:
        return {name: upload.content for name, upload in chosen.items()}

    def _downloaded(self, reference: Reference, name: str, version: int | None = None) -> bytes | None:
        try:
            return self.scenario.download(reference, name, version, ADA)
        except FileNotFound:
            return None

    def _downloaded_pending(self, upload: Upload, caller: Caller) -> bytes | None:
        try:
            return self.scenario.download_pending(upload.pending, caller)
        except PendingFileGone:
            return None
        except FileNotFound:
            # No profile but the administrator's sees that there is such an attribute.
            assert upload.pending.target.attribute == "secret"
            assert not caller.administrator
            return None


class LaggingHistories(Histories):
    """The same over an engine whose indexes lag."""

    engine_of = staticmethod(lambda: LaggingEngine(seed()))


for machine in (Histories, LaggingHistories):
    machine.TestCase.settings = settings(max_examples=count(30, 1000), stateful_step_count=STEPS)
TestHistories = pytest.mark.soak(Histories.TestCase)
TestLaggingHistories = pytest.mark.soak(LaggingHistories.TestCase)
