"""What `serve` reports about a changed model: its changes in short, and how many objects they concern."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Event, Thread
from typing import Self

from stratabase.core.app.app import App
from stratabase.core.app.platform import platform_of
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model
from stratabase.core.store.catalog.catalog_store import CatalogStore
from stratabase.evolution.backfill.question_scan import QuestionScan, settle
from stratabase.evolution.backfill.served_models import (
    AcceptedModels,
    ModelTextTooLarge,
    ServedModels,
    record_served_model,
    text_digest,
)
from stratabase.evolution.difference import ModelChange, Severity, diff_models, with_former_default
from stratabase.members.app.auth_services import AuthServices

_DETAILS = "For the reasons and counts, run: stratabase model diff{previous} --data"
_MAX_NAMED = 3
"""The maximum number of safe changes that are named."""
_STOP_TIMEOUT = 5.0
"""The seconds that the current page gets to finish at shutdown."""


def changes_since(instance: App, previous: str | None) -> tuple[ModelChange, ...]:
    """Return the changes since a model, by its text, or if that is None since the one that served last.

    The result is empty if there is no such model, and if this version does not accept it any more.
    """
    with suppress(InvalidModel, Unavailable):
        file = str(instance.settings.model)
        old = _served_last(instance, file) if previous is None else read_model(previous, file)
        if old is not None:
            removed = CatalogStore(instance.engine).read().removed_names()
            return tuple(diff_models(old, instance.model, removed))
    return ()


def _served_last(instance: App, file: str) -> Model | None:
    served = ServedModels(instance.engine)
    last = next(iter(served.all()), None)
    if last is None:
        return None
    model = read_model(served.text(last), file)
    return with_former_default(model) if last.predates_access else model


def undecided_changes(
    instance: App, previous: str | None, changes: Sequence[ModelChange]
) -> Sequence[ModelChange]:
    """Return the changes that need a decision which nobody has made. Raises Unavailable.

    `previous`: the model to compare with, as for `changes_since`. Nothing needs a decision if the stored
    objects have nothing that it concerns. Only an embedded store is read for that.
    """
    decisions = [change for change in changes if change.severity is Severity.DECISION]
    if not decisions or _is_accepted(instance, previous):
        return ()
    if not instance.platform.is_local(StoreKind.OBJECTS):
        return decisions
    answers = QuestionScan(
        instance.engine,
        instance.platform.parallel_map,
        [question for change in decisions for question in change.questions],
    )
    for name in answers.classes:
        for _ in answers.steps(name):
            pass
    if answers.asks_for_members:
        members = instance.part(AuthServices).members.roster().members
        answers.count_members(member.profile for member in members)
    settled = settle(instance.engine, decisions, answers, searches_versions=True)
    return [change for change in settled if change.severity is Severity.DECISION]


def _is_accepted(instance: App, previous: str | None) -> bool:
    old = None if previous is None else text_digest(previous)
    if old is None:
        old = next((each.digest for each in ServedModels(instance.engine).all()), None)
    text = instance.model_text
    return old is not None and text is not None and AcceptedModels(instance.engine).is_accepted(old, text)


def refusal_lines(changes: Sequence[ModelChange]) -> Iterator[str]:
    """Yield lines that say why a model is not served, and how to decide. `changes`: those to decide about."""
    yield "The model isn't served, because somebody must decide about these changes first:"
    yield from (f"  {change}" for change in changes)
    yield (
        "To decide otherwise, change the model. If they are meant, run `stratabase model diff --data "
        "--accept`. Then reload, or start `serve` again."
    )


def short_lines(changes: Sequence[ModelChange], *, is_served: bool = True) -> Iterator[str]:
    """Yield lines with the changes: one for all safe ones, and one or two for each of the others.

    `is_served`: whether the changed model is going to be served.
    """
    if not changes:
        return
    yield "The model has changed since it was last served:"
    found = [change for change in changes if change.severity is Severity.SAFE]
    if found:
        named = "; ".join(map(str, found[:_MAX_NAMED]))
        more = f"; and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        yield f"  Safe: {named}{more}"
    for change in changes:
        if change.severity is not Severity.SAFE:
            yield f"  {change.severity.value.capitalize()}: {change}"
            if change.severity is Severity.DECISION and change.to_do:
                yield f"    {change.to_do}"
    if len(found) < len(changes):
        yield f"  {_DETAILS.format(previous=' --previous' if is_served else '')}"


def record_served(instance: App, replaced: str | None) -> tuple[str, ...]:
    """Keep the text of the model that serves from now on. Return lines that say why it is not kept."""
    try:
        record_served_model(instance, replaced)
    except ModelTextTooLarge as error:
        return (str(error),)
    except Unavailable:
        pass  # the sweep tries again
    return ()


class ChangeCounts:
    """A thread that counts what changes concern in an embedded store, while the service runs.

    Use it as a context manager. `show` gets the lines with the answers, if there are any.
    """

    def __init__(
        self, instance: App, changes: Sequence[ModelChange], show: Callable[[Sequence[str]], None]
    ) -> None:
        self._instance = instance
        self._changes = [
            change for change in changes if change.severity is not Severity.SAFE and change.questions
        ]
        self._show = show
        self._ending = Event()
        self._thread = Thread(target=self._run, name="change-counts", daemon=True)
        self._is_started = False

    def __enter__(self) -> Self:
        return self

    def start(self) -> None:
        """Begin to count. Do nothing for a remote store, where reads cost money."""
        if self._changes and self._instance.platform.is_local(StoreKind.OBJECTS):
            self._is_started = True
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        """Stop after the current page."""
        self._ending.set()
        if self._is_started:
            self._thread.join(_STOP_TIMEOUT)

    def _run(self) -> None:
        with suppress(Unavailable):
            lines = list(self._count())
            if lines and not self._ending.is_set():
                self._show(lines)

    def _count(self) -> Iterator[str]:
        settings = self._instance.settings
        questions = [question for change in self._changes for question in change.questions]
        scan = QuestionScan(self._instance.engine, platform_of(settings).parallel_map, questions)
        for name in scan.classes:
            for _ in scan.steps(name):
                if self._ending.is_set():
                    return
        if scan.asks_for_members:
            members = self._instance.part(AuthServices).members.roster().members
            scan.count_members(member.profile for member in members)
        yield "What the changes of the model concern:"
        for change in self._changes:
            sentence = str(change) if str(change).endswith("?") else f"{change}."
            yield from (f"  {sentence} {scan.answer(question)}" for question in change.questions)
