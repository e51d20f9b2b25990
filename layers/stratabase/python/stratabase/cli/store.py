"""`stratabase store`: shows and adopts the marks of stores, raises their layout, and lists failed jobs."""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial

from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.app.store_marks import open_marked_stores, settings_of_source
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.jobs.runner import run_again
from stratabase.core.operations.store_marks import (
    Adoption,
    MarkedStore,
    adopt_stores,
    check_marks,
    plan_adoption,
    retire_source,
)
from stratabase.core.settings import Settings
from stratabase.core.unusable_store import UnusableStore
from stratabase.evolution import layout_upgrade
from stratabase.evolution.backfill.reindex import SETTLED
from stratabase.evolution.layout_upgrade import missing_steps, upgrade_store
from stratabase.terminal.arguments import Options, Subcommand, add_subcommands
from stratabase.terminal.command_error import CommandError, text_with_cause
from stratabase.terminal.confirm import YES, confirm
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_store
from stratabase.values.wording import pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    add_subcommands(parser, _SUBCOMMANDS)


def run(options: Options) -> int:
    """Run the subcommand, and print the lines that it yields."""
    settings = read_settings()
    require_store(settings)
    try:
        for line in options.subcommand(settings, options):
            print(line)
    except (UnusableStore, Unavailable) as error:
        raise CommandError(text_with_cause(error)) from error
    return 0


def _show(settings: Settings, _options: Options) -> Iterator[str]:
    """Yield the mark of each store. Raises StoreRefused if the service would refuse a store."""
    with open_marked_stores(settings) as stores:
        for marked in stores:
            yield from _describe(marked)
        check_marks(stores)


def _describe(marked: MarkedStore) -> Iterator[str]:
    store, required = marked
    mark = store.read_mark()
    name = f" {required.place}" if required.place else ""
    if mark is None:
        yield f"{required.kind.value}{name}: no mark. The next start of the service adds it."
        return
    known = required.known
    yield f"{required.kind.value}{name}:"
    yield f"  instance {mark.instance}"
    yield f"  layout {mark.layout} (this version knows {known.oldest} to {known.newest})"
    yield f"  least reader: layout {mark.least_reader}, least writer: layout {mark.least_writer}"
    if mark.place != required.place and mark.place:
        yield f"  a copy of {mark.place}"
    if mark.replaced_by:
        yield f"  replaced by {mark.replaced_by}"


def _adopt(settings: Settings, options: Options) -> Iterator[str]:
    """Make the stores a part of this instance, and yield what was changed."""
    kinds = [StoreKind(name) for name in options.only] or [*StoreKind]
    with open_marked_stores(settings) as stores:
        planned = _plan(settings, stores, kinds)
        if not planned:
            yield "All stores belong to this instance already."
            return
        sources = [each for each in planned if options.retire and _source_of(each)]
        for adoption in planned:
            print(*adoption.lines(), sep="\n")
        for adoption in sources:
            print(f"{_source_of(adoption)}: no process can use it any more")
        confirm("Change these marks?", yes=options.yes)
        # Retire first: while both stores were in use, writes could go to either of them.
        for adoption in sources:
            yield _retire(settings, adoption)
        adopt_stores(planned)
        yield "The stores belong to this instance now. Restart the processes that use them."


def _plan(settings: Settings, stores: Sequence[MarkedStore], kinds: Sequence[StoreKind]) -> list[Adoption]:
    """Return the adoptions of the stores of these kinds.

    Without an ID in the settings, the first of all stores decides which instance this is.
    """
    marks = (marked.store.read_mark() for marked in stores)
    owner = settings.instance or next((mark.instance for mark in marks if mark is not None), None)
    return plan_adoption([marked for marked in stores if marked.required.kind in kinds], owner)


def _source_of(adoption: Adoption) -> str:
    """Return the name of the table or bucket from which a store of this instance was restored."""
    before, after = adoption.before, adoption.after
    is_copy = before is not None and before.instance == after.instance and before.place != after.place
    return before.place if before is not None and is_copy else ""


