"""`stratabase reindex`: builds the indexes, unique constraints and roles of a changed model."""

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from stratabase.bootstrap import Instance
from stratabase.bootstrap.storage import parallel_reads_of
from stratabase.cli.backfill.build import (
    advice,
    build_lock,
    describe_unfinished,
    is_embedded,
)
from stratabase.cli.terminal.command_error import CommandError
from stratabase.cli.terminal.progress import ProgressBar
from stratabase.cli.terminal.settings import read_settings
from stratabase.domain.issues.refusals import Unavailable
from stratabase.model.reading import InvalidModel
from stratabase.store.backfill.reindex import Reindex
from stratabase.store.backfill.uniques import MAX_REFUSED
from stratabase.unusable_store import UnusableStore
from stratabase.wording import pluralize


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "classes",
        metavar="CLASS",
        nargs="*",
        help="the classes to build; the default is all classes of the model",
    )
    parser.add_argument(
        "--all", action="store_true", help="list all duplicate values and their objects, without a limit"
    )
    parser.add_argument(
        "--model",
        metavar="FILE",
        type=Path,
        help="a model to serve later: build what it needs, and keep what the current model needs",
    )


def run(options: argparse.Namespace) -> int:
    """Build class by class. You can stop the command at any time and run it again."""
    settings = read_settings()
    ahead = options.model is not None
    instance = Instance(replace(settings, model=options.model) if ahead else settings)
    try:
        to_do = _reindex(instance, options.classes, in_full=options.all, ahead=ahead)
        instance.engine.close()
    except (InvalidModel, UnusableStore, Unavailable) as error:
        raise CommandError(str(error)) from error
    if to_do:
        raise CommandError(to_do)
    return 0


def _reindex(instance: Instance, class_names: Sequence[str], *, in_full: bool, ahead: bool) -> str:
    """Build everything that is not ready, and return the advice on what could not be built."""
    engine, model, local = instance.engine, instance.model, is_embedded(instance.settings)
    limit = sys.maxsize if in_full else MAX_REFUSED
    reindex = Reindex(
        engine,
        model,
        sleep=_pause,
        ahead=ahead,
        local=local,
        max_refused=limit,
        parallel_map=parallel_reads_of(instance.settings),
    )
    stored = [class_.name for class_ in model.classes.values() if class_.is_stored]
    if unknown := [name for name in class_names if name not in stored]:
        raise CommandError(f"These classes do not exist: {', '.join(unknown)}. Use: {', '.join(stored)}.")
    outcomes = []
    with build_lock(instance.settings.home, _warn) if local else nullcontext():
        for name in class_names or stored:
            progress = ProgressBar(name, reindex.count_objects(name))
            outcome = reindex.run(name, progress)
            unfinished = list(describe_unfinished(name, outcome, in_full=in_full))
            progress.end("not ready" if unfinished else "ready")
            print("".join(f"{line}\n" for line in unfinished), end="")
            outcomes.append(outcome)
    return advice(outcomes)


def _warn(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)


def _pause(seconds: float) -> None:
    if seconds:
        text = f"Waiting {pluralize(round(seconds), 'second')} until all processes use the new model."
        print(text, file=sys.stderr)
    time.sleep(seconds)
