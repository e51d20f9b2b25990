"""`stratabase model drop`: erases for good what is stored under a name that the model no longer has."""

import argparse
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant, format_instant
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.reading import InvalidModel
from stratabase.core.model.stored_names import NameKind, StoredNames
from stratabase.core.store.catalog.catalog import Catalog
from stratabase.core.store.catalog.catalog_store import CatalogStore
from stratabase.core.store.sqlite.vacuum import vacuum
from stratabase.core.unusable_store import UnusableStore
from stratabase.core.waiting import system_now
from stratabase.evolution.backfill.drop import ClassErasure, Drop, Erasure, count_holders
from stratabase.evolution.backfill.dropped_name import CannotDrop, find_erasure
from stratabase.evolution.commands.backfill.build import build_lock
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.confirm import confirm
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_store
from stratabase.values.wording import pluralize


def drop(options: argparse.Namespace) -> int:
    """Erase what is stored under a name. You can stop the command at any time and run it again."""
    return run_on_store(lambda instance: _drop(instance, options))


def run_on_store(work: Callable[[App], int]) -> int:
    """Run a task on the store of the model in the settings, and return its exit code. Raises CommandError."""
    settings = read_settings()
    instance = App(settings)
    try:
        _ = instance.model  # before the lock
        require_store(settings)
        with (
            build_lock(settings.home, print_to_stderr)
            if platform_of(settings).is_local(StoreKind.OBJECTS)
            else nullcontext()
        ):
            return work(instance)
    except (InvalidModel, UnusableStore, Unavailable) as error:
        raise CommandError(str(error)) from error
    finally:
        instance.close()


def print_to_stderr(*lines: str) -> None:
    """Print lines to standard error."""
    print(*lines, sep="\n", file=sys.stderr)


def _drop(instance: App, options: argparse.Namespace) -> int:
    engine, local = instance.engine, instance.platform.is_local(StoreKind.OBJECTS)
    catalog = CatalogStore(engine).read()
    try:
        erasure = find_erasure(options.name, catalog, instance.model, unlisted=options.unlisted)
    except CannotDrop as error:
        raise CommandError(str(error)) from error
    task = Drop(
        engine,
        StoredNames(instance.model).stored_model,
        erasure,
        local=local,
        parallel_map=instance.platform.parallel_map,
        sleep=_pause,
    )
    # 1. Say what will be erased, and ask.
    label = erasure.label
    if task.is_under_way:
        print(f"An earlier run has begun to erase {label}. This run continues it.")
    if not local:
        print("This reads the whole table several times.")
    if not options.yes:
        print(_description(instance, erasure, catalog))
    confirm(f"Erase {label} for good?", yes=options.yes)
    # 2. Erase.
    progress = ProgressBar(f"Erasing {label}", 0, "item")
    outcome = task.run(progress)
    progress.end(f"erased from {pluralize(outcome.erased, 'item')}")
    if local and outcome.erased and not options.no_vacuum:
        instance.close()
        scrub(instance.settings.home / "objects.db")
    # 3. Say what remains.
    for line in _remains(erasure, catalog, now=system_now()):
        print(line)
    if not outcome.is_clean:
        raise CommandError(
            f"A process with an earlier model still writes {label}. When it has stopped, run "
            f"`stratabase model drop {label}` again."
        )
    return 0


def _description(instance: App, erasure: Erasure, catalog: Catalog) -> str:
    """Return a text about what is stored under a name."""
    found = count_holders(instance.engine, [erasure])[erasure.label]
    removed = [
        entry.removed
        for name in erasure.names(catalog)
        if (entry := catalog.entries[name]).removed is not None
    ]
    since = f", removed on {_day(max(removed))}" if removed else ""
    what = "are stored" if isinstance(erasure, ClassErasure) else "still hold a value"
    return (
        f"{erasure.label}{since}: {pluralize(found.objects, 'object')} and "
        f"{pluralize(found.versions, 'closed version')} {what}."
    )


def _pause(seconds: float) -> None:
    if seconds:
        print_to_stderr(f"Waiting {pluralize(round(seconds), 'second')} until all processes stop writing it.")
    time.sleep(seconds)


def _day(instant: Instant) -> str:
    return format_instant(instant)[:10]


def _remains(erasure: Erasure, catalog: Catalog, now: Instant) -> list[str]:
    """Return lines about what a drop cannot erase."""
    lines = []
    if any(catalog.entries[name].was_seen_after_removal(now) for name in erasure.names(catalog)):
        lines.append(
            f"A process with an earlier model that has {erasure.label} was seen in the last 24 hours. It can "
            "write new values. When it has stopped, run this command again."
        )
    led_here = [
        str(name)
        for name, entry in catalog.removed().items()
        if name.kind is NameKind.ROLE and any(form.endswith(f" to {erasure.label}") for form in entry.forms)
    ]
    if led_here:
        lines.append(f"Removed roles that led to {erasure.label} still have its IDs: {', '.join(led_here)}.")
    lines.append("Backups keep what they contain until you delete them.")
    return lines


def scrub(path: Path) -> None:
    """Rebuild a database file, so that no erased text remains in its free pages or its log.

    Prints a line instead if another process uses the file all the time.
    """
    if not vacuum(path):
        print_to_stderr(
            f"Erased text can remain in the free space of {path} and its log, because another process uses "
            f"the file. To remove it, stop this process, and run `sqlite3 {path} VACUUM`."
        )
