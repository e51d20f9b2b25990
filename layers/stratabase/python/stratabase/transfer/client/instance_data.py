"""Exports and imports of whole instances, with a bar for each step."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stratabase.core.app.app import App
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.operations.files.sweep import hold_files
from stratabase.core.waiting import SystemClock
from stratabase.evolution.app.erasures import erasures
from stratabase.evolution.erasure.erased_ids import ErasedId, read_erased
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.commands.owners import resolve_owners
from stratabase.members.member import describe_shared_addresses
from stratabase.terminal.progress import ProgressBar, StepBars
from stratabase.transfer.checking import ExportCheck, ExportReader
from stratabase.transfer.export import Export, Exported, prepared_folder
from stratabase.transfer.format import MEMBERS, ReportDone
from stratabase.transfer.importing import Import
from stratabase.transfer.members import MemberImport, export_members
from stratabase.transfer.store_state import require_unused, require_whole
from stratabase.values.wording import pluralize


class ExportedMembers(NamedTuple):
    """Whether an export has the members, and the hashes of their passwords."""

    included: bool
    with_password_hashes: bool


def export_instance(instance: App, folder: Path, members: ExportedMembers) -> Iterator[str]:
    """Export everything, and yield lines that say what the export has.

    Raises FolderInUse, InvalidModel, UnusableStore, Unavailable, OSError, CommandError.
    """
    # The model is read first, so that a wrong one leaves no folder. The engine checks the mark of the store.
    export = Export(folder, instance.model, instance.model_text)
    instance.check_store()
    require_whole(instance.engine)
    if members.included:
        instance.part(AuthServices).members.any()  # a refused store is noticed before anything is written
    with prepared_folder(folder):
        yield from _export(instance, export, folder, members)


def _export(instance: App, export: Export, folder: Path, members: ExportedMembers) -> Iterator[str]:
    """Export everything to a prepared folder, and yield lines that say what the export has."""
    copying = ProgressBar("Copying", 0)
    with (
        hold_files(instance.files.ledger, SystemClock()),
        instance.platform.snapshot(instance.engine, folder, copying) as snapshot,
    ):
        copying.clear()
        bar = ProgressBar("Objects", 0)
        export.write_objects(snapshot, bar, read_erased(instance.engine))
        bar.clear()
        yield f"Objects: {_numbers(export.found)}"
        bar = ProgressBar("Files", export.number_of_files, "file")
        if export.number_of_files:
            export.write_files(instance.blobs, bar)
        bar.clear()
        yield f"Files: {export.found['files']:,}"
    if members.included:
        bar = ProgressBar("Members", 0, "member")
        with_hashes = members.with_password_hashes
        export.add(
            export_members(
                folder, instance.part(AuthServices).members, with_password_hashes=with_hashes, report=bar
            )
        )
        bar.clear()
        yield f"Members: {export.lines_of(MEMBERS):,}"
    export.finish()
    yield from _left_out(export.found)
    yield f"The export is in {folder}."


def _numbers(found: Exported) -> str:
    return ", ".join(
        (
            pluralize(found["objects"], "object"),
            pluralize(found["versions"], "earlier version"),
            pluralize(found["links"], "link"),
        )
    )


def _left_out(found: Exported) -> Iterator[str]:
    """Yield lines about what the export lacks."""
    if number := found["missing files"]:
        yield f"{pluralize(number, 'file')} of objects had no bytes. Run `stratabase files check`."
    if number := found["other classes"]:
        yield (
            f"{pluralize(number, 'object')} of classes that the model doesn't have were left out. "
            "`stratabase model drop` shows the classes."
        )


def import_instance(instance: App, folder: Path, reader: ExportReader) -> Iterator[str]:
    """Check an export, write it, and yield lines that say what was found.

    Raises InvalidExport, StoreNotEmpty, ImportedAlready, UnusableStore, Unavailable, CommandError.
    """
    require_unused(instance.settings)
    importing = Import(
        folder,
        reader,
        instance.engine,
        None if instance.platform.is_local(StoreKind.OBJECTS) else instance.platform.parallel_map,
    )
    members = MemberImport(folder, instance.model.profiles)
    with StepBars() as bars, ExportCheck(reader, importing.schema) as check:
        is_resumed = importing.check(check, bars.begin)
        members.check(lambda: instance.part(AuthServices).members)
        if is_resumed:
            yield "An earlier run of this import was interrupted. It continues."
        require_unused(instance.settings)  # the checks can take minutes
        instance.mark_stores()
        importing.run(check, lambda: instance.blobs, bars.begin)
        added = members.run(lambda: instance.part(AuthServices).members, bars.begin("Members"))
        erased = apply_erased(instance, reader.erased(), bars.begin("Erased objects"))
        importing.finish()
        number, dangling = check.dangling()
    if instance.platform.is_local(StoreKind.OBJECTS):
        # As `serve` does, which would read all objects at its next start. A store that served while it was
        # empty counts as done, so all classes are included.
        yield from resolve_owners(instance, again=True)
    yield f"Imported {pluralize(check.objects, 'object')} from {folder}."
    if erased:
        yield f"{pluralize(erased, 'object')} of these had been erased, and were erased again."
    if added:
        yield (
            f"Imported {pluralize(added, 'member')}. To give a password to a member who has none, run "
            "`stratabase members set-password USERNAME`."
        )
    yield from describe_shared_addresses(members.members())
    if check.missing_files:
        files = pluralize(check.missing_files, "file")
        yield f"{files} of objects and versions have no bytes in the export. Run `stratabase files check`."
    if number:
        yield f"{pluralize(number, 'role')} of objects lead nowhere, as they did in the export:"
        yield from (
            f"  {owner.class_name} {owner.id} {role.role_name}: there is no {target.class_name} {target.id}"
            for owner, role, target in dangling
        )
        if number > len(dangling):
            yield f"  and {number - len(dangling):,} more"


def apply_erased(instance: App, listed: Sequence[ErasedId], report: ReportDone) -> int:
    """Erase what was erased before and has come back; return the number of these objects.

    `listed`: entries beside those of the store, with stored names. Raises Unavailable.
    """
    steps = instance.part(erasures).apply(listed)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return int(end.value)
        report(1)
