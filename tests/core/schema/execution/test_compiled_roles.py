"""Compiled operations with roles return the results of graphql-core's executor."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Class
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import Services
from stratabase.core.schema.execution.compiled_operation import CompiledOperation
from stratabase.core.schema.executor import SchemaExecutor
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.fakes import ADMINISTRATOR, NOON, CountedIds, FrozenClock, unlimited_budget

OPTIONS = [
    "",
    "(options: {})",
    "(options: null)",
    "(options: {next: 1})",
    "(options: {prev: 2, orderBy: [_id___DESC]})",
    "(options: {next: $n, offset: 1})",
    "(options: {filter: {_id___gt: $id}})",
    "(options: {filter_exp: \"_id > 'd'\"})",
    "(options: {fromCursor: {_id: $id}})",
    '(options: {cursor: "none"})',
]
ATTRIBUTES = [
    *("last_name", "born", "name", "digits", "number"),
    *("introduction", "team_name", "team_size", "mentor_born", "pupil_count", "own"),
    *("headcount", "payroll", "eldest_born", "loud_colour", "window_count", "days"),
]
"""Some that classes have, kept or derived."""
LOCKS = [
    "_lock { lockedBy lockedUntil mine __typename }",
    '_lock { lockedUntil(format: "dd MMMM yyyy HH") }',
    '_lock { lockedUntil(format: "jj") mine }',
    "_lock { mine ... on LockInfo { lockedBy } }",
]
PAGE = ["totalCount", "hasNext", "hasPrev", "nextCursor", "prevCursor", "__typename"]


def stored() -> EverythingObjects:
    """Return a small graph that also has broken references."""
    objects = EverythingObjects()
    for number in range(4):
        key = {"team": f"t{number % 2}", "mentor": "p0", "desk": f"d{number}", "favourite": "nothing"}
        phones = [f"p{number}.1", f"p{number}.2"]
        known: dict[str, Stored] = {
            "last_name": "Li",
            "email": f"{number}@example.com",
            "born": "2000-01-31",
            "salary": "10.5",
            "number": number + 1,
        }
        objects.put("Person", f"p{number}", **known, **key, phones=phones, _createdby="ada")
        for phone in phones:
            objects.put("Phone", phone, digits="1", person_=f"p{number}")
        objects.put("Desk", f"d{number}", number=number)
    for number in range(2):
        objects.put("Team", f"t{number}", name=str(number), lead="p1" if number else "gone")
    objects.put("Project", "j", title="A", colour="c")
    objects.put("Colour", "c", name="red")
    objects.link("Person", "projects", "p0", "j")
    objects.link("Person", "projects", "p1", "j", "gone")
    for class_name, id_, owner in (("Person", "p1", "m1"), ("Team", "t0", "m2"), ("Phone", "p0.1", "m2")):
        objects.locks[Reference(class_name, id_)] = Lock(owner, f"name of {owner}", NOON + 60_000)
    objects.locks[Reference("Desk", "d1")] = Lock("m2", "he", NOON)
    return objects


def executor_of(
    objects: EverythingObjects, budget: Callable[[], ReadBudget] = unlimited_budget, **options: Any
) -> Any:
    """Return an executor of requests to a graph."""
    services = Services(EVERYTHING, objects, FrozenClock(), CountedIds(), budget)
    return SchemaExecutor(services, lambda *_: None, **options)


# Nothing is written, so one of each answers all requests.
EXECUTORS = {compiled: executor_of(stored(), compile_answers=compiled) for compiled in (True, False)}


def answers(query: str, variables: dict[str, Any], *, compiled: bool) -> list[Any]:
    """Return the responses to a request that is sent twice: the second time its document is cached."""
    executor = EXECUTORS[compiled]
    found = [executor.execute(query, variables, None, ADMINISTRATOR, "trace") for _ in range(2)]
    return [json.loads(answer.body) for answer in found]


@st.composite
def selections(draw: st.DrawFn, class_: Class, depth: int = 3) -> str:
    """Draw a selection on objects of a class. A response key stands for one field, but may occur twice."""
    names = ["_id", *(name for name in ATTRIBUTES if name in class_.attributes)]
    fields = [draw(st.sampled_from(names)) for _ in range(draw(st.integers(1, 2)))]
    fields += draw(st.lists(st.sampled_from(LOCKS), max_size=1))
    roles = range(draw(st.integers(0, 2)) if depth and class_.roles else 0)
    fields += [draw(_role(class_, draw(st.sampled_from(sorted(class_.roles))), depth)) for _ in roles]
    written = [
        f"k{place}: {field}{draw(conditions)}" if "{" not in field else f"k{place}: {field}"
        for place, field in enumerate(fields)
    ]
    again = [text for text in written if "{" in text and draw(st.booleans())]
    return " ".join([*written, *again])


conditions = st.sampled_from(["", "", "", " @skip(if: true)"])


@st.composite
def _role(draw: st.DrawFn, class_: Class, name: str, depth: int) -> str:
    role = class_.roles[name]
    below = selections(EVERYTHING.classes[role.target], depth - 1)
    candidates = not role.composition and not role.whole and draw(st.booleans())
    if not role.many and not candidates:
        return f"{name} {{ {draw(below)} }}"
    shown = draw(st.lists(st.sampled_from(PAGE), max_size=2))
    items = [f"{key}items {{ {draw(below)} }}" for key in draw(st.sampled_from([[""], ["a: ", "b: "], []]))]
    suffix = "___associables" if candidates else ""
    return f"{name}{suffix}{draw(st.sampled_from(OPTIONS))} {{ {' '.join([*shown, *items, '__typename'])} }}"


def test_an_operation_with_roles_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, the other test here would pass with a compiler that compiles nothing."""
    compiled: list[Any] = []
    data = CompiledOperation.data

    def noted(*given: Any) -> Any:
        compiled.append(data(*given))
        return compiled[-1]

    monkeypatch.setattr(CompiledOperation, "data", noted)
    query = """query($n: Int) { Person___getPage {
      items { team { members(options: {next: $n}) { totalCount items { desk { number } } } } }
      again: items { team { lead { last_name } } } } }"""

    found = answers(query, {"n": 1}, compiled=True)

    assert compiled == [found[0]["data"]] * 2
    assert compiled[0] is not None


def test_repeated_objects_in_a_response_count_towards_the_read_budget() -> None:
    """Otherwise a few objects that lead to one another would make an answer without end."""
    objects = stored()
    for number in range(10):
        objects.put("Person", f"q{number}", team="t1")
    executor = executor_of(objects, lambda: ReadBudget(200_000, 1, lambda: 0))
    again = "team { members { items { " * 4
    query = f'{{ Person___get(_id: "p1") {{ {again} _id {"} } } " * 4} }} }}'

    answer = json.loads(executor.execute(query, {}, None, ADMINISTRATOR, "trace").body)

    (error,) = answer["errors"]
    assert "Request less data" in error["message"]
    assert len(objects.allowances) < 20
