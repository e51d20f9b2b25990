"""Members in DynamoDB: lost responses, and equal costs of lookups for all names."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.members.credentials import ProviderLink
from stratabase.members.member import Member, MemberKind, NamesTaken
from stratabase.members.ports import Members
from stratabase_aws.dynamodb.retry import RetryPolicy
from stratabase_aws.members import pynamodb_members
from stratabase_aws.members.pynamodb_members import PynamoMembers
from stratabase_aws.members.pynamodb_table import PynamoTable
from tests import ministack
from tests.contract.members.dynamodb import ministack_table, over_ministack

ANNA = Member("1", "Anna", "anna@example.com", "Boss")
BERT = Member("2", "Bert", "bert@example.com", "Boss")


@pytest.fixture
def members(monkeypatch: pytest.MonkeyPatch) -> Iterator[PynamoMembers]:
    """A store of which every first answer to a write gets lost."""
    table = PynamoTable(ministack.endpoint(), "members-lost-answers", RetryPolicy(sleep=lambda _: None))
    table.ensure()
    call = table._connection._make_api_call
    seen: set[str] = set()

    def losing(operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        answer = call(operation, parameters)
        token = parameters.get("ClientRequestToken") or (operation == "PutItem" and repr(parameters))
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


def test_an_added_member_is_added_once(members: PynamoMembers) -> None:
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


def test_a_change_of_the_record_alone_is_one_write_that_is_made_once(
    members: PynamoMembers, monkeypatch: pytest.MonkeyPatch
) -> None:
    members.add(ANNA)
    first = stored(members, "1")
    operations: list[str] = []
    call = members._table._connection._make_api_call

    def recording(operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        operations.append(operation)
        return call(operation, parameters)

    monkeypatch.setattr(members._table._connection, "_make_api_call", recording)
    members.change(first, replace(first, notes="new"))
    # The answer to the first write is lost. The second one fails, and the member is as it should be.
    assert operations == ["PutItem", "PutItem", "GetItem"]
    assert stored(members, "1") == replace(ANNA, notes="new")
    assert stored(members, "1").revision == first.revision + 1
    operations.clear()
    with pytest.raises(Conflict):
        members.change(first, replace(first, notes="stale"))
    assert operations == ["PutItem"]


def test_a_change_after_a_lost_answer_fails_if_another_change_came_first(
    members: PynamoMembers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first attempt did not run, and the second one finds the member changed."""
    members.add(ANNA)
    first, call = stored(members, "1"), members._table._connection._make_api_call
    is_lost = False

    def losing_once(operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        nonlocal is_lost
        if operation == "PutItem" and not is_lost:
            is_lost = True
            members.change(first, replace(first, notes="theirs"))
            raise ReadTimeoutError(endpoint_url="lost on the way")
        return call(operation, parameters)

    monkeypatch.setattr(members._table._connection, "_make_api_call", losing_once)
    with pytest.raises(Conflict):
        members.change(first, replace(first, notes="mine"))
    assert stored(members, "1").notes == "theirs"


def test_a_removal_is_made_once(members: PynamoMembers) -> None:
    members.add(ANNA)
    members.remove(stored(members, "1"), members.roster())
    assert members.any() is False
    members.add(replace(ANNA, id="3"))


@pytest.fixture
def shared_members() -> Iterator[Members]:
    """A store that loses nothing."""
    with over_ministack(Path()) as members:
        yield members


def abandon_guards(members: Members, member: Member) -> None:
    """Change a member as a version without links does, which leaves them out."""
    assert isinstance(members, PynamoMembers)
    before = members.by_id(member.id)
    assert before is not None
    members._table.write(members._record(replace(before, links=()), before.revision + 1).save)


LINK = ProviderLink("https://id.example", "7", "entra", 1)


@pytest.mark.parametrize("claiming", [ANNA, BERT], ids=["the same member", "another member"])
def test_a_link_that_an_earlier_version_has_left_out_can_be_made_again(
    claiming: Member, shared_members: Members
) -> None:
    for member in (replace(ANNA, links=(LINK,)), BERT):
        shared_members.add(member)
    abandon_guards(shared_members, ANNA)
    assert shared_members.by_link(LINK.issuer, LINK.subject) is None

    def link() -> None:
        before = shared_members.by_id(claiming.id)
        assert before is not None
        shared_members.change(before, replace(before, links=(LINK,)))

    with pytest.raises(Conflict):  # which all operations take for the reason to begin anew
        link()
    link()
    assert shared_members.by_link(LINK.issuer, LINK.subject) == replace(claiming, links=(LINK,))


def test_the_link_of_a_member_whom_an_earlier_version_has_removed_can_be_made_again(
    shared_members: Members,
) -> None:
    shared_members.add(replace(ANNA, links=(LINK,)))
    abandon_guards(shared_members, ANNA)
    (anna,) = shared_members.roster().members
    shared_members.remove(anna)
    assert shared_members.by_link(LINK.issuer, LINK.subject) is None
    with pytest.raises(Conflict):
        shared_members.add(replace(BERT, links=(LINK,)))
    shared_members.add(replace(BERT, links=(LINK,)))
    assert shared_members.by_link(LINK.issuer, LINK.subject) == replace(BERT, links=(LINK,))


def test_a_program_that_an_earlier_version_has_changed_stays_one(shared_members: Members) -> None:
    program = Member("3", "nightly", "", "Boss", kind=MemberKind.PROGRAM)
    shared_members.add(program)
    assert isinstance(shared_members, PynamoMembers)
    record = shared_members._record(program, 2)
    record.kind = None
    shared_members._table.write(record.save)
    assert shared_members.by_id("3") == program


def test_a_link_that_comes_back_meanwhile_stays(
    shared_members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever drops the guard has read the member before that."""
    shared_members.add(replace(ANNA, links=(LINK,)))
    shared_members.add(BERT)
    abandon_guards(shared_members, ANNA)
    stale = shared_members.by_id(ANNA.id)
    assert stale is not None
    with pytest.raises(Conflict):
        shared_members.change(stale, replace(stale, links=(LINK,)))
    stale = shared_members.by_id(ANNA.id)
    assert stale is not None
    shared_members.change(stale, replace(stale, links=(LINK,)))
    by_id, bert = shared_members.by_id, shared_members.by_id(BERT.id)
    assert bert is not None
    monkeypatch.setattr(shared_members, "by_id", lambda id_: stale if id_ == ANNA.id else by_id(id_))
    with pytest.raises(Conflict):
        shared_members.change(bert, replace(bert, links=(LINK,)))
    monkeypatch.undo()
    assert shared_members.by_link(LINK.issuer, LINK.subject) == replace(ANNA, links=(LINK,))
    with pytest.raises(NamesTaken):
        shared_members.change(bert, replace(bert, links=(LINK,)))


def test_a_lookup_takes_equally_many_requests_for_known_and_unknown_names(
    shared_members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared_members.add(ANNA)
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
        assert (shared_members.by_username(name) is not None) == (name == "Anna")
        work[name] = [*requests]
    assert list(work.values()) == [["GetItem", "GetItem"]] * 4


def test_the_roster_repeats_only_the_request_that_fails(
    members: PynamoMembers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And each request reads a batch of a partition."""
    monkeypatch.setattr(pynamodb_members, "_BATCH_SIZE", 3)
    names = [f"name{number:02}" for number in range(40)]
    for name in names:
        members.add(Member(name, name, f"{name}@example.com", "Clerk"))
    connection = members._table._connection
    call, requests, lost = connection._make_api_call, list[Any](), 4

    def recording(operation: str, parameters: dict[str, Any]) -> Any:
        nonlocal lost
        answer = call(operation, parameters)
        if operation == "Query":
            requests.append(answer["Items"])
            lost -= 1
            if not lost:
                raise ReadTimeoutError(endpoint_url="lost on the way back")
        return answer

    monkeypatch.setattr(connection, "_make_api_call", recording)
    assert [member.username for member in members.roster().members] == names
    assert requests[3] == requests[4]
    assert max(map(len, requests)) <= 3
    assert sum(map(len, requests)) == len(names) + len(requests[3])
