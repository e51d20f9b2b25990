"""`stratabase erase`: erases an object for good, prints the list of erased ids, or applies such a list."""

import argparse
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from stratabase.core.app.app import App
from stratabase.core.domain.caller import CONSOLE, Caller
from stratabase.core.domain.issues.refusals import Conflicting, NotFound
from stratabase.core.domain.objects.entity import Reference, describe_object
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.store.name_translation import NameTranslation
from stratabase.core.store.sqlite.engine import BUSY_TIMEOUT
from stratabase.evolution.app.erasures import erasures, render_receipt
from stratabase.evolution.commands.backfill.drop import run_on_store
from stratabase.evolution.erasure.erased_ids import read_erased, roots_of
from stratabase.evolution.erasure.erased_list import InvalidList, list_record, read_list, translated
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase.terminal.confirm import YES, confirm
from stratabase.terminal.progress import ProgressBar
from stratabase.values.wording import pluralize

_REMOVED = {
    "objects": "object, parts included",
    "versions": "earlier version",
    "files": "file",
    "links": "link of another object",
    "uniqueValues": "reserved value",
    "references": "reference of another object",
    "answers": "kept answer",
}
_COPIES = {
    "POINT_IN_TIME_RECOVERY": "Point-in-time recovery of the table keeps it until {until}.",
    "TABLE_BACKUPS": "Backups of the table keep it until you delete them.",
    "BACKUPS": "Backups keep it until you delete them.",
    "EXPORTS": "Exports keep it until you delete them.",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("class_name", metavar="CLASS", nargs="?", help="the class of the object")
    parser.add_argument("id", metavar="ID", nargs="?", help="the _id of the object, which can be deleted")
    parser.add_argument(
        "--list", action="store_true", help="print the ids of all erased objects, as JSON lines"
    )
    parser.add_argument(
        "--apply",
        metavar="PATH",
        type=Path,
        help="erase again what a list, an export, a backup or a data folder names as erased, for example "
        "after the recovery of a table",
    )
    parser.add_argument("--json", action="store_true", help="print the receipt as JSON")
    parser.add_argument(YES[0], **YES[1])
    add_examples(
        parser,
        "stratabase erase Customer 01KB3V6J8Q2X4T5N7R9M1P0C3D",
        "stratabase erase --list > erased.jsonl",
        "stratabase erase --apply erased.jsonl",
    )


def run(options: argparse.Namespace) -> int:
    """Do what the arguments say. You can stop the command at any time and run it again."""
    wanted = [options.id is not None, options.list, options.apply is not None]
    if sum(wanted) != 1 or (options.class_name is not None and options.id is None):
        raise CommandError("Name a class and an ID, or use --list or --apply.", MISUSED)
    if options.list:
        return run_on_store(_print_list)
    if options.apply is not None:
        return run_on_store(lambda instance: _apply(instance, options.apply))
    return run_on_store(lambda instance: _erase(instance, options))


def _erase(instance: App, options: argparse.Namespace) -> int:
    part, reference = instance.part(erasures), Reference(options.class_name, options.id)
    instance.mark_stores()
    confirm(f"Erase {describe_object(reference)} for good, with its parts and versions?", yes=options.yes)
    try:
        root = part.begin(reference, caller_of(instance.model))
    except (NotFound, Conflicting) as error:
        raise CommandError(str(error)) from error
    _follow(part.steps(root), f"Erasing {describe_object(reference)}")
    receipt = render_receipt(instance, part.receipt(root))
    for line in [json.dumps(receipt, indent=2)] if options.json else _lines(receipt):
        print(line)
    return 0


def caller_of(model: Model) -> Caller:
    """Return the caller of a command with all rights of an administrator of the model."""
    profile = next((name for name, each in model.profiles.items() if each.administrator), "")
    return replace(CONSOLE, profile=profile)


def _follow(steps: Iterable[None], title: str) -> None:
    bar = ProgressBar(title, 0, "step")
    for _step in steps:
        bar(1)
    bar.clear()


def _lines(receipt: dict[str, Any]) -> Iterable[str]:
    """Yield the lines of a receipt."""
    yield f"{receipt['class']} {receipt['id']} is erased."
    for kind, noun in _REMOVED.items():
        if number := receipt["removed"].get(kind):
            yield f"  {pluralize(number, noun) if ',' not in noun else f'{number:,} {noun}'}"
    if receipt["references"]:
        yield "Earlier versions of these objects still have its ID:"
        yield from (f"  {each['class']} {each['id']}" for each in receipt["references"])
        if receipt["hasMoreReferences"]:
            yield "  and more"
    for copy in receipt["copies"]:
        yield _COPIES[copy["kind"]].format(until=copy["until"])
    yield "`stratabase import` and `stratabase restore --erased` leave out what is erased."


def _print_list(instance: App) -> int:
    shown = NameTranslation.to_stored(StoredNames(instance.model)).inverse
    for entry in read_erased(instance.engine):
        print(json.dumps(list_record(translated(entry, shown))))
    return 0


def _apply(instance: App, path: Path) -> int:
    try:
        listed = read_list(path, instance.model, BUSY_TIMEOUT)
    except InvalidList as error:
        raise CommandError(str(error)) from error
    instance.mark_stores()
    _follow(instance.part(erasures).apply(listed), "Erasing")
    print(f"{pluralize(len(roots_of(listed)), 'object')} of the list can't come back.")
    return 0
