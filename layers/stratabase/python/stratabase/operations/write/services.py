"""Create, update, save, delete and restore one object with its parts; preview and validate that."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from stratabase.domain.issues.issue import Issue, Level
from stratabase.domain.issues.refusals import Refused
from stratabase.domain.members.member import Caller
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.write.commands import Command, Create, Delete, Restore, Update
from stratabase.domain.write.request_ids import ClientIds
from stratabase.operations.read.versions import resolve_instant
from stratabase.operations.services import Services
from stratabase.operations.write.options import DEFAULT_OPTIONS, WriteOptions
from stratabase.operations.write.outcome import WriteResult
from stratabase.operations.write.pipeline import Write


def save(
    services: Services,
    command: Create | Update,
    caller: Caller,
    earlier: ClientIds | None = None,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> WriteResult:
    """Create or update an object, and return it as it is now; nothing is written when nothing changes.

    `earlier`: what the client calls the objects that it wrote before in the same request. Raises Refused with
    every issue, ReadBudgetExceeded, Unavailable.
    """
    return Write(services, command, caller, earlier, options=options).commit().result()


def delete(services: Services, command: Delete, caller: Caller) -> bool:
    """Return whether there was an object to delete: of several who delete it at once, one is told so.

    Raises Refused where another object must not be without it; Unavailable when the store cannot say whether
    it is deleted, and by whom.
    """
    return bool(Write(services, command, caller).commit().change.effects)


def restore(
    services: Services,
    reference: Reference,
    readings: Sequence[Instant],
    caller: Caller,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> WriteResult:
    """Return the object as it is now; a deleted one comes back. Nothing is written when nothing changes.

    `readings`: what the instant may be (`resolve_instant`). What it referred to and is there no more is left
    out, if the write is forced; otherwise that is refused. A version that the caller does not see is none.
    Raises Refused with every issue, ReadBudgetExceeded, Unavailable.
    """
    write = partial(Write, services, caller=caller, options=options)
    command = Restore(reference, readings[0], options.force)
    if issues := write(command).forbidden_issues():
        raise Refused(issues)
    command = replace(command, at=resolve_instant(services.entities, reference, readings))
    return write(command).commit().result()


class Preview(NamedTuple):
    """An object as it would be, and why it would not be written: nothing if it would."""

    written: WriteResult
    issues: Sequence[Issue] = ()


def preview(
    services: Services,
    command: Create | Update,
    caller: Caller,
    earlier: ClientIds | None = None,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> Preview:
    """Return the object as it would be; numbers that the service gives are null.

    An incomplete draft is shown as far as it goes: a value that cannot be read is null. Warnings alone are no
    issues here. Raises Refused where there is nothing to show, because the object to change is not there, or
    the caller may not do this; ReadBudgetExceeded, Unavailable. `earlier`: as with `save`.
    """
    outcome = Write(services, command, caller, earlier, options=options).dry_run()
    is_good = all(issue.level is not Level.ERROR for issue in outcome.issues)
    if not is_good and not outcome.is_shown:
        raise Refused(outcome.issues)
    return Preview(outcome.result(), () if is_good else outcome.issues)


def validate(
    services: Services,
    command: Command,
    caller: Caller,
    earlier: ClientIds | None = None,
    options: WriteOptions = DEFAULT_OPTIONS,
) -> Sequence[Issue]:
    """Return why the write would be refused, its warnings too; then what it passes over and is still empty.

    The write would be done if none of them `stops_write`. Raises ReadBudgetExceeded, Unavailable. `earlier`:
    as with `save`.
    """
    outcome = Write(services, command, caller, earlier, options=options, validates=True).dry_run()
    return [*outcome.issues, *outcome.reports]
