"""Versioned parts of a whole that is too large to be deleted as one: they end when it does, though later."""

from collections.abc import Iterator, Sequence

import pytest

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.objects.change import Deletion, LinkCreation
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.messages import verbatim
from stratabase.model.model import Model
from stratabase.store.engine.port import Batch, Engine
from stratabase.store.layout import keys
from stratabase.store.repository import Repository
from stratabase.store.write import cleanup
from tests.contract.versions.models import named, remembering
from tests.contract.versions.versioned_objects import HOUR, VersionedObjects
from tests.models import model
from tests.store.graphs import key, many, parts, whole
from tests.store.watched_engine import WatchedEngine

ORDER = named("Order", parts("lines", "Line", "order_"))
LINE = named("Line", whole("order_", "Order", "lines"), parts("notes", "Note", "line_"))
NOTE = named("Note", whole("line_", "Line", "notes"))
ALL = model(*map(remembering, (ORDER, LINE, NOTE)))
ONLY_PARTS = model(ORDER, remembering(LINE), remembering(NOTE))
LINES = [f"line{number:03}" for number in range(60)]
NOTES = [f"note{number:03}" for number in range(60)]


@pytest.fixture(autouse=True)
def nothing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever deletes leaves all the rest to the sweep."""
    monkeypatch.setattr(cleanup, "MOST_STEPS", 0)


def ordered(engine: Engine, told: Model) -> VersionedObjects:
    """Return an order with more lines than are deleted at once, and notes on one of them."""
    chronicle = VersionedObjects(Repository(engine, told))
    chronicle.create("Order", "o", lines=LINES)
    for first in range(0, len(LINES), 20):
        chronicle.commit(*(chronicle.creation("Line", id_, order_="o") for id_ in LINES[first : first + 20]))
    chronicle.update("Line", "line000", notes=NOTES)
    for first in range(0, len(NOTES), 20):
        chronicle.commit(
            *(chronicle.creation("Note", id_, line_="line000") for id_ in NOTES[first : first + 20])
        )
    chronicle.update("Line", "line007", name="changed")
    return chronicle


def deletion(chronicle: VersionedObjects) -> Sequence[Deletion]:
    """Return what deletes all of it, as operations ask for it."""
    names = [("Order", "o"), *(("Line", id_) for id_ in LINES), *(("Note", id_) for id_ in NOTES)]
    return [chronicle.deletion(*name) for name in names]


def check(chronicle: VersionedObjects, ended: Instant) -> None:
    """Make sure that all parts were there until an instant, and not after it."""
    references = [Reference("Line", id_) for id_ in LINES] + [Reference("Note", id_) for id_ in NOTES]
    assert chronicle.entities.read(references) == [None] * len(references)
    for at, is_there in ((ended - 1, True), (ended, False), (ended + HOUR, False)):
        found = chronicle.entities.as_of([(reference, at) for reference in references])
        assert {each is not None for each in found} == {is_there}
    assert {gone and gone.last_end for gone in chronicle.entities.tombstones(references)} == {ended}
    assert len(chronicle.versions("Line", "line007")) == 2


def test_parts_end_with_their_whole_even_if_purged_later(engine: Engine) -> None:
    chronicle = ordered(engine, ALL)
    check_purge(chronicle)


def test_parts_of_an_unversioned_whole_end_with_it() -> None:
    check_purge(ordered(WatchedEngine(), ONLY_PARTS))


def check_purge(chronicle: VersionedObjects) -> None:
    """Delete the order, and purge it an hour later."""
    ended = chronicle.commit(*deletion(chronicle))
    assert chronicle.find("Order", "o") is None
    order, line = Reference("Order", "o"), Reference("Line", "line000")
    assert chronicle.entities.pending_purges([order, line]) == [ended, None]
    chronicle.clock += HOUR
    sweep(chronicle)
    check(chronicle, ended)
    assert chronicle.entities.pending_purges([order]) == [None]


def sweep(chronicle: VersionedObjects) -> None:
    """Purge all that waits."""
    assert isinstance(chronicle.entities, Repository)
    chronicle.entities.sweep()


def test_a_part_changed_while_awaiting_purge_ends_after_that_change() -> None:
    engine = WatchedEngine()
    chronicle = ordered(engine, ALL)
    ended = chronicle.commit(*deletion(chronicle))
    chronicle.clock += HOUR
    changed = chronicle.update("Line", "line003", name="late")
    sweep(chronicle)
    assert chronicle.times("Line", "line003")[-1] == (changed, changed + 1)
    assert chronicle.times("Line", "line004")[-1][1] == ended


def test_parts_that_require_their_whole_end_with_it() -> None:
    engine = WatchedEngine()
    needy = named("Line", whole("order_", "Order", "lines"), key("needs", "Order", required=True))
    chronicle = VersionedObjects(Repository(engine, model(remembering(ORDER), remembering(needy))))
    chronicle.create("Order", "o", lines=LINES)
    for first in range(0, len(LINES), 20):
        some = LINES[first : first + 20]
        chronicle.commit(*(chronicle.creation("Line", id_, order_="o", needs="o") for id_ in some))
    ended = chronicle.commit(
        chronicle.deletion("Order", "o"), *(chronicle.deletion("Line", id_) for id_ in LINES)
    )
    sweep(chronicle)
    gone = chronicle.entities.tombstones([Reference("Line", id_) for id_ in LINES])
    assert {each and each.last_end for each in gone} == {ended}


class Dying(WatchedEngine):
    """An engine that does so many commits, and then none."""

    left: int | None = None

    def commit(self, batch: Batch) -> None:
        if self.left == 0:
            raise Unavailable(verbatim("dead"))
        if self.left is not None:
            self.left -= 1
        super().commit(batch)


@pytest.mark.parametrize("survived", [1, 2, 3, 5])
def test_a_stopped_purge_resumes_and_all_parts_end_at_one_instant(survived: int) -> None:
    engine = Dying()
    chronicle = ordered(engine, ALL)
    engine.left = survived
    ended = chronicle.commit(*deletion(chronicle))
    with pytest.raises(Unavailable):
        sweep(chronicle)
    engine.left = None
    Repository(engine, ALL).sweep()
    check(chronicle, ended)
    assert not [item for item in engine.items if item.partition.startswith(keys.PURGES)]


def test_concurrent_purges_end_every_part_once() -> None:
    engine = WatchedEngine()
    chronicle = ordered(engine, ALL)
    ended = chronicle.commit(*deletion(chronicle))
    turns = [_steps(Repository(engine, ALL)) for _ in range(3)]
    while turns:
        turns = [each for each in turns if next(each, "done") != "done"]
    check(chronicle, ended)


def _steps(entities: Repository) -> Iterator[None]:
    return entities.sweep_steps()


def test_links_that_are_purged_later_leave_no_versions() -> None:
    engine = WatchedEngine()
    told = model(
        remembering(named("Order", many("tags", "Tag", "orders"))),
        named("Tag", many("orders", "Order", "tags")),
    )
    chronicle = VersionedObjects(Repository(engine, told))
    made = chronicle.create("Order", "o")
    role = RoleName("Order", "tags")
    for first in range(0, 60, 20):
        tags = [f"t{number}" for number in range(first, first + 20)]
        chronicle.commit(
            *(chronicle.creation("Tag", tag) for tag in tags), *(LinkCreation(role, "o", tag) for tag in tags)
        )
    ended = chronicle.delete("Order", "o")
    sweep(chronicle)
    assert chronicle.times("Order", "o") == [(made, ended)]
    assert chronicle.entities.linked(role, ["o"]) == [()]


def test_a_restored_object_keeps_its_parts_despite_an_earlier_purge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What that has left is purged first: then the parts come back, too."""
    engine = WatchedEngine()
    chronicle = ordered(engine, ALL)
    ended = chronicle.commit(*deletion(chronicle))
    monkeypatch.setattr(cleanup, "MOST_STEPS", 2)
    refused = 0
    while True:
        lines = chronicle.entities.tombstones([Reference("Line", id_) for id_ in LINES[:3]])
        back = [chronicle.restoration("Line", gone.reference.id, order_="o") for gone in lines if gone]
        change = chronicle.change(chronicle.restoration("Order", "o", lines=LINES[:3]), *back)
        try:
            chronicle.entities.dry_run(change)
            chronicle.entities.commit(change)
            break
        except Conflict:
            refused += 1
    assert refused > 2
    assert len(back) == 3
    sweep(chronicle)
    assert [chronicle.find("Line", id_) is not None for id_ in LINES[:4]] == [True] * 3 + [False]
    assert chronicle.times("Line", "line001")[0][1] == ended
