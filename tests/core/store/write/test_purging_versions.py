"""Versioned parts of a very large whole end with it, although they are purged later."""

from collections.abc import Iterator, Sequence

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.change import Deletion, LinkCreation
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Moment, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Batch, Engine
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.core.store.write import cleanup
from stratabase.values.messages import verbatim
from tests.contract.versions.models import named, remembering
from tests.contract.versions.versioned_objects import HOUR, VersionedObjects
from tests.core.store.graphs import key, many, parts, whole
from tests.core.store.watched_engine import WatchedEngine
from tests.models import model

ORDER = named("Order", parts("lines", "Line", "order_"))
LINE = named("Line", whole("order_", "Order", "lines"), parts("notes", "Note", "line_"))
NOTE = named("Note", whole("line_", "Line", "notes"))
ALL = model(*map(remembering, (ORDER, LINE, NOTE)))
ONLY_PARTS = model(ORDER, remembering(LINE), remembering(NOTE))
LINES = [f"line{number:03}" for number in range(60)]
NOTES = [f"note{number:03}" for number in range(60)]


@pytest.fixture(autouse=True)
def nothing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave all parts of a deletion to the sweep."""
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 0)


def ordered(engine: Engine, model_: Model) -> VersionedObjects:
    """Return an order with more lines than one commit deletes, and notes on one of them."""
    objects = VersionedObjects(Repository(engine, model_))
    objects.create("Order", "o", lines=LINES)
    for first in range(0, len(LINES), 20):
        objects.commit(*(objects.creation("Line", id_, order_="o") for id_ in LINES[first : first + 20]))
    objects.update("Line", "line000", notes=NOTES)
    for first in range(0, len(NOTES), 20):
        objects.commit(*(objects.creation("Note", id_, line_="line000") for id_ in NOTES[first : first + 20]))
    objects.update("Line", "line007", name="changed")
    return objects


def deletion(objects: VersionedObjects) -> Sequence[Deletion]:
    """Return the deletions of the order and its parts, as operations request them."""
    names = [("Order", "o"), *(("Line", id_) for id_ in LINES), *(("Note", id_) for id_ in NOTES)]
    return [objects.deletion(*name) for name in names]


def check(objects: VersionedObjects, ended: Instant) -> None:
    """Assert that all parts existed until an instant, and not after it."""
    references = [Reference("Line", id_) for id_ in LINES] + [Reference("Note", id_) for id_ in NOTES]
    assert objects.entities.read(references) == [None] * len(references)
    for at, is_there in ((ended - 1, True), (ended, False), (ended + HOUR, False)):
        found = objects.entities.as_of([Moment(reference, at) for reference in references])
        assert {each is not None for each in found} == {is_there}
    assert {gone and gone.last_end for gone in objects.entities.tombstones(references)} == {ended}
    assert len(objects.versions("Line", "line007")) == 2


def test_parts_end_with_their_whole_even_if_purged_later(engine: Engine) -> None:
    objects = ordered(engine, ALL)
    check_purge(objects)


def test_parts_of_an_unversioned_whole_end_with_it() -> None:
    check_purge(ordered(WatchedEngine(), ONLY_PARTS))


def check_purge(objects: VersionedObjects) -> None:
    """Delete the order, and purge it an hour later."""
    ended = objects.commit(*deletion(objects))
    assert objects.find("Order", "o") is None
    order, line = Reference("Order", "o"), Reference("Line", "line000")
    assert objects.entities.pending_purges([order, line]) == [ended, None]
    objects.clock += HOUR
    sweep(objects)
    check(objects, ended)
    assert objects.entities.pending_purges([order]) == [None]


def sweep(objects: VersionedObjects) -> None:
    """Purge all objects that wait for it."""
    assert isinstance(objects.entities, Repository)
    objects.entities.sweep()


def test_a_part_changed_while_awaiting_purge_ends_after_that_change() -> None:
    engine = WatchedEngine()
    objects = ordered(engine, ALL)
    ended = objects.commit(*deletion(objects))
    objects.clock += HOUR
    changed = objects.update("Line", "line003", name="late")
    sweep(objects)
    assert objects.times("Line", "line003")[-1] == (changed, changed + 1)
    assert objects.times("Line", "line004")[-1][1] == ended


def test_parts_that_require_their_whole_end_with_it() -> None:
    engine = WatchedEngine()
    needy = named("Line", whole("order_", "Order", "lines"), key("needs", "Order", required=True))
    objects = VersionedObjects(Repository(engine, model(remembering(ORDER), remembering(needy))))
    objects.create("Order", "o", lines=LINES)
    for first in range(0, len(LINES), 20):
        some = LINES[first : first + 20]
        objects.commit(*(objects.creation("Line", id_, order_="o", needs="o") for id_ in some))
    ended = objects.commit(objects.deletion("Order", "o"), *(objects.deletion("Line", id_) for id_ in LINES))
    sweep(objects)
    gone = objects.entities.tombstones([Reference("Line", id_) for id_ in LINES])
    assert {each and each.last_end for each in gone} == {ended}


class StoppingEngine(WatchedEngine):
    """An engine that accepts a number of commits, and then none."""

    left: int | None = None

    def commit(self, batch: Batch) -> None:
        if self.left == 0:
            raise Unavailable(verbatim("dead"))
        if self.left is not None:
            self.left -= 1
        super().commit(batch)


@pytest.mark.parametrize("survived", [1, 2, 3, 5])
def test_a_stopped_purge_resumes_and_all_parts_end_at_one_instant(survived: int) -> None:
    engine = StoppingEngine()
    objects = ordered(engine, ALL)
    engine.left = survived
    ended = objects.commit(*deletion(objects))
    with pytest.raises(Unavailable):
        sweep(objects)
    engine.left = None
    Repository(engine, ALL).sweep()
    check(objects, ended)
    assert not [item for item in engine.items if item.partition.startswith(keys.PURGES)]


def test_concurrent_purges_end_every_part_once() -> None:
    engine = WatchedEngine()
    objects = ordered(engine, ALL)
    ended = objects.commit(*deletion(objects))
    turns = [_steps(Repository(engine, ALL)) for _ in range(3)]
    while turns:
        turns = [each for each in turns if next(each, "done") != "done"]
    check(objects, ended)


def _steps(entities: Repository) -> Iterator[None]:
    return entities.sweep_steps()


def test_links_that_are_purged_later_leave_no_versions() -> None:
    engine = WatchedEngine()
    result = model(
        remembering(named("Order", many("tags", "Tag", "orders"))),
        named("Tag", many("orders", "Order", "tags")),
    )
    objects = VersionedObjects(Repository(engine, result))
    created = objects.create("Order", "o")
    role = RoleName("Order", "tags")
    for first in range(0, 60, 20):
        tags = [f"t{number}" for number in range(first, first + 20)]
        objects.commit(
            *(objects.creation("Tag", tag) for tag in tags), *(LinkCreation(role, "o", tag) for tag in tags)
        )
    ended = objects.delete("Order", "o")
    sweep(objects)
    assert objects.times("Order", "o") == [(created, ended)]
    assert objects.entities.linked(role, ["o"]) == [()]


def test_a_restored_object_keeps_its_parts_despite_an_earlier_purge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The earlier purge is completed before the parts are restored."""
    engine = WatchedEngine()
    objects = ordered(engine, ALL)
    ended = objects.commit(*deletion(objects))
    monkeypatch.setattr(cleanup, "MAX_CLEANUP_STEPS", 2)
    refused = 0
    while True:
        lines = objects.entities.tombstones([Reference("Line", id_) for id_ in LINES[:3]])
        back = [objects.restoration("Line", gone.reference.id, order_="o") for gone in lines if gone]
        change = objects.change(objects.restoration("Order", "o", lines=LINES[:3]), *back)
        try:
            objects.entities.dry_run(change)
            objects.entities.commit(change)
            break
        except Conflict:
            refused += 1
    assert refused > 2
    assert len(back) == 3
    sweep(objects)
    assert [objects.find("Line", id_) is not None for id_ in LINES[:4]] == [True] * 3 + [False]
    assert objects.times("Line", "line001")[0][1] == ended
