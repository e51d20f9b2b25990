"""Groups of random objects are those of simple code, whatever the batches, the order and the page."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from stratabase.core.domain.query.cursor import BadCursor, decode_group_cursor, encode_group_cursor
from stratabase.core.domain.query.groups import (
    MAX_GROUPS,
    Accumulation,
    Group,
    Grouping,
    GroupKey,
    GroupPart,
    GroupTerm,
    GroupTest,
    Measure,
    TooManyGroups,
    measured_type,
)
from stratabase.core.model.types.operators import Operator, Total
from tests.core.domain.query.naive import folded
from tests.core.domain.query.queries import VALUES
from tests.models import THINGS
from tests.soak import count, seed
from tests.values.formats.test_buckets import naive_bucket

CLASS = THINGS.classes["Thing"]
NAMES = [name for name in CLASS.attributes if name in VALUES and CLASS.attributes[name].type.totals]
ROME = ZoneInfo("Europe/Rome")
State = Mapping[str, Any]


def random_states(chance: Random) -> list[State]:
    states: list[State] = [
        {"_id": f"id{number:02}", **{name: chance.choice([*VALUES[name], None]) for name in NAMES}}
        for number in range(chance.randint(0, 60))
    ]
    chance.shuffle(states)
    return states


def all_keys() -> list[GroupKey]:
    plain = [GroupKey(name) for name in NAMES if CLASS.attributes[name].type.groups_by_value]
    return [*plain, *(GroupKey(name, each) for name in NAMES for each in CLASS.attributes[name].type.buckets)]


def all_measures() -> list[Measure]:
    return [Measure(name, total) for name in NAMES for total in CLASS.attributes[name].type.totals]


def random_grouping(chance: Random) -> Grouping:
    keys = tuple(chance.sample(all_keys(), chance.choice([0, 1, 1, 2, 3])))
    measures = chance.sample(all_measures(), chance.randint(0, 4))
    parts: list[Measure | GroupPart] = [GroupPart.COUNT, *measures]
    order = [
        GroupTerm(each, chance.random() < 0.5)
        for each in chance.sample([*parts, GroupPart.KEYS], chance.randint(0, 2))
    ]
    having = [random_test(chance, chance.choice(parts)) for _ in range(chance.choice([0, 0, 1]))]
    return Grouping(keys, frozenset(measures), tuple(having), tuple(order), chance.choice([0, 1, 3, 100]))


def random_test(chance: Random, by: Measure | GroupPart) -> GroupTest:
    operator = chance.choice([*COMPARISONS])
    of_type: Mapping[str, Sequence[Any]] = {"Int": [0, 1, 2, 5], "Real": ["0", "3.5", "100"]}
    values = of_type.get(measured_type(CLASS, by).name)
    if values is None:
        assert isinstance(by, Measure)
        values = VALUES[by.name]
    return GroupTest(by, operator, chance.choice([each for each in values if each is not None]))


def compared(value: Any, by: Measure | GroupPart | GroupKey) -> Any:
    """Return a value as Python compares it."""
    if value is None or isinstance(by, GroupKey | GroupPart):
        return value
    type_ = measured_type(CLASS, by)
    return (
        Decimal(value) if type_.name == "Real" else folded(CLASS, by.name, value) if type_.folding else value
    )


COMPARISONS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQ: lambda value, operand: bool(value == operand),
    Operator.NE: lambda value, operand: bool(value != operand),
    Operator.LT: lambda value, operand: value is not None and bool(value < operand),
    Operator.LTE: lambda value, operand: value is not None and bool(value <= operand),
    Operator.GT: lambda value, operand: value is not None and bool(value > operand),
    Operator.GTE: lambda value, operand: value is not None and bool(value >= operand),
}


def naive_measure(measure: Measure, states: Sequence[State]) -> Any:
    is_real = CLASS.attributes[measure.name].type.name == "Real"
    values = [
        Decimal(each) if is_real else each for state in states if (each := state[measure.name]) is not None
    ]
    if measure.total is Total.COUNT_DISTINCT:
        return len({folded(CLASS, measure.name, each) for each in values})
    if not values:
        return None
    if measure.total in {Total.MIN, Total.MAX}:
        # Of texts that fold alike, the code points decide.
        values = sorted(sorted(values), key=lambda value: folded(CLASS, measure.name, value))
        return values[0 if measure.total is Total.MIN else -1]
    total = sum(map(Fraction, values))
    return total if measure.total is Total.SUM else total / len(values)


def is_equal(found: Any, expected: Any, measure: Measure) -> bool:
    if found is None or expected is None or measured_type(CLASS, measure).name != "Real":
        return bool(found == expected)
    difference = abs(Fraction(Decimal(found)) - Fraction(expected))
    return difference * 10**37 <= abs(Fraction(expected))


def key_value(key: GroupKey, state: State) -> Any:
    value = state[key.name]
    value = folded(CLASS, key.name, value)
    return value if key.bucket is None or value is None else naive_bucket(key.bucket, value, ROME)


def accumulated(grouping: Grouping, states: Sequence[State], chance: Random) -> Accumulation:
    found, at = Accumulation(CLASS, grouping, ROME), 0
    while at < len(states):
        batch = states[at : at + chance.randint(1, 20)]
        found.add({name: [state[name] for state in batch] for name in found.names}, len(batch))
        at += len(batch)
    return found


def in_order(groups: Sequence[Group], grouping: Grouping) -> list[Group]:
    def compare(one: Group, other: Group) -> int:
        for by, descending in grouping.places:
            part = grouping.keys[by] if isinstance(by, int) else by
            left, right = (compared(each.value(by), part) for each in (one, other))
            if isinstance(part, GroupKey) and part.bucket is None:
                left, right = (folded(CLASS, part.name, each) for each in (left, right))
            if left != right:
                is_less = left is None or (right is not None and left < right)
                return 1 if is_less is descending else -1
        return 0

    return sorted(groups, key=cmp_to_key(compare))


def shown_keys(keys: tuple[Any, ...], states: Sequence[State], grouping: Grouping) -> tuple[Any, ...]:
    """Return keys of a group, those that are folded as its first object has them."""
    pairs = zip(grouping.keys, keys, strict=True)
    first = min(states, key=lambda state: str(state["_id"]), default={})
    return tuple(value if key.bucket else first[key.name] for key, value in pairs)


def check(chance: Random) -> None:
    states, grouping = random_states(chance), random_grouping(chance)
    expected: dict[tuple[Any, ...], list[State]] = defaultdict(list)
    if not grouping.keys:
        expected[()] = []
    for state in states:
        expected[tuple(key_value(key, state) for key in grouping.keys)].append(state)

    accumulation = accumulated(grouping, states, chance)
    groups = list(accumulation.groups())

    shown = {shown_keys(keys, found, grouping): found for keys, found in expected.items()}
    assert {each.keys: each.number for each in groups} == {keys: len(found) for keys, found in shown.items()}
    for group in groups:
        for measure, value in group.measures.items():
            assert is_equal(value, naive_measure(measure, shown[group.keys]), measure), (measure, group)
    passing = [
        group
        for group in groups
        if all(
            COMPARISONS[test.operator](
                compared(group.value(test.by), test.by), compared(test.operand, test.by)
            )
            for test in grouping.having
        )
    ]
    ordered = in_order(passing, grouping)
    page = accumulation.page()
    assert list(page.items) == ordered[: grouping.size]
    assert (page.total_count, page.has_next) == (len(passing), len(passing) > grouping.size)
    check_cursor(states, grouping, ordered, chance)


def check_cursor(
    states: Sequence[State], grouping: Grouping, ordered: Sequence[Group], chance: Random
) -> None:
    if not ordered:
        return
    number = chance.randrange(len(ordered))
    cursor = encode_group_cursor(ordered[number], grouping, CLASS)
    start = decode_group_cursor(cursor, grouping, CLASS)
    further = Grouping(
        grouping.keys, grouping.measures, grouping.having, grouping.order, grouping.size, start
    )
    page = accumulated(further, states, chance).page()
    assert list(page.items) == ordered[number + 1 :][: grouping.size]


def test_groups_are_those_of_simple_code() -> None:
    chance = Random(seed())
    for _ in range(count(300, 20_000)):
        check(chance)


def test_totals_of_nothing_are_null() -> None:
    grouping = Grouping(measures=frozenset(all_measures()))
    (group,) = Accumulation(CLASS, grouping, UTC).groups()
    assert group.number == 0
    assert {measure for measure, value in group.measures.items() if value is not None} == {
        measure for measure in all_measures() if measure.total is Total.COUNT_DISTINCT
    }


def test_only_folded_keys_need_ids() -> None:
    for name, names in (("name", {"name"}), ("alias", {"alias", "_id"})):
        assert Accumulation(CLASS, Grouping((GroupKey(name),)), UTC).names == names
    assert Accumulation(CLASS, Grouping(measures=frozenset({Measure("alias", Total.MIN)})), UTC).names == {
        "alias"
    }


def test_long_texts_are_reported_before_they_are_folded() -> None:
    costs: list[int] = []
    grouping = Grouping((GroupKey("alias"),), frozenset({Measure("alias", Total.COUNT_DISTINCT)}))
    found = Accumulation(CLASS, grouping, UTC, costs.append)
    found.add({"_id": ["1", "2"], "alias": ["\u00e9" * 2000, "\u00e9" * 20]}, 2)
    list(found.groups())
    assert costs == [100_000] * 2


def test_sums_are_exact() -> None:
    grouping = Grouping(measures=frozenset({Measure("price", Total.SUM), Measure("price", Total.AVG)}))
    found = Accumulation(CLASS, grouping, UTC)
    found.add({"price": ["1E+60", "0.1", "-1E+60", "0.2"]}, 4)
    (group,) = found.groups()
    assert group.measures == {Measure("price", Total.SUM): "0.3", Measure("price", Total.AVG): "0.075"}


def test_averages_are_rounded_half_even_to_38_digits() -> None:
    grouping = Grouping(measures=frozenset({Measure("price", Total.AVG)}))
    found = Accumulation(CLASS, grouping, UTC)
    digits = "1" * 37
    found.add({"price": [f"{digits}2", f"{digits}3"]}, 2)
    (group,) = found.groups()
    assert group.measures[Measure("price", Total.AVG)] == f"{digits}2"


def test_more_groups_than_the_maximum_are_refused() -> None:
    found = Accumulation(CLASS, Grouping((GroupKey("count"),)), UTC)
    found.add({"count": range(MAX_GROUPS)}, MAX_GROUPS)
    with pytest.raises(TooManyGroups):
        found.add({"count": [-1]}, 1)


def test_a_cursor_of_other_groups_is_refused() -> None:
    grouping = Grouping((GroupKey("name"),))
    group = Group(("a",), 1, {})
    cursor = encode_group_cursor(group, grouping, CLASS)
    others = [
        Grouping((GroupKey("colour"),)),
        Grouping((GroupKey("name"),), having=(GroupTest(GroupPart.COUNT, Operator.GT, 1),)),
        Grouping((GroupKey("name"),), order=(GroupTerm(GroupPart.KEYS, descending=True),)),
    ]
    for other in others:
        with pytest.raises(BadCursor, match="other groups"):
            decode_group_cursor(cursor, other, CLASS)
    with pytest.raises(BadCursor, match="not valid"):
        decode_group_cursor("x", grouping, CLASS)
