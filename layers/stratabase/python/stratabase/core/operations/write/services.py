"""Create, update, save, delete and restore one object with its parts, and preview or validate that."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, Level
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.write.commands import ClientIds, Command, Create, Delete, Restore, Update
from stratabase.core.operations.context import Services
from stratabase.core.operations.read.versions import resolve_instant
from stratabase.core.operations.write.options import NO_OPTIONS, WriteOptions, WriteResult
from stratabase.core.operations.write.pipeline import Write


def save(
    services: Services,
    command: Create | Update,
    caller: Caller,
    earlier: ClientIds | None = None,
    options: WriteOptions = NO_OPTIONS,
) -> WriteResult:
    """Create or update an object, and return it as it is now. If nothing changes, nothing is written.

    `earlier` has the client ids of objects that the same request has written before. Raises Refused with all
    issues, ReadBudgetExceeded, Unavailable.
    """
    return Write(services, command, caller, earlier, options=options).commit().result()


def delete(services: Services, command: Delete, caller: Caller, options: WriteOptions = NO_OPTIONS) -> bool:
    """Delete an object, and return whether it existed. Of concurrent deletions, exactly one returns True.

    Raises Refused if other objects require it. Raises Unavailable if the store cannot tell whether it is
    deleted, and by which request.
    """
    return bool(Write(services, command, caller, options=options).commit().change.effects)


def restore(  # noqa: PLR0913 - what to restore, by whom, and how
    services: Services,
    reference: Reference,
    readings: Sequence[Instant],
    caller: Caller,
    options: WriteOptions = NO_OPTIONS,
    *,
    if_revision: str | None = None,
) -> WriteResult:
    """Restore a former version, and return the object as it is now. A deleted object comes back.

    `readings` are the instants that the client may mean (see `resolve_instant`), and `if_revision` is the
    revision that the client expects, None for any. References to objects that
    no longer exist are left out if the write is forced, and refused otherwise. A version that the caller may
    not see counts as missing. If nothing changes, nothing is written. Raises Refused with all issues,
    ReadBudgetExceeded, Unavailable.
    """
    write = partial(Write, services, caller=caller, options=options)
    command = Restore(reference, readings[0], options.force, if_revision)
    # Check grants before `resolve_instant` reads versions.
    if issues := write(command).forbidden_issues():
        raise Refused(issues)
    command = replace(command, at=resolve_instant(services.entities, reference, readings))
    return write(command).commit().result()


def may_restore(
    services: Services, reference: Reference, at: Instant, caller: Caller, options: WriteOptions = NO_OPTIONS
) -> bool:
    """Return whether a caller's rights and the kept versions allow to restore an object as of an instant.

    Unique values, rules and the objects that it leads to may still prevent that. Raises ReadBudgetExceeded,
    Unavailable.
    """
    write = Write(services, Restore(reference, at, forced=True), caller, options=options)
    if write.forbidden_issues():
        return False
    outcome = write.dry_run(asks_store=False)
    return outcome.is_allowed and bool(outcome.change.effects)


class Preview(NamedTuple):
    """An object as a write would leave it, and the issues that prevent the write."""

    written: WriteResult
    issues: Sequence[Issue] = ()


def preview(
    services: Services, command: Create | Update, caller: Caller, options: WriteOptions = NO_OPTIONS
) -> Preview:
    """Return the object as a write would leave it. Serial numbers of new objects are null.

    An incomplete draft is shown as far as possible: a value that cannot be read is null. If there are only
    warnings, the preview has no issues. Raises Refused if there is nothing to show, because the object does
    not exist, or the caller may not write it. Raises ReadBudgetExceeded, Unavailable.
    """
    outcome = Write(services, command, caller, options=options).dry_run()
    is_good = all(issue.level is not Level.ERROR for issue in outcome.issues)
    if not is_good and not outcome.is_shown:
        raise Refused(outcome.issues)
    return Preview(outcome.result(), () if is_good else outcome.issues)


def validate(
    services: Services, command: Command, caller: Caller, options: WriteOptions = NO_OPTIONS
) -> Sequence[Issue]:
    """Return the issues of a write, warnings included, and then its reports about other findings.

    The write would be done if none of them `stops_write`. Raises ReadBudgetExceeded, Unavailable.
    """
    outcome = Write(services, command, caller, options=options, validates=True).dry_run()
    return [*outcome.issues, *outcome.reports]
