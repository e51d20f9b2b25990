"""A commit that becomes visible in steps: no reader sees a version that never existed, or misses one."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations, product
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import Key
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from tests.contract.versions.models import COMPANY
from tests.contract.versions.versioned_objects import NOON, VersionedObjects
from tests.core.store.partial_commit_engine import PartialCommitEngine

Told = Sequence[tuple[Instant | None, Instant | None, object]]
"""Versions: from when, until when, and what."""

ADA = Reference("Employee", "ada")


Change = Callable[[VersionedObjects], object]

CHANGES: dict[str, Change] = {
    "updated": lambda objects: objects.update("Employee", "ada", name="new"),
    "deleted": lambda objects: objects.delete("Employee", "ada"),
}


class HistoryScenario:
    """Ada with three versions, a deletion, and two more versions."""

    def __init__(self) -> None:
        self.engine = PartialCommitEngine()
        self.chronicle = VersionedObjects(Repository(self.engine, COMPANY))
        self.chronicle.create("Employee", "ada", name="0")
        for number in (1, 2):
            self.chronicle.update("Employee", "ada", name=str(number))
        self.chronicle.delete("Employee", "ada")
        self.chronicle.restore("Employee", "ada", name="3")
        self.chronicle.update("Employee", "ada", name="4")

    def versions(self, **range_: Any) -> Told:
        """Return versions of Ada."""
        found = self.chronicle.versions("Employee", "ada", **range_)
        return [(version.start, version.end, version.state.get("name")) for version in found]

    def at(self, instant: Instant) -> object:
        """Return Ada's name at an instant, or that she did not exist."""
        return self.chronicle.names("Employee", "ada", instant)

    def instants(self) -> list[Instant]:
        """Return the instants at and around the start and the end of each version."""
        marks = {time for begin, end, _ in self.versions() for time in (begin, end) if time is not None}
        return sorted({mark + step for mark in {*marks, NOON} for step in (-1, 0, 1)})


def before_and_after(change: Change) -> tuple[HistoryScenario, HistoryScenario]:
    """Return the history before and after a change."""
    before, after = HistoryScenario(), HistoryScenario()
    change(after.chronicle)
    return before, after


def in_between(change: Change, held: Sequence[Key]) -> HistoryScenario:
    """Return the history after a change, with some of its items not yet visible."""
    scenario = HistoryScenario()
    scenario.engine.hold(held)
    change(scenario.chronicle)
    return scenario


def parts(change: Change) -> Iterator[tuple[Key, ...]]:
    """Yield all sets of items of a commit that can be held back."""
    _, after = before_and_after(change)
    written = [action.key for action in after.engine.commits[-1].actions]
    return chain.from_iterable(combinations(written, number) for number in range(1, len(written) + 1))


EACH_PART = pytest.mark.parametrize(
    ("change", "held"),
    [
        pytest.param(change, held, id=f"{name} without {' '.join(key.sort for key in held)}")
        for name, change in CHANGES.items()
        for held in parts(change)
    ],
)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """The actions that run while a reader pauses."""
    acts: list[Callable[[], object]] = []
    monkeypatch.setattr(waiting, "pause", lambda _: [act() for act in acts])
    return acts


@EACH_PART
def test_a_reader_sees_a_commit_completely_or_not_at_all(
    pauses: list[Callable[[], object]], change: Change, held: Sequence[Key]
) -> None:
    """Delayed items arrive when the reader waits for them."""
    both, scenario = before_and_after(change), in_between(change, held)
    instants = both[1].instants()
    pauses.append(lambda: setattr(scenario.engine, "released", True))
    for instant in instants:
        scenario.engine.released = False
        assert scenario.at(instant) in [each.at(instant) for each in both], instant
    ranges = product([None, *instants[::2]], [None, *instants[::2]], (None, 1, 3), (False, True))
    for since, until, limit, backward in ranges:
        scenario.engine.released = False
        range_ = {"since": since, "until": until, "limit": limit, "backward": backward}
        assert scenario.versions(**range_) in [each.versions(**range_) for each in both], range_


@EACH_PART
def test_a_read_is_unavailable_if_the_rest_of_a_commit_never_appears(
    pauses: list[Callable[[], object]], change: Change, held: Sequence[Key]
) -> None:
    both, scenario = before_and_after(change), in_between(change, held)
    waits: list[None] = []
    pauses.append(lambda: waits.append(None))
    refused = 0
    for instant in both[1].instants():
        try:
            assert scenario.at(instant) in [each.at(instant) for each in both], instant
        except Unavailable:
            refused += 1
    for backward in (False, True):
        try:
            assert scenario.versions(backward=backward) in [each.versions(backward=backward) for each in both]
        except Unavailable:
            refused += 1
    assert (refused > 0) == (len(held) == 1)
    assert refused * 9 <= len(waits) <= refused * 9 + 2


@pytest.mark.parametrize("number", range(4))
def test_a_version_that_appears_late_is_not_missed(pauses: list[Callable[[], object]], number: int) -> None:
    """Others were closed after it that are shown already."""
    whole, late = HistoryScenario(), HistoryScenario()
    key = keys.version(ADA, whole.versions()[number][0] or 0)
    pauses.append(lambda: late.engine.show(whole.engine._items))
    for instant in whole.instants():
        late.engine._items.pop(key, None)
        assert late.at(instant) == whole.at(instant)
    for backward in (False, True):
        late.engine._items.pop(key, None)
        assert late.versions(backward=backward) == whole.versions(backward=backward)
