"""`stratabase reindex`: builds the indexes, unique constraints and roles of a changed model."""

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from stratabase.core.app.app import App
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.model import Model
from stratabase.core.store.indexes.registry import NoFreeSlot
from stratabase.evolution.backfill.reindex import OBJECTS_PER_LOCAL_COMMIT, Reindex
from stratabase.evolution.backfill.resharding import MAX_SHARDS, OF_LISTING, Resharding
from stratabase.evolution.backfill.uniques import MAX_REFUSED
from stratabase.evolution.commands.backfill.build import (
    advice,
    build_lock,
    describe_unfinished,
)
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import read_settings, require_store
from stratabase.values.wording import pluralize


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
    parser.add_argument(
        "--listing-shards",
        metavar="N",
        type=_number_of_shards,
        help="spread the objects of CLASS over N partitions of its listing, for very many creates a second",
    )
    parser.add_argument(
        "--index-shards",
        metavar="ATTRIBUTES=N",
        type=_index_shards,
        action="append",
        default=[],
        help="the same for an @index of CLASS, by its attributes with commas: created_on=16",
    )
    add_examples(
        parser,
        "stratabase reindex",
        "stratabase reindex Employee --index-shards hired_on=16",
        "stratabase reindex --model next.graphql",
    )


def _number_of_shards(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= MAX_SHARDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MAX_SHARDS}.")
    return int(text)


def _index_shards(text: str) -> tuple[tuple[str, ...], int]:
    attributes, _, number = text.rpartition("=")
    if not attributes:
        raise argparse.ArgumentTypeError(
            f"{text!r} does not name an index and its number of shards. Write, for example, created_on=16."
        )
    return tuple(each.strip() for each in attributes.split(",")), _number_of_shards(number)


def run(options: argparse.Namespace) -> int:
    """Build class by class. You can stop the command at any time and run it again."""
    settings = read_settings()
    require_store(settings)
    ahead = options.model is not None
    instance = App(replace(settings, model=options.model) if ahead else settings)
    shards = _shards(options, instance.model)
    to_do = _reindex(instance, options.classes, shards, in_full=options.all, ahead=ahead)
    instance.engine.close()
    if to_do:
        raise CommandError(to_do)
    return 0


def _shards(options: argparse.Namespace, model: Model) -> Mapping[tuple[str, ...], int]:
    """Return the wanted numbers of shards, by the attributes of an index or OF_LISTING."""
    wanted = dict(options.index_shards)
    if options.listing_shards is not None:
        wanted[OF_LISTING] = options.listing_shards
    if not wanted:
        return wanted
    if len(options.classes) != 1 or options.model is not None:
        raise CommandError("To change shards, name exactly one class, and use the model that is served.")
    class_ = model.classes.get(options.classes[0])
    indexes = [index.attributes for index in class_.indexes] if class_ is not None else []
    for attributes in wanted:
        if class_ is not None and attributes != OF_LISTING and attributes not in indexes:
            known = ", ".join(",".join(each) for each in indexes) or "none"
            raise CommandError(
                f"{class_.name} has no @index of {', '.join(attributes)}. Its indexes are: {known}."
            )
    return wanted


def _reindex(
    instance: App,
    class_names: Sequence[str],
    shards: Mapping[tuple[str, ...], int],
    *,
    in_full: bool,
    ahead: bool,
) -> str:
    """Build everything that is not ready, and return the advice on what could not be built."""
    engine, model, local = instance.engine, instance.model, instance.platform.is_local(StoreKind.OBJECTS)
    limit = sys.maxsize if in_full else MAX_REFUSED
    reindex = Reindex(
        engine,
        model,
        sleep=_pause,
        ahead=ahead,
        local=local,
        max_refused=limit,
        parallel_map=instance.platform.parallel_map,
    )
    resharding = Resharding(
        engine,
        model,
        sleep=_pause,
        objects_per_commit=OBJECTS_PER_LOCAL_COMMIT if local else 1,
        parallel_map=instance.platform.parallel_map,
    )
    stored = [class_.name for class_ in model.classes.values() if class_.is_stored]
    if unknown := [name for name in class_names if name not in stored]:
        raise CommandError(f"These classes do not exist: {', '.join(unknown)}. Use: {', '.join(stored)}.")
    outcomes, listed = [], set[RoleName]()
    with build_lock(instance.settings.home, _warn) if local else nullcontext():
        for name in class_names or stored:
            if shards:
                _begin(resharding, name, shards)
            progress = ProgressBar(name, reindex.count_objects(name))
            outcome = reindex.run(name, progress)
            unfinished = list(describe_unfinished(name, outcome, listed, in_full=in_full))
            progress.end("not ready" if unfinished else "ready")
            print("".join(f"{line}\n" for line in unfinished), end="")
            outcomes.append(outcome)
            if not ahead:
                resharding.finish(name)
        reindex.free_indexes(class_names or stored)
    return advice(outcomes)


def _begin(resharding: Resharding, name: str, shards: Mapping[tuple[str, ...], int]) -> None:
    try:
        resharding.begin(name, shards)
    except NoFreeSlot as error:
        raise CommandError(
            f"{name} uses all indexes of the table, and a change of shards needs one more for a while. "
            "Remove an @index from the model, serve it, and run `stratabase reindex`."
        ) from error


def _warn(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)


def _pause(seconds: float) -> None:
    if seconds:
        text = f"Waiting {pluralize(round(seconds), 'second')} until all processes know the change."
        print(text, file=sys.stderr)
    time.sleep(seconds)
