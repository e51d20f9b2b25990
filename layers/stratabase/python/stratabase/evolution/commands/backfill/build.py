"""Builds the indexes, unique constraints and roles that a model needs from the stored objects."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from stratabase.core.app.platform import platform_of
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.local_files import LockTimeout, lock_file
from stratabase.core.model.model import Model
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.indexes.entries import BuildState, RegistryEntry, RoleEntry, directive_label
from stratabase.evolution.backfill.reindex import Reindex, ReindexOutcome
from stratabase.evolution.backfill.uniques import Duplicate
from stratabase.terminal.progress import PrintLines, ProgressLines
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.wording import pluralize

BUILD_LOCK = "build.lock"
"""The file in the data folder that a process locks while it builds."""
_LOCK_TIMEOUT = 1.0
"""The seconds of one attempt to acquire the lock."""
_MAX_ATTEMPTS = 3
"""How often to build required roles before the service starts anyway."""
MAX_VALUES_NAMED = 20
MAX_IDS_NAMED = 10
"""The maximum number of values and ids in a report, unless it is in full."""
_FIX_DUPLICATES = (
    "Change or delete all but one of the objects with the same values. Then run `stratabase reindex` again. "
    "Until then, Stratabase enforces these constraints only for new values."
)
_FIX_ROLES = (
    "The model has no room for these associations. Remove all but one of each conflict, and then run "
    "`stratabase reindex` again. If Stratabase refuses the role, serve the previous model meanwhile."
)
_RUN_AGAIN = "A process still served an earlier model. When it has stopped, run `stratabase reindex` again."


def build_before_serving(settings: Settings, engine: Engine, model: Model, print_lines: PrintLines) -> None:
    """Build all registry entries of the model in an embedded store that are not READY. Raises Unavailable.

    If several processes share the store, one builds and the others wait. Processes that serve another model
    continue meanwhile, and maintain what is being built.
    """
    if not platform_of(settings).is_local(StoreKind.OBJECTS):
        return
    reindex = Reindex(engine, model, ahead=True, local=True)
    wanted = reindex.unfinished(class_.name for class_ in model.classes.values() if class_.is_stored)
    if not wanted:
        return
    listed = set[RoleName]()
    with build_lock(settings.home, print_lines):
        for name in wanted:
            # If the states have changed, another process has built the class while this one waited, or the
            # deleted objects of all classes were listed together.
            unfinished = reindex.unfinished([name]).get(name, ())
            if _states(unfinished) & _states(wanted[name]):
                _build_class(reindex, name, unfinished, listed, print_lines)


@contextmanager
def build_lock(home: Path, print_lines: PrintLines) -> Iterator[None]:
    """Hold the build lock of this machine inside the `with` block. Prints a line if it has to wait."""
    path, is_waiting = home / BUILD_LOCK, False
    while True:
        try:
            with lock_file(path, _LOCK_TIMEOUT if is_waiting else 0):
                yield
                return
        except LockTimeout:
            if not is_waiting:
                print_lines("Another process is building what the model needs. Waiting until it finishes.")
            is_waiting = True


def describe_unfinished(
    class_name: str, outcome: ReindexOutcome, listed: set[RoleName], *, in_full: bool
) -> Iterator[str]:
    """Yield lines that say what a reindex could not build for a class, and why.

    `listed`: the roles whose conflicts were listed for other classes, because both classes of an association
    have the same ones. `in_full` lists all duplicate values and all their objects, without a limit.
    """
    for unique, group in groupby(outcome.duplicates, lambda duplicate: duplicate.unique):
        duplicates = list(group)
        is_role = isinstance(unique, RoleName)
        values = pluralize(len(duplicates), "conflict" if is_role else "duplicate value")
        if isinstance(unique, RoleName):
            if unique in listed:
                yield f"{class_name} {directive_label(unique)} is not ready: {values}, listed above"
                continue
            listed.add(unique)
        yield f"{class_name} {directive_label(unique)} is not ready: {values}"
        named = duplicates if in_full else duplicates[:MAX_VALUES_NAMED]
        yield from (f"  {_duplicate_line(duplicate, in_full=in_full)}" for duplicate in named)
        if len(named) < len(duplicates):
            more = len(duplicates) - len(named)
            yield f"  and {more:,} more (to list all, run `stratabase reindex --all`)"
    if outcome.more:
        yield f"{class_name}: {outcome.more:,} more objects with duplicate values"
    yield from (f"{class_name} {name} is not ready" for name in outcome.interrupted)


def advice(outcomes: Iterable[ReindexOutcome]) -> str:
    """Return the advice on what could not be built, or an empty text if everything was built."""
    outcomes = list(outcomes)
    found = [duplicate.unique for outcome in outcomes for duplicate in outcome.duplicates]
    fix_roles = [_FIX_ROLES] if any(isinstance(each, RoleName) for each in found) else []
    fix_duplicates = [_FIX_DUPLICATES] if any(not isinstance(each, RoleName) for each in found) else []
    run_again = [_RUN_AGAIN] if any(outcome.interrupted for outcome in outcomes) else []
    return "\n".join([*fix_duplicates, *fix_roles, *run_again])


def _states(entries: Iterable[RegistryEntry]) -> set[tuple[int, BuildState]]:
    return {(entry.number, entry.state) for entry in entries}


def _build_class(
    reindex: Reindex,
    class_name: str,
    unfinished: Sequence[RegistryEntry],
    listed: set[RoleName],
    print_lines: PrintLines,
) -> None:
    """Build the unfinished registry entries of a class. Print the progress and the remaining problems."""
    labels, total = reindex.labels(class_name, unfinished), reindex.count_objects(class_name)
    progress = ProgressLines(f"Building {class_name} {labels}", total, print_lines)
    outcome = reindex.run(class_name, progress)
    for _ in range(_MAX_ATTEMPTS - 1):
        # A process that still serves the previous model does not keep the items of roles that only the
        # new model has. Its writes can interrupt the build of such roles, so build them again.
        left = reindex.unfinished([class_name]).get(class_name, ())
        broken = {duplicate.unique for duplicate in outcome.duplicates}
        if not any(
            isinstance(entry, RoleEntry) and broken.isdisjoint(reindex.roles_of(entry)) for entry in left
        ):
            break
        outcome = reindex.run(class_name, progress)
    if total:
        print_lines(f"Built {class_name} {labels}: checked {pluralize(progress.done, 'object')}.")
    if lines := list(describe_unfinished(class_name, outcome, listed, in_full=False)):
        print_lines(*lines, advice([outcome]))


def _duplicate_line(duplicate: Duplicate, *, in_full: bool) -> str:
    """Return a line with duplicate values and the ids of the objects that have them."""
    values = ", ".join(f"{name} {describe_value(value)}" for name, value in duplicate.values.items())
    ids = duplicate.ids if in_full else duplicate.ids[:MAX_IDS_NAMED]
    more = f" and {len(duplicate.ids) - len(ids):,} more" if len(ids) < len(duplicate.ids) else ""
    return f"{values}: {', '.join(ids)}{more}"
