"""Members on DynamoDB when answers get lost: each change is made once, and its maker knows."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from stratabase.domain.members.member import Member, NamesTaken
from stratabase.store.dynamodb.retry import RetryPolicy
from stratabase.store.pynamodb.members import PynamoMembers
from stratabase.store.pynamodb.table import Table
from tests import ministack

ANNA = Member("1", "Anna", "anna@example.com", "Boss")
BERT = Member("2", "Bert", "bert@example.com", "Boss")


@pytest.fixture
def members(monkeypatch: pytest.MonkeyPatch) -> Iterator[PynamoMembers]:
    """A store of which every first answer to a write gets lost."""
    table = Table(ministack.endpoint(), "members-lost-answers", RetryPolicy(sleep=lambda _: None))
    table.ensure()
    call = table._connection._make_api_call
    seen: set[str] = set()

    def losing(operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        answer = call(operation, parameters)
        token = parameters.get("ClientRequestToken", "")
        if token and token not in seen:
            seen.add(token)
            raise ReadTimeoutError(endpoint_url="lost on the way back")
        return answer

    monkeypatch.setattr(table._connection, "_make_api_call", losing)
    yield PynamoMembers(table)
    table.drop()
    table.close()


def stored(members: PynamoMembers, id_: str) -> Member:
    member = members.by_id(id_)
    assert member is not None
    return member


def test_who_is_added_is_told_so(members: PynamoMembers) -> None:
    members.add(ANNA)
    assert stored(members, "1") == ANNA
    with pytest.raises(NamesTaken):
        members.add(replace(ANNA, id="2"))


def test_a_change_is_made_once(members: PynamoMembers) -> None:
    members.add(ANNA)
    members.add(BERT)
    roster = members.roster()
    first = stored(members, "1")
    members.change(first, replace(first, username="Anne"), roster)
    assert stored(members, "1").revision == first.revision + 1
    assert members.roster().revision == roster.revision + 1


def test_a_removal_is_one(members: PynamoMembers) -> None:
    members.add(ANNA)
    members.remove(stored(members, "1"), members.roster())
    assert members.any() is False
    members.add(replace(ANNA, id="3"))
