"""Random objects, indexes and queries that mostly match."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or
from stratabase.core.domain.query.order import Order, OrderTerm, Position, position_of
from stratabase.core.domain.query.page import PageFields, Window
from stratabase.core.model.types.operators import (
    EXISTENCE_OPERATORS,
    MEMBERSHIP_OPERATORS,
    TEXT_OPERATORS,
    Operator,
)
from tests.core.domain.query.queries import FILES, IDS, VALUES, numbered, operands_of, operators_of

ALL = PageFields(items=True, total_count=True, has_next=True, has_prev=True)


LONG = [character * 448 + rest for character in "aé" for rest in ("", "\0", "a", "b", "\U0001f600")]


NAMES = ("name", "count", "price", "good", "notes", "alias", "remark")
"""Few attributes, so that indexes, filters and orders meet."""


UNINDEXED = "picture"
"""An attribute that no index can have."""


LIKELY = [Operator.EQ, Operator.IN, Operator.GT, Operator.LTE, Operator.STARTS_WITH, Operator.NOT_NULL]
"""Operators that an index serves."""


KNOWN: dict[str, list[Any]] = {
    **{name: VALUES[name][:5] for name in NAMES},
    "remark": VALUES["remark"],
    UNINDEXED: FILES,
    "_id": IDS,
    "alias": [*VALUES["alias"], *(text * 2 for text in LONG), *(text.upper() * 2 for text in LONG)],
    "notes": ["", "a", *(text * 2 for text in LONG), *(text + "z" * 450 for text in LONG)],
}


class Scenario(NamedTuple):
    """Objects, indexes and a query."""

    indexes: list[tuple[str, ...]]
    states: list[dict[str, Any]]
    filter: Filter | None
    order: Order
    window: Window
    wanted: PageFields


def scenario(chance: random.Random) -> Scenario:
    """Return a random scenario, in which index, filter and order mostly use the same attributes."""
    columns = tuple(chance.sample(NAMES, chance.choice([1, 2, 2, 3, 3])))
    others = [tuple(chance.sample(NAMES, 2)) for _ in range(chance.choice([0, 0, 1]))]
    states = numbered([a_state(chance) for _ in range(chance.randint(0, 25))])
    order = an_order(chance, columns)
    return Scenario(
        [columns, *(set(others) - {columns})],
        states,
        a_filter(chance, columns),
        order,
        a_window(chance, order, states),
        chance.choice([ALL, ALL, replace(ALL, total_count=False)]),
    )


def a_state(chance: random.Random) -> dict[str, Any]:
    return {name: chance.choice(KNOWN[name]) for name in (*NAMES, UNINDEXED) if chance.random() < 0.9}


def an_order(chance: random.Random, columns: Sequence[str]) -> Order:
    """Return a random order by some of the columns and by others, with `_id` at any place."""
    names = [*columns[chance.choice([0, 0, 1, 2]) :]][: chance.randint(0, 3)]
    names += chance.sample((*NAMES, UNINDEXED, "_id"), chance.choice([0, 0, 0, 1, 2]))
    down = chance.random() < 0.5
    terms = [OrderTerm(name, down ^ (chance.random() < 0.1)) for name in names]
    return Order.of([*terms, OrderTerm("_id", down ^ (chance.random() < 0.5))])


def a_filter(chance: random.Random, columns: Sequence[str]) -> Filter | None:
    """Return a random filter: on the first columns, and perhaps on others and on `_id`."""
    names = [*columns[: chance.randint(0, 3)], *chance.sample((*NAMES, UNINDEXED), chance.choice([0, 0, 1]))]
    parts: list[Filter] = [a_comparison(chance, name) for name in names]
    if chance.random() < 0.1:
        parts.append(Or((a_comparison(chance, columns[0]), Not(a_comparison(chance, columns[-1])))))
    if chance.random() < 0.3:
        parts = [*chance.choices(parts, k=chance.randint(0, 1) if parts else 0), *some_ids(chance, columns)]
    return And(tuple(parts)) if parts or chance.random() < 0.2 else None


def some_ids(chance: random.Random, columns: Sequence[str]) -> Sequence[Filter]:
    """Return a random filter on `_id`, perhaps within other comparisons."""
    likely = [Operator.EQ, Operator.IN, Operator.IN]
    one, other, another = (a_comparison(chance, "_id", likely) for _ in "abc")
    either = Or((And((one, a_comparison(chance, columns[0]))), And((other, another))))
    return chance.choice([[one], [one], [one, other], [either], [Or((one, other)), another]])


def a_comparison(chance: random.Random, name: str, likely: Sequence[Operator] = LIKELY) -> Comparison:
    if name == "count" and chance.random() < 0.2:
        ends = sorted(chance.sample(KNOWN[name], chance.choice([2, 2, 4])))
        return Comparison(name, Operator.WITHIN, tuple(ends))
    able = operators_of(name)
    likely = [operator for operator in likely if operator in able]
    operator = chance.choice(likely if chance.random() < 0.85 else able)
    return Comparison(name, operator, an_operand(chance, name, operator))


def an_operand(chance: random.Random, name: str, operator: Operator) -> Any:
    values = operands_of(name) if name == UNINDEXED else KNOWN[name]
    if operator in EXISTENCE_OPERATORS:
        return chance.random() < 0.5
    if operator in MEMBERSHIP_OPERATORS:
        several = chance.choice([0, 1, 8, 30, 60]) if name == "_id" else chance.randint(0, 4)
        return tuple(chance.choices([*values, None], k=several))
    if operator in TEXT_OPERATORS:
        return chance.choice(values)[: chance.choice([0, 1, 3, 899, 2000])]
    return None if operator in {Operator.EQ, Operator.NE} and chance.random() < 0.1 else chance.choice(values)


def a_window(chance: random.Random, order: Order, states: Sequence[dict[str, Any]]) -> Window:
    values = [KNOWN.get(term.attribute, IDS) for term in order.terms]
    somewhere = tuple(chance.choice([*each, None]) for each in values)
    if states and chance.random() < 0.5:
        somewhere = position_of(chance.choice(states), order).values
    position = Position(somewhere[: chance.choice([1, 2, 3, 9])])
    return Window(
        size=chance.randint(0, 6),
        backward=chance.random() < 0.5,
        offset=chance.choice([0, 0, 1, 4]),
        start=position if chance.random() < 0.6 else None,
        inclusive=chance.random() < 0.5,
    )
