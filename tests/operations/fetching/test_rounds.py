"""What is found out of several instants at once: in how many readings, and within which allowance."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from stratabase import waiting
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.order import Order
from stratabase.domain.query.page import Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.refusal import Refused
from stratabase.operations.fetching.moments import Moments
from stratabase.operations.fetching.rounds import Rounds, Unknown
from stratabase.operations.fetching.source import Source
from tests.everything import EVERYTHING, Objects
from tests.worlds import plenty

MENTORS, MEMBERS = RoleName("Person", "pupils"), RoleName("Project", "members")


class Asked(Objects):
    """Objects that note what is asked of them, each time at once."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[list[tuple[str, Instant]]] = []
        self.looks: list[list[tuple[str, Instant]]] = []

    def as_of(self, moments: Sequence[tuple[Reference, Instant]], *given: Any) -> list[Entity | None]:
        self.reads.append([(reference.id, instant) for reference, instant in moments])
        return [Entity(reference, {"at": instant}) for reference, instant in moments]

    def linked(self, role: RoleName, ids: Sequence[str], **given: Any) -> list[tuple[str, ...]]:
        self.looks.append(list(zip(ids, given["at"], strict=True)))
        return [(f"{id_}.{instant}",) for id_, instant in self.looks[-1]]


@pytest.fixture
def asked() -> Asked:
    return Asked()


def rounds(asked: Asked, allowance: ReadBudget | None = None) -> Rounds:
    return Rounds(Moments(asked, EVERYTHING), allowance or plenty())


def person(id_: str) -> Reference:
    return Reference("Person", id_)


def chain(source: Source, number: int) -> list[Any]:
    """Read as many objects as a number says, one after the other, and look what the last one leads to."""
    found = [source.read([person(f"p{step}")])[0] for step in range(number)]
    (led,) = source.linked(MENTORS, ["p"])
    return [*(each and each.state["at"] for each in found), *led]


def test_the_readings_are_as_many_as_the_longest_row_has(asked: Asked) -> None:
    def begin(number: int, source: Source, _: ReadBudget) -> Callable[[], list[Any]]:
        return lambda: chain(source, number % 4)

    found = rounds(asked).each(range(100, 120), begin)
    assert found == [[*[at] * (at % 4), f"p.{at}"] for at in range(100, 120)]
    assert [len(each) for each in asked.reads] == [15, 10, 5]
    assert [len(each) for each in asked.looks] == [20]


def test_nothing_is_asked_that_is_known(asked: Asked) -> None:
    def begin(_: int, source: Source, __: ReadBudget) -> Callable[[], int]:
        return lambda: len(source.read([person("a"), person("b")]) + source.read([person("b")]))

    assert rounds(asked).each([1, 2], begin) == [3, 3]
    assert asked.reads == [[("a", 1), ("b", 1), ("a", 2), ("b", 2)]]
    assert rounds(asked).each([], begin) == []


def test_links_of_several_roles_are_looked_at_one_role_after_the_other(asked: Asked) -> None:
    def begin(number: int, source: Source, _: ReadBudget) -> Callable[[], Any]:
        return lambda: source.linked(MEMBERS if number % 2 else MENTORS, ["x"], limit=5)

    found = rounds(asked).each([1, 1, 2, 2], begin)
    assert found == [[("x.1",)], [("x.1",)], [("x.2",)], [("x.2",)]]
    assert asked.looks == [[("x", 1), ("x", 2)]] * 2


def test_what_is_tried_in_vain_costs_nothing(asked: Asked) -> None:
    allowance = ReadBudget(1000, 1, lambda: 0)

    def begin(_: int, source: Source, tentative: ReadBudget) -> Callable[[], Any]:
        def find() -> list[Any]:
            tentative.charge(100)
            return chain(source, 3)

        return find

    rounds(asked, allowance).each([1, 2, 3], begin)
    assert allowance.bytes_read == 300


def test_who_takes_too_much_sees_it_at_once(asked: Asked) -> None:
    allowance = ReadBudget(250, 1, lambda: 0)

    def begin(_: int, __: Source, tentative: ReadBudget) -> Callable[[], bool]:
        def find() -> bool:
            tentative.charge(100)
            return tentative.is_exhausted

        return find

    assert rounds(asked, allowance).each([1, 2, 3], begin) == [False, False, True]


def test_what_goes_wrong_with_one_goes_wrong_with_all(asked: Asked) -> None:
    def begin(_: int, source: Source, allowance: ReadBudget) -> Callable[[], Any]:
        return lambda: source.page(Query("Person", Order()), allowance)

    with pytest.raises(Refused, match="of the present only"):
        rounds(asked).each([1, 2], begin)


def test_who_reads_beside_it_is_called_with_each_reading(asked: Asked) -> None:
    known: set[int] = set()
    wanted: set[int] = set()

    def catch_up() -> None:
        known.update(wanted)

    def begin(number: int, source: Source, _: ReadBudget) -> Callable[[], int]:
        def find() -> int:
            source.read([person("a")])
            wanted.add(number)
            if number not in known:
                raise Unknown
            return number

        return find

    beside = Rounds(Moments(asked, EVERYTHING), plenty(), catch_up)
    assert beside.each([1, 2, 3], begin) == [0, 1, 2]
    assert [len(each) for each in asked.reads] == [3]


def test_others_go_on_while_many_are_looked_at(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    pauses: list[int] = []

    def begin(number: int, _: Source, __: ReadBudget) -> Callable[[], None]:
        return lambda: looked.append(number)

    monkeypatch.setattr(waiting, "give_way", lambda: pauses.append(len(looked)))
    rounds(asked).each(range(100), begin)
    gaps = [after - before for before, after in pairwise([0, *pauses, len(looked)])]
    assert max(gaps) <= 10
