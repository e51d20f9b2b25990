"""A member's own change of email address is pending until the mailed link is used."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from stratabase.core.domain.caller import CONSOLE, Caller, SentPassword
from stratabase.core.domain.issues.refusals import Forbidden, Unavailable
from stratabase.members.attempts import MAIL_WINDOW
from stratabase.members.mailed_link import LINK_LIFETIME, UnusableLink
from stratabase.members.member import LINK_USED, MailedLink, Member
from stratabase.members.operations.email_change import MAX_MAILS_BY_MEMBER, MAX_MAILS_TO_ADDRESS
from stratabase.members.refusals import (
    BadMember,
    ConfirmationNotSent,
    MemberTaken,
    RecipientRefused,
    TooManyMails,
)
from stratabase.members.sign_in.callers import CallerFactory
from tests.fakes import NOON
from tests.members.operations.member_operations import ANNA, BEA, HERSELF, PROFILES, MemberOperations

BASE = "https://api.example.com/hr"
OLD, NEW = "anna@example.com", "anne@example.org"


def ask(operations: MemberOperations, email: str = NEW, **more: Any) -> str:
    """Request a new address for Anna, and return the mailed token."""
    sent = len(operations.mails.mails)
    operations.update(HERSELF, "a", {"email": email, **more}, BASE)
    link, _ = operations.mails.mails[sent:]
    operations.mails.mails = [*operations.mails.mails[:sent], link]
    return operations.mails.token


def waiting(operations: MemberOperations) -> str | None:
    """Return the unconfirmed address that Anna sees."""
    return operations.read(HERSELF, "a").pending_email


def test_a_link_is_mailed_to_the_new_address_and_a_notice_to_the_old_one(
    operations: MemberOperations,
) -> None:
    operations.update(HERSELF, "a", {"email": NEW, "notes": "mine"}, BASE)
    link, result = operations.mails.mails
    assert (link.to, link.subject) == (NEW, "Hr: confirm your new email address")
    assert f"\n{BASE}/public/administration/confirmEmail?token=a." in link.text
    assert (result.to, result.subject) == (OLD, "Hr: request to change your email address")
    assert "http" not in result.text
    assert NEW not in result.text
    stored = operations.stored("a")
    assert (stored.email, stored.pending_email, stored.notes) == (OLD, NEW, "mine")


def test_only_a_hash_and_an_expiry_are_stored(operations: MemberOperations) -> None:
    token = ask(operations)
    secret = token.rpartition(".")[2]
    hashed = sha256(secret.encode()).hexdigest()
    assert operations.stored("a").confirmation == MailedLink(hashed, NOON + LINK_LIFETIME)
    assert secret not in repr(operations.stored("a"))


def test_the_old_address_is_used_until_the_confirmation(operations: MemberOperations) -> None:
    caller = CallerFactory(PROFILES)
    token = ask(operations)
    assert caller(operations.stored("a")).email == OLD
    operations.emails.confirm(token)
    assert caller(operations.stored("a")).email == NEW


def test_a_password_link_sent_to_the_old_address_becomes_invalid(operations: MemberOperations) -> None:
    token = ask(operations)
    operations.change("a", reset=MailedLink("ab" * 32, NOON + LINK_LIFETIME))
    assert operations.emails.confirm(token).reset == MailedLink("ab" * 32, LINK_USED)


@pytest.mark.parametrize("caller", [BEA, CONSOLE])
def test_a_change_by_an_administrator_takes_effect_immediately(
    caller: Caller, operations: MemberOperations
) -> None:
    token = ask(operations, "other@example.org")
    after = operations.update(caller, "a", {"email": NEW})
    assert (after.email, after.pending_email) == (NEW, None)
    with pytest.raises(UnusableLink):
        operations.emails.confirm(token)
    assert len(operations.mails.mails) == 1


def test_an_administrator_s_own_change_takes_effect_immediately(operations: MemberOperations) -> None:
    assert operations.update(BEA, "b", {"email": NEW}).email == NEW
    assert operations.mails.mails == []


@pytest.mark.parametrize("caller", [HERSELF, BEA])
@pytest.mark.parametrize("data", [{"email": OLD}, {"pendingEmail": None}, {"pendingEmail": ""}])
def test_setting_the_old_address_cancels_the_change(
    data: dict[str, Any], caller: Caller, operations: MemberOperations
) -> None:
    token = ask(operations)
    assert operations.update(caller, "a", data).pending_email is None
    with pytest.raises(UnusableLink):
        operations.emails.confirm(token)
    assert operations.stored("a").email == OLD
    assert len(operations.mails.mails) == 1


def test_a_change_of_other_fields_keeps_the_pending_address(operations: MemberOperations) -> None:
    token = ask(operations)
    operations.update(HERSELF, "a", {"notes": "new"})
    assert operations.emails.confirm(token).email == NEW


def test_the_same_address_requested_again_gets_a_new_link(operations: MemberOperations) -> None:
    old, new = ask(operations), ask(operations)
    with pytest.raises(UnusableLink):
        operations.emails.confirm(old)
    assert operations.emails.confirm(new).email == NEW


def test_the_last_requested_address_is_pending(operations: MemberOperations) -> None:
    old, new = ask(operations), ask(operations, "anita@example.org")
    with pytest.raises(UnusableLink):
        operations.emails.confirm(old)
    assert operations.emails.confirm(new).email == "anita@example.org"


@pytest.mark.parametrize("value", ["other@example.org", 5])
def test_the_pending_address_cannot_be_set_directly(value: Any, operations: MemberOperations) -> None:
    ask(operations)
    with pytest.raises(BadMember, match=r'"pendingEmail" can.t be changed'):
        operations.update(HERSELF, "a", {"pendingEmail": value})
    assert waiting(operations) == NEW


@pytest.mark.parametrize(("age", "good"), [(LINK_LIFETIME - 1, True), (LINK_LIFETIME, False)])
def test_a_pending_address_expires_after_an_hour(age: int, good: bool, operations: MemberOperations) -> None:
    token = ask(operations)
    operations.clock.instant += age
    assert waiting(operations) == (NEW if good else None)
    assert operations.read(BEA, "a").pending_email == waiting(operations)
    if good:
        assert operations.emails.confirm(token).email == NEW
        return
    with pytest.raises(UnusableLink) as caught:
        operations.emails.confirm(token)
    assert (caught.value.expired, operations.stored("a").email) == (True, OLD)
    assert ask(operations)


@pytest.mark.parametrize("data", [{"password": "a new way in"}, {"disabled": True}])
def test_a_new_password_and_disabling_cancel_the_change(
    data: dict[str, Any], operations: MemberOperations
) -> None:
    token = ask(operations)
    operations.update(BEA, "a", data)
    if "disabled" in data:
        operations.update(BEA, "a", {"disabled": False})
    with pytest.raises(UnusableLink):
        operations.emails.confirm(token)
    assert (waiting(operations), operations.stored("a").email) == (None, OLD)


def test_a_password_in_the_same_request_does_not_cancel_the_change(operations: MemberOperations) -> None:
    token = ask(operations, password="a new way in")
    assert operations.emails.confirm(token).password == "hash of a new way in"


def test_a_password_link_cannot_confirm_an_address(operations: MemberOperations) -> None:
    token = ask(operations)
    operations.change("a", reset=operations.stored("a").confirmation, confirmation=None)
    with pytest.raises(UnusableLink):
        operations.emails.confirm(token)


@pytest.mark.parametrize("email", ["bea@example.com", "BEA@Example.com"])
def test_an_address_of_another_member_is_refused_at_the_request(
    email: str, operations: MemberOperations
) -> None:
    with pytest.raises(MemberTaken):
        operations.update(HERSELF, "a", {"email": email, "notes": "mine"}, BASE)
    assert operations.stored("a") == ANNA
    assert operations.mails.mails == []


def test_the_first_of_two_members_to_confirm_an_address_gets_it(operations: MemberOperations) -> None:
    operations.members.add(Member("c", "Carl", "carl@example.com", "Clerk"))
    anna = ask(operations)
    operations.update(Caller("c", "Carl", "Clerk", proof=SentPassword()), "c", {"email": NEW}, BASE)
    carl = operations.stored("c")
    assert carl.pending_email == NEW
    assert operations.emails.confirm(anna).email == NEW
    operations.mails.mails = [
        mail for mail in operations.mails.mails if "Carl" in mail.text and "http" in mail.text
    ]
    with pytest.raises(MemberTaken):
        operations.emails.confirm(operations.mails.token)


def test_a_change_of_case_of_an_address_must_be_confirmed(operations: MemberOperations) -> None:
    token = ask(operations, "Anna@Example.com")
    assert operations.stored("a").email == OLD
    assert operations.emails.confirm(token).email == "Anna@Example.com"


def test_a_failed_mail_leaves_the_member_unchanged(operations: MemberOperations) -> None:
    operations.mails.refuse = True
    with pytest.raises(
        ConfirmationNotSent,
        match=r'A new "email" takes effect only after you confirm it .* The email couldn.t be sent',
    ):
        operations.update(HERSELF, "a", {"email": NEW, "notes": "mine"}, BASE)
    assert operations.stored("a") == ANNA
    operations.update(HERSELF, "a", {"notes": "mine"}, BASE)
    operations.mails.refuse = False
    for _ in range(MAX_MAILS_TO_ADDRESS):
        ask(operations)


def test_an_address_that_takes_no_mail_leaves_the_member_unchanged_and_counts(
    operations: MemberOperations,
) -> None:
    """Otherwise members could try out which addresses exist elsewhere."""
    operations.mails.unknown = NEW
    for _ in range(MAX_MAILS_TO_ADDRESS):
        with pytest.raises(RecipientRefused):
            operations.update(HERSELF, "a", {"email": NEW, "notes": "mine"}, BASE)
    assert operations.stored("a") == ANNA
    with pytest.raises(TooManyMails):
        operations.update(HERSELF, "a", {"email": NEW}, BASE)


def test_an_old_address_that_takes_no_mail_does_not_prevent_the_change(operations: MemberOperations) -> None:
    operations.mails.unknown = OLD
    operations.update(HERSELF, "a", {"email": NEW}, BASE)
    assert operations.emails.confirm(operations.mails.token).email == NEW
    assert operations.logged.getvalue().count("nobody there") == 2


@pytest.mark.parametrize("step", ["asked", "confirmed"])
def test_an_unreachable_old_address_does_not_prevent_the_change(
    step: str, operations: MemberOperations
) -> None:
    operations.mails.unreachable = OLD
    operations.update(HERSELF, "a", {"email": NEW}, BASE)
    if step == "confirmed":
        assert operations.emails.confirm(operations.mails.token).email == NEW
    assert operations.stored("a").confirmation is not None
    logged = operations.logged.getvalue()
    assert "notice not sent" in logged
    assert OLD not in logged
    assert NEW not in logged


def test_permission_and_validation_precede_any_mail(operations: MemberOperations) -> None:
    with pytest.raises(Forbidden):
        operations.update(HERSELF, "a", {"email": NEW, "profile": "Boss"}, BASE)
    with pytest.raises(BadMember):
        operations.update(HERSELF, "a", {"email": NEW, "language": "xx"}, BASE)
    with pytest.raises(BadMember, match="must not be the username or the email address"):
        operations.update(HERSELF, "a", {"email": NEW, "password": NEW.upper()}, BASE)
    with pytest.raises(BadMember, match="must not be the username or the email address"):
        operations.update(HERSELF, "a", {"email": NEW, "password": OLD}, BASE)
    assert operations.mails.mails == []


# --- limits ---


def test_mails_to_one_address_are_limited(operations: MemberOperations) -> None:
    operations.members.add(Member("c", "Carl", "carl@example.com", "Clerk"))
    carl = Caller("c", "Carl", "Clerk", proof=SentPassword())
    for number in range(MAX_MAILS_TO_ADDRESS):
        ask(operations, f"Victim+{number}@example.org")
    before = operations.stored("a")
    for caller, id_ in ((HERSELF, "a"), (carl, "c")):
        with pytest.raises(TooManyMails, match="Try again in 60 minutes") as caught:
            operations.update(caller, id_, {"email": "victim@example.org", "notes": "x"}, BASE)
        assert caught.value.retry_after == MAIL_WINDOW // 1000
    assert operations.stored("a") == before
    operations.clock.instant += MAIL_WINDOW
    with pytest.raises(TooManyMails, match="Try again in 1 minute"):
        operations.update(carl, "c", {"email": "victim@example.org"}, BASE)
    operations.clock.instant += 1
    operations.update(carl, "c", {"email": "victim@example.org"}, BASE)


def test_mails_requested_by_one_member_are_limited(operations: MemberOperations) -> None:
    for number in range(MAX_MAILS_BY_MEMBER):
        ask(operations, f"somebody{number}@example.org")
    sent = len(operations.mails.mails)
    for email in ("another@example.org", "somebody0@example.org"):
        with pytest.raises(TooManyMails):
            operations.update(HERSELF, "a", {"email": email}, BASE)
    assert len(operations.mails.mails) == sent
    assert operations.update(HERSELF, "a", {"email": OLD}, BASE).pending_email is None
    assert operations.update(BEA, "a", {"email": "another@example.org"}).email == "another@example.org"


def test_attempts_to_probe_addresses_are_limited(operations: MemberOperations) -> None:
    """A refusal shows a member that another member has the address."""
    for number in range(MAX_MAILS_BY_MEMBER):
        operations.members.add(Member(f"m{number}", f"m{number}", f"m{number}@example.com", "Clerk"))
        with pytest.raises(MemberTaken):
            operations.update(HERSELF, "a", {"email": f"m{number}@example.com"}, BASE)
    for email in ("bea@example.com", "nobody@example.com"):
        with pytest.raises(TooManyMails):
            operations.update(HERSELF, "a", {"email": email}, BASE)
    assert operations.mails.mails == []


def test_a_refused_change_does_not_count(operations: MemberOperations) -> None:
    for number in range(MAX_MAILS_TO_ADDRESS):
        ask(operations, f"victim+{number}@example.org")
    for _ in range(3):
        with pytest.raises(TooManyMails):
            operations.update(HERSELF, "a", {"email": "victim@example.org"}, BASE)
    for number in range(MAX_MAILS_BY_MEMBER - MAX_MAILS_TO_ADDRESS):
        ask(operations, f"somebody{number}@example.org")


@pytest.mark.parametrize("fails", ["note", "withdraw"])
def test_no_mail_is_sent_if_mails_cannot_be_counted(fails: str, operations: MemberOperations) -> None:
    operations.attempts.fails = {fails}
    if fails == "note":
        with pytest.raises(Unavailable):
            operations.update(HERSELF, "a", {"email": NEW}, BASE)
        assert (operations.stored("a"), operations.mails.mails) == (ANNA, [])
        return
    ask(operations)
    operations.mails.refuse = True
    with pytest.raises(ConfirmationNotSent):
        operations.update(HERSELF, "a", {"email": NEW}, BASE)


# --- what comes between ---


def test_one_mail_is_sent_despite_repeated_conflicts(operations: MemberOperations) -> None:
    numbers = iter(range(5))

    def some_times() -> None:
        for number in numbers:
            operations.change("a", notes=f"theirs {number}")
            break

    operations.members.before_write = some_times
    token = ask(operations)
    assert operations.members.writes == 6
    assert operations.emails.confirm(token).notes == "theirs 4"


def test_an_address_set_by_an_administrator_meanwhile_is_not_pending(operations: MemberOperations) -> None:
    def once() -> None:
        operations.members.before_write = lambda: None
        operations.change("a", email=NEW)

    operations.members.before_write = once
    operations.update(HERSELF, "a", {"email": NEW}, BASE)
    stored = operations.stored("a")
    assert (stored.email, stored.pending_email) == (NEW, None)
    assert len(operations.mails.mails) == 1


def test_a_cancellation_after_the_confirmation_requests_the_old_address(operations: MemberOperations) -> None:
    token = ask(operations)

    def once() -> None:
        operations.members.before_write = lambda: None
        operations.emails.confirm(token)

    operations.members.before_write = once
    after = operations.update(HERSELF, "a", {"email": OLD}, BASE)
    assert (after.email, after.pending_email) == (NEW, OLD)


def test_a_concurrent_cancellation_prevents_the_confirmation(operations: MemberOperations) -> None:
    token = ask(operations)

    def once() -> None:
        operations.members.before_write = lambda: None
        operations.update(HERSELF, "a", {"email": OLD}, BASE)

    operations.members.before_write = once
    with pytest.raises(UnusableLink):
        operations.emails.confirm(token)
    assert operations.stored("a").email == OLD


def test_a_concurrent_change_is_kept(operations: MemberOperations) -> None:
    token = ask(operations)

    def once() -> None:
        operations.members.before_write = lambda: None
        operations.change("a", notes="theirs")

    operations.members.before_write = once
    after = operations.emails.confirm(token)
    assert (after.email, after.notes) == (NEW, "theirs")
    assert replace(after, revision=0) == operations.stored("a")
