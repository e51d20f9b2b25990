"""`stratabase model diff`: what a change of the model means, and what to do."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from stratabase.core.app.platform import Platform, open_engine, platform_of
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model_file
from stratabase.core.model.stored_names import RemovedName
from stratabase.core.settings import Settings
from stratabase.core.store.catalog.catalog_store import CatalogStore
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.indexes.listing import count_objects, listing_index
from stratabase.core.unusable_store import UnusableStore
from stratabase.evolution.backfill.question_scan import QuestionScan, settle
from stratabase.evolution.backfill.served_models import AcceptedModels, ServedModel
from stratabase.evolution.difference import ModelChange, Severity, diff_models
from stratabase.evolution.served_comparison import UnreadableModel, change_json, compare_with_served
from stratabase.members.ports import member_platform
from stratabase.terminal.arguments import Argument, Options
from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase.terminal.progress import ProgressBar
from stratabase.terminal.settings import has_store, read_settings, require_store

DIFF_HELP = "print what a change of the model means for the stored objects, and what to do"
DIFF_ARGUMENTS: tuple[Argument, ...] = (
    ("old", {"nargs": "?", "type": Path, "help": "the old model; the default is the one that serves"}),
    ("new", {"nargs": "?", "type": Path, "help": "the new model; the default is the model in the settings"}),
    (
        "--data",
        {"action": "store_true", "help": "count the stored objects and members that each change concerns"},
    ),
    (
        "--previous",
        {"action": "store_true", "help": "compare with the model that served before the one that serves now"},
    ),
    (
        "--accept",
        {
            "action": "store_true",
            "help": "record that these changes are meant, so that `serve --decide keep` serves the model",
        },
    ),
    ("--json", {"action": "store_true", "help": "print the changes as JSON"}),
    (
        "--yes",
        {"action": "store_true", "help": "count without a question, however many read units it takes"},
    ),
)
MAX_UNITS = 10_000
"""The read units from which on `--data` asks first."""
_BYTES_PER_UNIT = 8192
"""The bytes that one read unit reads from an index, where reads are eventually consistent."""
_TITLES: Mapping[Severity, str] = {
    Severity.DECISION: "Needs a decision",
    Severity.REINDEX: "Needs reindex",
    Severity.SAFE: "Safe",
}


class _Compared(NamedTuple):
    """The changes from one old model to the new one.

    `old`: what the old one is. `has_previous`: whether the store has a model from before `old`. `digest`: the
    digest of the old one's text, if it serves.
    """

    old: str
    changes: Sequence[ModelChange]
    has_previous: bool = False
    digest: str = ""


def run_diff(options: Options) -> int:
    """Print the changes. Return 1 if one of them needs a decision that is not accepted, otherwise 0.

    Errors exit with 2.
    """
    try:
        return _run(options)
    except (InvalidModel, UnusableStore, Unavailable) as error:
        raise CommandError(str(error), MISUSED) from error
    except CommandError as error:
        raise CommandError(str(error), MISUSED) from error


def _run(options: Options) -> int:
    # With one file, it is the new model, and the old one is that in the store.
    old, new = (options.old, options.new) if options.new else (None, options.old)
    if old is not None and options.previous:
        raise CommandError("Use --previous without an old model.")
    if options.accept and (old is not None or options.previous):
        raise CommandError(
            "--accept is about the model that serves. Use it without --previous and an old model."
        )
    settings = read_settings()
    model = read_model_file(new or settings.model)
    if old is not None and options.data:
        require_store(settings)
    if old is not None:
        removed = _removed_names(settings) if options.data else ()
        compared = [_Compared(str(old), diff_models(read_model_file(old), model, removed))]
    else:
        compared = list(_with_served(settings, model, previous=options.previous))
    answers = None
    if options.data:
        answers = _count(settings, compared, ask=not options.yes, show=not options.json)
        compared = _settle(settings, compared, answers)
    if options.json:
        print(json.dumps([_to_json(each, answers) for each in compared], indent=2, ensure_ascii=False))
    else:
        print("\n".join(line for each in compared for line in _lines(each, answers)))
    decisions = [
        change for each in compared for change in each.changes if change.severity is Severity.DECISION
    ]
    if decisions and options.accept:
        _accept(settings, compared, new or settings.model)
        print(
            "Accepted: `serve --decide keep` serves this model from its next start or reload.",
            file=sys.stderr,
        )
        return 0
    return 1 if decisions else 0


def _with_served(settings: Settings, model: Model, *, previous: bool) -> Iterator[_Compared]:
    """Yield the comparison with each model that serves from the store, or with the one before."""
    which = "no earlier model" if previous else "no model that has served"
    unknown = CommandError(f"The store knows {which}. Name both files: stratabase model diff OLD NEW.")
    if not has_store(settings):
        raise unknown
    require_store(settings)
    engine = open_engine(platform_of(settings))
    try:
        found = False
        for each in compare_with_served(engine, model, previous=previous):
            found = True
            yield _Compared(_describe(each.served), each.changes, each.has_previous, each.served.digest)
        if not found:
            raise unknown
    except UnreadableModel as error:
        raise CommandError(
            f"This version of Stratabase can't read {_describe(error.served)}.\n{error}"
        ) from error
    finally:
        engine.close()


def _removed_names(settings: Settings) -> Sequence[RemovedName]:
    engine = open_engine(platform_of(settings))
    try:
        return CatalogStore(engine).read().removed_names()
    finally:
        engine.close()


def _describe(each: ServedModel) -> str:
    seen = datetime.fromtimestamp(each.last_seen / 1000, UTC)
    return f"the model that served (last seen on {seen:%Y-%m-%d at %H:%M} UTC)"


def _lines(compared: _Compared, answers: "QuestionScan | None") -> Iterator[str]:
    """Yield the lines for people: the changes by severity, the most urgent first."""
    yield f"Compared with {compared.old}:"
    if not compared.changes:
        yield "No changes."
        if compared.has_previous:
            yield "`serve` adopts each model that you save. To compare with the one before, add --previous."
    for severity, title in _TITLES.items():
        found = [change for change in compared.changes if change.severity is severity]
        if found:
            yield ""
            yield f"{title} ({len(found)})"
        for change in found:
            yield f"  {change}"
            yield from (f"    {text}" for text in (change.why, change.to_do) if text)
            if answers is not None:
                yield from (f"    {answers.answer(question)}" for question in change.questions)
    yield ""


def _to_json(compared: _Compared, answers: "QuestionScan | None") -> dict[str, Any]:
    return {
        "old": compared.old,
        "changes": [
            {
                **change_json(change),
                **({} if answers is None else {"counts": [*_counts(change, answers)]}),
            }
            for change in compared.changes
        ],
    }


def _counts(change: ModelChange, answers: QuestionScan) -> Iterator[dict[str, Any]]:
    for question in change.questions:
        count, total = answers.numbers(question)
        yield {"text": question.answer(count, total), "count": count, "total": total}


def _count(settings: Settings, compared: Sequence[_Compared], *, ask: bool, show: bool) -> QuestionScan:
    """Answer the questions of all changes. Raises CommandError if the person refuses the cost."""
    platform = platform_of(settings)
    engine = open_engine(platform)
    try:
        questions = [
            question for each in compared for change in each.changes for question in change.questions
        ]
        scan = QuestionScan(engine, platform.parallel_map, questions)
        if ask and scan.classes:
            indexes = {listing_index(engine, name) for name in scan.classes}
            _confirm(_estimate_units(platform, scan, indexes))
        for name in scan.classes:
            _scan(engine, scan, name, show=show)
        if scan.asks_for_members:
            members = member_platform(platform).members()
            scan.count_members(member.profile for member in members.roster().members)
        return scan
    finally:
        engine.close()
        platform.close()


def _settle(settings: Settings, compared: Sequence[_Compared], answers: QuestionScan) -> list[_Compared]:
    """Return the comparisons without the decisions that the stored objects show to be none."""
    platform = platform_of(settings)
    engine = open_engine(platform)
    try:
        return [
            each._replace(
                changes=settle(
                    engine, each.changes, answers, searches_versions=platform.is_local(StoreKind.OBJECTS)
                )
            )
            for each in compared
        ]
    finally:
        engine.close()


def _accept(settings: Settings, compared: Sequence[_Compared], model: Path) -> None:
    """Record that the model may be served in place of those that serve. Raises CommandError, Unavailable."""
    engine = open_engine(platform_of(settings))
    try:
        AcceptedModels(engine).accept((each.digest for each in compared), model.read_text("utf-8"))
    except (OSError, UnicodeError) as error:
        raise CommandError(f"{model} can't be read any more ({error}).") from error
    finally:
        engine.close()


def _scan(engine: Engine, scan: QuestionScan, name: str, *, show: bool) -> None:
    progress = ProgressBar(name, count_objects(engine, name)) if show else None
    for objects in scan.steps(name):
        if progress is not None:
            progress(objects)
    if progress is not None:
        progress.clear()


def _estimate_units(platform: Platform, scan: QuestionScan, indexes: Iterable[str]) -> int | None:
    """Return the most read units that a scan takes, None if the store does not say.

    `indexes`: those with the listings of the classes. They have other entries too, so their size is the upper
    limit. Links take one unit for each object.
    """
    items, size = 0, 0
    for index in sorted(indexes):
        found = platform.billed_size(index)
        if found is None:
            return None
        items, size = items + found[0], size + found[1]
    return -(-size // _BYTES_PER_UNIT) + items * scan.link_roles


def _confirm(units: int | None) -> None:
    """Ask before a scan that takes many read units. Raises CommandError if the answer is not yes."""
    if units is not None and units <= MAX_UNITS:
        return
    cost = "an unknown number of" if units is None else f"up to {units:,}"
    text = f"Counting takes {cost} read units of DynamoDB."
    if not sys.stdin.isatty():
        raise CommandError(f"{text} To count anyway, add --yes.")
    print(f"{text} Continue? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise CommandError("Nothing was counted.")
