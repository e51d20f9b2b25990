"""The store keeps the texts of the models that served, with when they were seen, and writes them rarely."""

import secrets
from dataclasses import replace

import pytest

from stratabase.core.store.engine.port import NO_EXPECTATION, Batch, Put
from stratabase.core.store.layout import keys
from stratabase.evolution.backfill.served_models import (
    MAX_KEPT,
    MAX_PIECE,
    NOTE_INTERVAL,
    ModelTextTooLarge,
    ServedModels,
)
from tests.contract.engine.reference import ReferenceEngine

DAY = 24 * NOTE_INTERVAL


class _CountingEngine(ReferenceEngine):
    """Counts the commits."""

    commits = 0

    def commit(self, batch: Batch) -> None:
        self.commits += 1
        super().commit(batch)


@pytest.fixture
def engine() -> _CountingEngine:
    return _CountingEngine()


@pytest.fixture
def served(engine: _CountingEngine) -> ServedModels:
    return ServedModels(engine)


def _texts(served: ServedModels) -> list[str]:
    return [served.text(each) for each in served.serving()]


def test_a_store_that_never_served_knows_no_model(served: ServedModels) -> None:
    assert served.all() == served.serving() == ()


def test_the_text_of_the_model_that_serves_is_kept(served: ServedModels) -> None:
    served.record("type A { x: Int } # è", DAY)
    (model,) = served.all()
    assert (model.first_seen, model.last_seen) == (DAY, DAY)
    assert _texts(served) == ["type A { x: Int } # è"]


def test_a_model_that_is_seen_again_soon_is_not_written_again(
    served: ServedModels, engine: _CountingEngine
) -> None:
    served.record("a", DAY)
    before = engine.commits
    served.record("a", DAY + NOTE_INTERVAL - 1)
    assert engine.commits == before
    served.record("a", DAY + NOTE_INTERVAL)
    assert engine.commits == before + 1
    assert served.all()[0].last_seen == DAY + NOTE_INTERVAL


def test_models_that_serve_side_by_side_are_both_known(served: ServedModels) -> None:
    served.record("old", 0)
    served.record("new", DAY)
    assert _texts(served) == ["new"]

    served.record("old", DAY + NOTE_INTERVAL)
    served.record("new", DAY + NOTE_INTERVAL)
    served.record("old", DAY + 2 * NOTE_INTERVAL)
    assert _texts(served) == ["old", "new"]

    served.record("new", DAY + 9 * NOTE_INTERVAL)
    assert _texts(served) == ["new"]


def test_a_model_that_its_process_has_replaced_no_longer_serves(served: ServedModels) -> None:
    served.record("old", DAY)
    served.record("new", DAY + 1, replaced="old")
    served.record("new", DAY + NOTE_INTERVAL + 2)
    assert _texts(served) == ["new"]
    assert [served.text(each) for each in served.all()] == ["new", "old"]

    served.record("old", DAY + NOTE_INTERVAL + 3, replaced="new")
    assert _texts(served) == ["old"]


def test_only_the_last_models_are_kept(served: ServedModels, engine: _CountingEngine) -> None:
    for number in range(MAX_KEPT + 3):
        served.record(f"model {number}", number * DAY)
    assert [served.text(each) for each in served.all()] == [
        f"model {number}" for number in reversed(range(3, MAX_KEPT + 3))
    ]


def test_a_long_text_is_kept_in_pieces_and_a_huge_one_is_refused(served: ServedModels) -> None:
    long = secrets.token_hex(MAX_PIECE)
    served.record(long, DAY)
    assert served.all()[0].pieces > 1
    assert _texts(served) == [long]

    with pytest.raises(ModelTextTooLarge, match=r"The model has [\d,]+ bytes after compression\."):
        served.record(secrets.token_hex(10 * MAX_PIECE), 2 * DAY)
    assert _texts(served) == [long]


def _as_before_access(engine: _CountingEngine) -> None:
    """Write the list as earlier versions do, which don't know the attribute."""
    (item,) = engine.get([keys.SERVED_MODELS])
    assert item is not None
    attributes = {"revision": item.attributes["revision"]}
    engine.commit(Batch("before", (Put(replace(item, attributes=attributes), NO_EXPECTATION),)))


def test_a_model_served_before_access_is_known_until_this_version_serves_it(
    served: ServedModels, engine: _CountingEngine
) -> None:
    served.record("a", DAY)
    served.record("b", DAY + 1)
    _as_before_access(engine)
    assert [each.predates_access for each in served.all()] == [True, True]

    # At once, although the model was seen a moment ago.
    served.record("b", DAY + 2)
    assert [each.predates_access for each in served.all()] == [False, True]

    served.record("c", DAY + 3)
    assert [each.predates_access for each in served.all()] == [False, False, True]
