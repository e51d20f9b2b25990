"""Reads of members are reported to the request that is being measured, with the units of DynamoDB."""

from dataclasses import replace

from stratabase.core.domain.query.read_budget import Consumption, round_trips
from stratabase.core.store.engine.wrappers import record_consumption
from stratabase.members.member import Member
from stratabase.members.stores.metered_members import MeteredMembers
from tests.in_memory_members import InMemoryMembers
from tests.rows import each_row

ANNA = Member("1", "anna", "anna@example.com", "Clerk")
LARGE = Member("2", "bert", "bert@example.com", "Clerk", "n" * 5000)
MEMBERS = MeteredMembers(InMemoryMembers(ANNA, LARGE))


def figures(consumed: list[Consumption]) -> list[tuple[str, int, int, float]]:
    return [(each.kind, each.round_trips, each.items, each.read_units) for each in consumed]


@each_row(
    ("ids", "expected"),
    [
        (["1"], ("get", 1, 1, 1)),
        (["2"], ("get", 1, 1, 2)),
        (["1", "2", "1", "none"], ("get", 1, 3, 4)),
        ([f"none{number}" for number in range(150)], ("get", 2, 150, 150)),
    ],
)
def test_reads_by_id_are_reported(ids: list[str], expected: tuple[str, int, int, float]) -> None:
    consumed: list[Consumption] = []
    with record_consumption(consumed.append):
        found = MEMBERS.by_ids(ids)
    assert [each and each.id for each in found] == [None if id_.startswith("none") else id_ for id_ in ids]
    assert figures(consumed) == [expected]


def test_reads_by_name_are_two_round_trips() -> None:
    consumed: list[Consumption] = []
    with record_consumption(consumed.append):
        assert MEMBERS.by_username("ANNA") == ANNA
        assert MEMBERS.by_email("nobody@example.com") is None
        assert MEMBERS.by_id("2") == LARGE
    assert figures(consumed) == [("get", 2, 2, 2), ("get", 2, 2, 2), ("get", 1, 1, 2)]
    assert round_trips(consumed) == 5


def test_each_batch_is_reported() -> None:
    many = [
        replace(ANNA, id=f"{each}", username=f"u{each}", email=f"{each}@example.com") for each in range(5)
    ]
    consumed: list[Consumption] = []
    with record_consumption(consumed.append):
        batches = MeteredMembers(InMemoryMembers(*many)).batches()
        assert len(next(batches)) == 3
        assert figures(consumed) == [("range", 1, 3, 1)]
        assert len(next(batches)) == 2
        assert next(batches, None) is None
    assert figures(consumed) == [("range", 1, 3, 1), ("range", 1, 2, 1)]
    assert {each.index for each in consumed} == {"members"}


def test_nothing_is_reported_unless_the_request_is_measured() -> None:
    assert [*MEMBERS.batches()] == [[ANNA, LARGE]]
    assert MEMBERS.by_ids(["1"]) == [ANNA]
