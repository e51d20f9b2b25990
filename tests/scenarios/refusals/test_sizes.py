"""Writes too large for one commit are refused with their size and the limit."""

from collections.abc import Callable
from typing import Any

from tests.rows import each_row
from tests.scenarios.refusals.case import Case, changing, housing, making
from tests.scenarios.refusals.issue import Issue, entity

LONG = "x" * 358_400
"""With anything beside it, more than an object may be."""
LONGER = LONG + "x"
"""More than any object may be, so that nothing else is tested."""
THIRD_OF_A_MEGABYTE = "x" * 350_000


def too_large(class_name: str, message: str, at: str = "data") -> Issue:
    return entity("MALFORMED_REQUEST", class_name, message, at)


def leaves(number: int, **each: Any) -> list[dict[str, Any]]:
    return [{"number": place, **each} for place in range(number)]


def only(case: Case, *verbs: str) -> Case:
    """Return a case with only some of its services, because large requests are slow."""
    return Case(case.says, [way for way in case.ways if way.verb in verbs])


def in_one(class_name: str, size: str, at: str = "data") -> Issue:
    return too_large(class_name, f"The {class_name} has {size} bytes. The maximum is 358,400 bytes.", at)


def in_all(class_name: str, what: str) -> Issue:
    return too_large(class_name, what)


ACTIONS = "objects, links, and unique values. The maximum is 100."
MORE = "The request refers to 1,002 objects. The maximum is 1,000."
OBJECTS = [
    making(
        "a new object with a name and a part",
        "Scroll",
        {"_clientId": "S", "text": LONG, "leaves": [{"number": 1}]},
        in_one("Scroll", "358,451").called("S"),
    ),
    making(
        "a new part",
        "Scroll",
        {"leaves": [{"number": 1}, {"_clientId": "L", "text": LONG}]},
        in_one("Leaf", "358,450", "data.leaves.1").called("L"),
    ),
    making(
        "a text that is too long by itself",
        "Scroll",
        {"_clientId": "S", "text": LONGER, "leaves": [{"number": 1}]},
        in_one("Scroll", "at least 358,401").called("S"),
    ),
    changing(
        "a part with such a text",
        "Scroll",
        {"_id": "<scroll>", "leaves": {"create": [{"number": 1}, {"text": LONGER}]}},
        in_one("Leaf", "at least 358,401", "data.leaves.create.1"),
    ),
    changing(
        "an object", "Sheet", {"_id": "<sheet>", "story": LONG}, in_one("Sheet", "358,471").of("<sheet>")
    ),
    changing(
        "an object with parts",
        "Scroll",
        {"_id": "<scroll>", "text": LONG, "leaves": {"create": [{"number": 2}]}},
        in_one("Scroll", "358,497").of("<scroll>"),
    ),
    changing(
        "a new part of an object",
        "Scroll",
        {"_id": "<scroll>", "leaves": {"create": [{"text": LONG}]}},
        in_one("Leaf", "358,450", "data.leaves.create.0"),
    ),
]
GRAPHS = [
    making("new parts", "Scroll", {"leaves": leaves(120)}, in_all("Scroll", f"The write has 121 {ACTIONS}")),
    changing(
        "parts",
        "Scroll",
        {"_id": "<scroll>", "leaves": {"create": leaves(120)}},
        in_all("Scroll", f"The write has 121 {ACTIONS}").of("<scroll>"),
    ),
    making(
        "more parts than are thought about",
        "Scroll",
        {"_clientId": "S", "leaves": leaves(1001)},
        in_all("Scroll", MORE).called("S"),
    ),
    changing(
        "more ids than are thought about",
        "Person",
        {"_id": "<ann>", "skills": {"add": [f"s{number}" for number in range(1001)]}},
        in_all("Person", MORE).of("<ann>"),
    ),
    housing(
        "the singleton's parts",
        {"name": "H", "doors": {"create": [{"width": 1}] * 101}},
        in_all("House", f"The write has 103 {ACTIONS}"),
    ),
    only(
        making(
            "bytes",
            "Scroll",
            {"leaves": leaves(12, text=THIRD_OF_A_MEGABYTE)},
            in_all("Scroll", "The write has 4,214,744 bytes. The maximum is 4,194,304 bytes."),
        ),
        "create",
        "validate",
    ),
]


@each_row("case", OBJECTS)
def test_a_too_large_object_is_refused(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", GRAPHS)
def test_a_graph_of_too_many_objects_is_refused(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)
