"""Random histories on every engine, compared with the reference engine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.store.engine.port import (
    INDEX_NAMES,
    ITEMS,
    Action,
    Bounds,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    ExpectationFailed,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from tests.contract.engine.engine_calls import commit, count_items, settle
from tests.contract.engine.engines import KINDS
from tests.contract.engine.reference import ReferenceEngine
from tests.soak import EXAMPLES, count

pytestmark = pytest.mark.soak

# Few keys, names and texts, so that actions meet.
NAMES = st.sampled_from(["a", "b", "c"])
SORTS = st.sampled_from(["\0", "a", "a\0", "b", "é", "\uffff", "😀"])
PARTITIONS = st.sampled_from(["p", "q"])
KEYS = st.builds(Key, PARTITIONS, SORTS)
PLACES = st.builds(IndexKey, PARTITIONS, SORTS)
INDEXES = st.sampled_from(INDEX_NAMES[:2])
NUMBERS = st.integers(-2, 2)
VALUES = st.one_of(NUMBERS, SORTS, st.just(""), st.booleans(), st.none(), st.lists(SORTS, max_size=2))
STATES = st.sampled_from([None, "", "{}", '{"a":1}'])

ITEMS_PUT = st.builds(
    Item,
    KEYS,
    st.dictionaries(NAMES, VALUES, max_size=3),
    STATES,
    st.dictionaries(INDEXES, PLACES, max_size=2),
)
CONDITIONS = st.builds(Condition, NAMES, st.sampled_from(ConditionOperator), VALUES)
EXPECTATIONS = st.builds(
    Expectation,
    st.sampled_from([None, None, None, True, False]),
    st.lists(CONDITIONS, max_size=1).map(tuple),
    st.one_of(st.just(()), st.lists(CONDITIONS, max_size=3).map(tuple)),
)


@st.composite
def patches(draw: st.DrawFn) -> Patch:
    """Draw a patch that changes each attribute at most once."""
    deeds = draw(st.dictionaries(NAMES, st.one_of(st.just("remove"), NUMBERS, VALUES.map(lambda v: (v,)))))
    return Patch(
        draw(KEYS),
        draw(EXPECTATIONS),
        {name: deed[0] for name, deed in deeds.items() if isinstance(deed, tuple)},
        {name: deed for name, deed in deeds.items() if isinstance(deed, int)},
        frozenset(name for name, deed in deeds.items() if deed == "remove"),
        draw(STATES),
        draw(st.dictionaries(INDEXES, st.one_of(st.none(), PLACES), max_size=2)),
    )


ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Put, ITEMS_PUT, EXPECTATIONS),
    patches(),
    st.builds(DeleteItem, KEYS, EXPECTATIONS),
    st.builds(Check, KEYS, EXPECTATIONS),
)
HISTORIES = st.lists(st.lists(ACTIONS, max_size=5, unique_by=lambda action: action.key), max_size=12)
BOUNDS = st.builds(
    Bounds, st.one_of(st.none(), SORTS), st.one_of(st.none(), SORTS), st.booleans(), st.booleans()
)
RANGES = st.lists(
    st.tuples(
        st.sampled_from([ITEMS, *INDEX_NAMES[:2]]),
        PARTITIONS,
        BOUNDS,
        st.booleans(),
        st.one_of(st.none(), st.integers(0, 5)),
    ),
    min_size=1,
    max_size=6,
)


def outcome(engine: Engine, actions: list[Action]) -> object:
    """Return the outcome of a batch."""
    try:
        commit(engine, *actions)
    except ExpectationFailed as refusal:
        return refusal.failures
    except ValueError:
        return ValueError
    return None


def adds_to_no_number(engine: Engine, actions: list[Action]) -> bool:
    """Return whether a batch, which must be refused, adds to a value that is not an integer."""
    patches = [action for action in actions if isinstance(action, Patch)]
    items = engine.get([patch.key for patch in patches])
    held = [(item.attributes if item else {}, patch.add) for item, patch in zip(items, patches, strict=True)]
    return any(type(attributes.get(name, 0)) is not int for attributes, add in held for name in add)


def answers(engine: Engine, ranges: list[tuple[Any, ...]]) -> list[object]:
    """Return all items of an engine, and the items in some ranges."""
    keys = [
        Key(partition, sort) for partition in "pq" for sort in ("\0", "a", "a\0", "b", "é", "\uffff", "😀")
    ]
    settle(engine)
    found: list[object] = [*engine.get(keys)]
    for index, partition, bounds, backward, limit in ranges:
        pages = engine.range(index, partition, bounds, backward=backward, limit=limit)
        found.append([(item.key, item.state) for page in pages for item in page])
        found += [count_items(engine, index, partition, bounds, distinct=each) for each in (False, True)]
    return found


def emptied(engine: Engine) -> Engine:
    """Delete all items that a history may have left."""
    left = [item.key for partition in "pq" for page in engine.range(ITEMS, partition) for item in page]
    commit(engine, *map(DeleteItem, left))
    return engine


@pytest.fixture(scope="module")
def lasting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine for all examples of a test, because opening one can be slow."""
    folder: Path = tmp_path_factory.mktemp("engine")
    engine: Engine = request.param.open(folder)
    yield engine
    engine.close()


Histories = list[list[Action]]
Ranges = list[tuple[Any, ...]]


def on(*names: str) -> pytest.MarkDecorator:
    """Run a test on several kinds of engines."""
    kinds = [kind for kind in KINDS if kind.name in names]
    return pytest.mark.parametrize("lasting", kinds, ids=names, indirect=True, scope="module")


@on("sqlite")
@given(HISTORIES, RANGES)
def test_an_engine_behaves_like_the_reference_engine(
    lasting: Engine, history: Histories, ranges: Ranges
) -> None:
    check(lasting, history, ranges)


@on("metered", "lagging", "dynamodb-ministack")
@settings(max_examples=count(EXAMPLES, EXAMPLES // 10))
@given(HISTORIES, RANGES)
def test_the_other_engines_behave_like_the_reference_engine(
    lasting: Engine, history: Histories, ranges: Ranges
) -> None:
    check(lasting, history, ranges)


def check(lasting: Engine, history: Histories, ranges: Ranges) -> None:
    engine, plain = emptied(lasting), ReferenceEngine()
    for actions in history:
        expected, actual = outcome(plain, actions), outcome(engine, actions)
        # Of a batch that is wrong in itself and refused besides, an engine may tell either.
        assert actual == expected or (actual is ValueError and expected and adds_to_no_number(plain, actions))
    assert answers(engine, ranges) == answers(plain, ranges)