def _retire(settings: Settings, adoption: Adoption) -> str:
    """Mark the source of a store as replaced. Return a line that says whether this succeeded."""
    kind, source = adoption.after.kind, _source_of(adoption)
    with open_marked_stores(settings_of_source(settings, kind, source), [kind]) as (marked,):
        if retire_source(marked.store, adoption.after):
            return f"{source} is marked as replaced by {adoption.after.place}."
    return f"{source} has no mark of this instance, so it was left as it is."


def _upgrade(settings: Settings, options: Options) -> Iterator[str]:
    """Raise the layout of the stores to the newest one, and yield what was done."""
    with open_marked_stores(settings) as stores:
        check_marks(stores)
        planned = [(marked, missing_steps(marked, layout_upgrade.LAYOUT_STEPS)) for marked in stores]
        planned = [(marked, steps) for marked, steps in planned if steps]
        if not planned:
            yield "All stores have the newest layout that this version knows."
            return
        for marked, steps in planned:
            print(f"{marked.required.label} gets layout {steps[-1].layout}.")
            print(f"  Processes that don't know layout {steps[-1].layout} can't write to it any more.")
        confirm("Upgrade these stores?", yes=options.yes)
        for marked, steps in planned:
            bar = ProgressBar(marked.required.label, 0, "item")
            for layout in upgrade_store(marked, steps, partial(_settle, settings, marked.required.kind), bar):
                bar.end(f"layout {layout}")


def _settle(settings: Settings, kind: StoreKind) -> None:
    """Wait until all processes have noticed a changed mark. In the data folder, each commit checks it."""
    if not platform_of(settings).is_local(kind):
        print(f"Waiting {pluralize(round(SETTLED), 'second')} until all processes know.", file=sys.stderr)
        time.sleep(SETTLED)


def _jobs(settings: Settings, options: Options) -> Iterator[str]:
    """Yield the jobs that are set aside. With `--retry`, make them due now."""
    with closing(App(settings)) as app:
        kinds = app.job_kinds()
        lines = [f"{kind.name}: {job.key}" for kind in kinds for job in kind.queue.set_aside()]
        if not lines:
            yield "No job is set aside."
            return
        yield f"Set aside after too many failures ({pluralize(len(lines), 'job')}):"
        yield from lines
        if not options.retry:
            yield "The log says why. Run `stratabase store jobs --retry` when the reason is gone."
            return
        number = sum(run_again(kind, app.clock.now()) for kind in kinds)
        yield f"{pluralize(number, 'job')} will run again within 5 minutes."


_SUBCOMMANDS: Mapping[str, Subcommand] = {
    "show": Subcommand(
        _show,
        "show the instance and the layout of each store, and check that they agree",
        example="stratabase store show",
    ),
    "adopt": Subcommand(
        _adopt,
        "make restored or given stores a part of this instance",
        (
            (
                "--only",
                {
                    "action": "append",
                    "default": [],
                    "choices": [kind.value for kind in StoreKind],
                    "help": "the store to adopt; you can repeat this option; the default is all stores",
                },
            ),
            (
                "--retire",
                {
                    "action": "store_true",
                    "help": "also mark the originals of restored tables as replaced, to end their use",
                },
            ),
            YES,
        ),
        example="stratabase store adopt --only objects --retire",
    ),
    "upgrade": Subcommand(
        _upgrade,
        "raise the layout of the stores to that of this version, while services run; you can repeat it",
        (YES,),
        example="stratabase store upgrade",
    ),
    "jobs": Subcommand(
        _jobs,
        "list the work in the background that has failed too often, or run it again",
        (
            (
                "--retry",
                {"action": "store_true", "help": "make the jobs due now; a running service does them"},
            ),
        ),
        example="stratabase store jobs --retry",
    ),
}
