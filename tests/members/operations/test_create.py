"""Creation of members."""

from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.members.member import Member
from stratabase.members.refusals import BadMember, InvitationNotSent, RecipientRefused
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import verbatim
from tests.members.operations.member_operations import ANNA, BEA, BOSS, MemberOperations

CARL = {"username": "Carl", "email": "carl@example.com", "profile": "Clerk"}


def test_null_sets_the_default(operations: MemberOperations) -> None:
    member = operations.create(BEA, **CARL, notes=None, language=None, timeZone=None)
    assert (member.notes, member.formats) == (None, Formats())


def test_a_new_member_is_invited_after_the_creation(operations: MemberOperations) -> None:
    member = operations.create(BEA, **CARL)
    assert operations.invited == [(member.id, "https://example.com")]


def refuse(_: str, __: str) -> None:
    raise RecipientRefused(verbatim('Nobody has this "email".'))


def test_a_member_whose_address_takes_no_mail_is_not_created(operations: MemberOperations) -> None:
    operations.invite = refuse
    with pytest.raises(BadMember, match=r'^Nobody has this "email"\.$') as refusal:
        operations.create(BEA, **CARL)
    assert [mistake.field for mistake in refusal.value.mistakes] == ["email"]
    assert operations.list(BEA) == (ANNA, BOSS)
    operations.invite = None
    assert operations.create(BEA, **CARL).username == "Carl"


def test_a_member_who_is_removed_meanwhile_is_reported_alike(operations: MemberOperations) -> None:
    def remove_and_refuse(id_: str, base_url: str) -> None:
        operations.remove(BEA, id_)
        refuse(id_, base_url)

    operations.invite = remove_and_refuse
    with pytest.raises(RecipientRefused):
        operations.create(BEA, **CARL)
    assert operations.list(BEA) == (ANNA, BOSS)


def test_a_member_who_must_stay_is_reported_as_created(operations: MemberOperations) -> None:
    """In the meantime, the new member has become the only administrator."""

    def demote_and_refuse(id_: str, base_url: str) -> None:
        operations.update(BEA, "b", {"profile": "Clerk"})
        refuse(id_, base_url)

    operations.invite = demote_and_refuse
    with pytest.raises(InvitationNotSent, match='Nobody has this "email"') as refusal:
        operations.create(BEA, **CARL | {"profile": "Boss"})
    assert operations.stored(refusal.value.member.id).username == "Carl"


def test_all_errors_are_reported_together(operations: MemberOperations) -> None:
    value: dict[str, Any] = {"id": "x", "email": "nowhere", "profile": "Cook", "timeZone": "Europe/Rom"}
    with pytest.raises(BadMember) as refusal:
        operations.create(BEA, **value, language=5, notes="\x07")
    fields = [mistake.field for mistake in refusal.value.mistakes]
    assert fields == ["id", "username", "email", "notes", "profile", "timeZone", "language"]
    assert all(f'"{field}" ' in str(refusal.value) for field in fields)


def test_a_generated_id_that_is_taken_is_replaced(operations: MemberOperations) -> None:
    operations.members.add(Member("id1", "other", "other@example.com", "Clerk"))
    assert operations.create(BEA, **CARL).id == "id2"


def test_creation_gives_up_after_repeated_conflicts(operations: MemberOperations) -> None:
    def conflict() -> None:
        raise Conflict

    operations.members.before_write = conflict
    with pytest.raises(Unavailable, match="Concurrent changes to members prevented this change"):
        operations.create(BEA, **CARL)
