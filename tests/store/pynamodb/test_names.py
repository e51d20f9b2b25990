"""What looking up a name on DynamoDB tells to those who measure the time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.domain.members.member import Member
from stratabase.operations.ports import Members
from tests.contract.members.dynamodb import ministack_table, over_ministack

ANNA = Member("1", "Anna", "anna@example.com", "Boss")


@pytest.fixture
def members() -> Iterator[Members]:
    with over_ministack(Path()) as members:
        members.add(ANNA)
        yield members


def test_a_name_that_nobody_has_takes_as_many_requests_as_one_that_somebody_has(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = ministack_table()._connection
    call: Callable[..., Any] = connection._make_api_call
    requests: list[str] = []

    def counted(operation: str, parameters: dict[str, Any]) -> Any:
        requests.append(operation)
        return call(operation, parameters)

    monkeypatch.setattr(connection, "_make_api_call", counted)
    work: dict[str, list[str]] = {}
    for name in ("Anna", "Carl", "", "x" * 100_000):
        requests.clear()
        assert (members.by_username(name) is not None) == (name == "Anna")
        work[name] = [*requests]
    assert list(work.values()) == [["GetItem", "GetItem"]] * 4
