"""Members must prove that they know their current password before they change it or their email address."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.caller import CONSOLE, Proof, SentKey, SentToken
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated
from stratabase.members.operations.fresh_sign_in import FRESHNESS, StaleSignIn
from stratabase.members.refusals import BadMember
from tests.fakes import NOON
from tests.members.operations.member_operations import ANNA, BEA, BOSS, HERSELF, MemberOperations

NEW, OLD = "a new way in", "old"
ADDRESS = "anne@example.org"
BY_TOKEN = replace(HERSELF, proof=SentToken(1))
BEA_BY_TOKEN = replace(BEA, proof=SentToken(1))


either_field = pytest.mark.parametrize("change", [{"password": NEW}, {"email": ADDRESS}], ids=str)


@either_field
@pytest.mark.parametrize("sent", [{}, {"currentPassword": None}, {"currentPassword": ""}])
@pytest.mark.parametrize("signed_in", [1, NOON])
def test_only_the_password_changes_what_leads_to_the_account(
    signed_in: int, sent: Any, change: Any, operations: MemberOperations
) -> None:
    """Even right after the sign-in."""
    caller = replace(HERSELF, proof=SentToken(signed_in))
    with pytest.raises(BadMember) as refusal:
        operations.update(caller, "a", {**change, "notes": "mine", **sent})
    assert [mistake.field for mistake in refusal.value.mistakes] == ["currentPassword"]
    assert str(refusal.value) == (
        'To change your own password or email address, send your current password as "currentPassword".'
    )
    assert operations.stored("a") == ANNA
    assert operations.mails.mails == []


@either_field
def test_administrators_prove_their_own_password_too(change: Any, operations: MemberOperations) -> None:
    """Their change of address takes effect at once."""
    operations.change("b", password="hash of old")
    with pytest.raises(BadMember, match="currentPassword"):
        operations.update(BEA_BY_TOKEN, "b", change)
    with pytest.raises(Unauthenticated):
        operations.update(BEA_BY_TOKEN, "b", {**change, "currentPassword": "wrong"})
    assert operations.stored("b") == replace(BOSS, password="hash of old")
    after = operations.update(BEA_BY_TOKEN, "b", {**change, "currentPassword": OLD})
    assert (after.password, after.email) in {(f"hash of {NEW}", BOSS.email), ("hash of old", ADDRESS)}


def test_the_current_password_lets_a_token_change_the_address(operations: MemberOperations) -> None:
    operations.update(BY_TOKEN, "a", {"email": ADDRESS, "currentPassword": OLD}, "https://example.com")
    assert operations.stored("a").pending_email == ADDRESS
    assert operations.mails.mails[0].to == ADDRESS


@pytest.mark.parametrize("sent", [{"pendingEmail": None}, {"email": ANNA.email}], ids=str)
def test_a_token_alone_can_cancel_a_change_of_address(sent: Any, operations: MemberOperations) -> None:
    operations.update(HERSELF, "a", {"email": ADDRESS}, "https://example.com")
    assert operations.update(BY_TOKEN, "a", sent).pending_email is None


def test_a_token_alone_can_put_a_member_back_as_it_was_read(operations: MemberOperations) -> None:
    operations.update(HERSELF, "a", {"email": ADDRESS}, "https://example.com")
    read = {"id": "a", "email": ANNA.email, "pendingEmail": ADDRESS, "notes": "new"}
    assert operations.update(BY_TOKEN, "a", read).pending_email == ADDRESS


def test_the_same_address_requested_again_takes_the_password_again(operations: MemberOperations) -> None:
    operations.update(HERSELF, "a", {"email": ADDRESS}, "https://example.com")
    with pytest.raises(BadMember, match="currentPassword"):
        operations.update(BY_TOKEN, "a", {"email": ADDRESS}, "https://example.com")


def test_the_current_password_lets_a_token_change_it(operations: MemberOperations) -> None:
    after = operations.update(BY_TOKEN, "a", {"password": NEW, "currentPassword": OLD}, "", "192.0.2.7")
    assert after.password == f"hash of {NEW}"
    assert operations.sign_in.addresses == ["192.0.2.7"]


@either_field
@pytest.mark.parametrize("caller", [BY_TOKEN, HERSELF], ids=["token", "basic"])
def test_a_wrong_current_password_is_refused_and_changes_nothing(
    caller: Any, change: Any, operations: MemberOperations
) -> None:
    values = {**change, "currentPassword": "wrong", "notes": "x"}
    with pytest.raises(Unauthenticated, match="The current password is incorrect"):
        operations.update(caller, "a", values, "https://example.com")
    assert operations.stored("a") == ANNA
    assert operations.mails.mails == []


def test_basic_counts_as_the_current_password(operations: MemberOperations) -> None:
    assert operations.update(HERSELF, "a", {"password": NEW}).password == f"hash of {NEW}"
    assert operations.sign_in.addresses == []


@either_field
def test_basic_with_a_password_that_was_replaced_does_not_count(
    change: Any, operations: MemberOperations
) -> None:
    operations.change("a", password="hash of newer", generation=1)
    with pytest.raises(BadMember, match="currentPassword"):
        operations.update(HERSELF, "a", change)
    assert operations.stored("a").password == "hash of newer"


def test_a_password_that_was_replaced_meanwhile_does_not_count(operations: MemberOperations) -> None:
    def replace_password() -> None:
        if operations.members.writes == 1:
            operations.change("a", password="hash of newer", generation=1)

    operations.members.before_write = replace_password
    with pytest.raises(Unauthenticated, match="The current password is incorrect"):
        operations.update(BY_TOKEN, "a", {"password": NEW, "currentPassword": OLD})
    assert operations.stored("a").password == "hash of newer"


def test_it_is_verified_once_despite_repeated_conflicts(operations: MemberOperations) -> None:
    def edit_notes() -> None:
        if operations.members.writes < 4:
            operations.change("a", notes=f"edit {operations.members.writes}")

    operations.members.before_write = edit_notes
    operations.update(BY_TOKEN, "a", {"password": NEW, "currentPassword": OLD})
    assert (operations.members.writes, len(operations.sign_in.addresses)) == (4, 1)


@pytest.mark.parametrize("values", [{"notes": "x"}, {"email": "anna@example.com"}, {}])
def test_it_is_ignored_without_a_new_password_or_address(values: Any, operations: MemberOperations) -> None:
    operations.update(BY_TOKEN, "a", {**values, "currentPassword": "wrong"})
    assert operations.sign_in.addresses == []


@pytest.mark.parametrize("caller", [replace(BEA, proof=SentToken(NOON)), CONSOLE], ids=["fresh", "console"])
def test_administrators_set_passwords_of_others_without_it(caller: Any, operations: MemberOperations) -> None:
    after = operations.update(caller, "a", {"password": NEW, "currentPassword": "mine"})
    assert after.password == f"hash of {NEW}"
    assert operations.sign_in.addresses == []


def test_the_setting_makes_it_optional_but_a_wrong_one_is_still_refused() -> None:
    operations = MemberOperations(requires_current_password=False)
    with pytest.raises(Unauthenticated):
        operations.update(BY_TOKEN, "a", {"password": NEW, "currentPassword": "wrong"})
    with pytest.raises(Unauthenticated):
        operations.update(BY_TOKEN, "a", {"email": ADDRESS, "currentPassword": "wrong"})
    for change in ({"email": ADDRESS}, {"password": NEW}):
        with pytest.raises(StaleSignIn):
            operations.update(BY_TOKEN, "a", change)
    fresh = replace(HERSELF, proof=SentToken(NOON - FRESHNESS))
    assert operations.update(fresh, "a", {"email": ADDRESS}).pending_email == ADDRESS
    assert operations.update(fresh, "a", {"password": NEW}).password == f"hash of {NEW}"


@either_field
@pytest.mark.parametrize("proof", [SentToken(), SentKey("k"), None])
@pytest.mark.parametrize("id_", ["a", "b"])
def test_neither_keys_nor_tokens_of_other_services_change_what_leads_to_an_account(
    id_: str, proof: Proof | None, change: Any, operations: MemberOperations
) -> None:
    """An authenticator that does not say what it has verified counts like one of these."""
    with pytest.raises(Forbidden, match="Sign in to this service"):
        operations.update(replace(BEA, proof=proof), id_, {**change, "currentPassword": "whatever"})
    assert (operations.stored("a"), operations.stored("b")) == (ANNA, BOSS)
    assert operations.update(replace(BEA, proof=proof), id_, {"notes": "mine"}).notes == "mine"


@either_field
def test_administrators_change_what_leads_to_other_accounts_only_after_a_fresh_sign_in(
    change: Any, operations: MemberOperations
) -> None:
    with pytest.raises(StaleSignIn, match="sign in again, or send your current password"):
        operations.update(BEA_BY_TOKEN, "a", change)
    assert operations.stored("a") == ANNA
    after = operations.update(replace(BEA, proof=SentToken(NOON - FRESHNESS)), "a", change)
    assert (after.password, after.email) in {(f"hash of {NEW}", ANNA.email), ("hash of old", ADDRESS)}


@either_field
def test_the_own_current_password_stands_for_a_fresh_sign_in_of_an_administrator(
    change: Any, operations: MemberOperations
) -> None:
    """That of the other member does not."""
    for wrong in ("wrong", OLD):
        with pytest.raises(Unauthenticated, match="The current password is incorrect"):
            operations.update(BEA_BY_TOKEN, "a", {**change, "currentPassword": wrong})
    assert operations.stored("a") == ANNA
    after = operations.update(BEA_BY_TOKEN, "a", {**change, "currentPassword": "whatever"})
    assert (after.password, after.email) in {(f"hash of {NEW}", ANNA.email), ("hash of old", ADDRESS)}


@either_field
def test_a_member_without_a_password_needs_a_fresh_sign_in(change: Any, operations: MemberOperations) -> None:
    operations.change("a", password=None)
    with pytest.raises(StaleSignIn):
        operations.update(BY_TOKEN, "a", change)
    after = operations.update(replace(HERSELF, proof=SentToken(NOON)), "a", change)
    assert (after.password, after.pending_email) in {(f"hash of {NEW}", None), (None, ADDRESS)}


def test_weaknesses_are_reported_before_the_current_password_is_verified(
    operations: MemberOperations,
) -> None:
    """Otherwise a member with a weak new password would use up attempts."""
    with pytest.raises(BadMember, match="too short"):
        operations.update(BY_TOKEN, "a", {"password": "short", "currentPassword": "wrong"})
    assert operations.sign_in.addresses == []
