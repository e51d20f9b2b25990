"""Members' own changes of their e-mail address wait until a link that was mailed there is used."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from stratabase.domain.issues.refusals import Forbidden, Unavailable
from stratabase.domain.members.attempts import MAIL_WINDOW
from stratabase.domain.members.mailed_link import LINK_LIFETIME, UnusableLink
from stratabase.domain.members.member import LINK_USED, Caller, MailedLink, Member
from stratabase.domain.members.refusals import BadMember, ConfirmationNotSent, MemberTaken, TooManyMails
from stratabase.formats.preferences import Formats
from stratabase.operations.auth.callers import CallerFactory
from stratabase.operations.members.mailed_links import MAX_MAILS_BY_MEMBER, MAX_MAILS_TO_ADDRESS
from stratabase.operations.members.rules import CONSOLE
from tests.fakes import NOON
from tests.operations.members.office import ANNA, BEA, HERSELF, PROFILES, Office

BASE = "https://api.example.com/hr"
OLD, NEW = "anna@example.com", "anne@example.org"


def ask(office: Office, email: str = NEW, **more: Any) -> str:
    """Let Anna ask for an address; return the token that was mailed there."""
    sent = len(office.mails.mails)
    office.update(HERSELF, "a", {"email": email, **more}, BASE)
    link, _ = office.mails.mails[sent:]
    office.mails.mails = [*office.mails.mails[:sent], link]
    return office.mails.token


def waiting(office: Office) -> str | None:
    """Return the address that Anna is shown to wait for."""
    return office.read(HERSELF, "a").pending_email


def test_a_link_is_mailed_to_the_new_address_and_a_notice_to_the_old_one(office: Office) -> None:
    office.update(HERSELF, "a", {"email": NEW, "notes": "mine"}, BASE)
    link, told = office.mails.mails
    assert (link.to, link.subject) == (NEW, "Hr: confirm your new email address")
    assert f"\n{BASE}/public/administration/confirmEmail?token=a." in link.text
    assert (told.to, told.subject) == (OLD, "Hr: request to change your email address")
    assert "http" not in told.text
    assert NEW not in told.text
    stored = office.stored("a")
    assert (stored.email, stored.pending_email, stored.notes) == (OLD, NEW, "mine")


def test_only_a_hash_and_an_expiry_are_stored(office: Office) -> None:
    token = ask(office)
    secret = token.rpartition(".")[2]
    hashed = sha256(secret.encode()).hexdigest()
    assert office.stored("a").confirmation == MailedLink(hashed, NOON + LINK_LIFETIME)
    assert secret not in repr(office.stored("a"))


def test_the_link_confirms_the_address_once(office: Office) -> None:
    token = ask(office)
    sent = len(office.mails.mails)
    after = office.emails.confirm(token)
    assert after == office.stored("a")
    assert (after.email, after.pending_email, after.generation) == (NEW, None, ANNA.generation)
    (told,) = office.mails.mails[sent:]
    assert (told.to, told.subject) == (OLD, "Hr: your email address was changed")
    with pytest.raises(UnusableLink) as caught:
        office.emails.confirm(token)
    assert caught.value.member == after


def test_the_old_address_is_used_until_the_confirmation(office: Office) -> None:
    caller = CallerFactory(PROFILES)
    token = ask(office)
    assert caller(office.stored("a")).email == OLD
    office.emails.confirm(token)
    assert caller(office.stored("a")).email == NEW


def test_a_password_link_sent_to_the_old_address_becomes_invalid(office: Office) -> None:
    token = ask(office)
    office.change("a", reset=MailedLink("ab" * 32, NOON + LINK_LIFETIME))
    assert office.emails.confirm(token).reset == MailedLink("ab" * 32, LINK_USED)


@pytest.mark.parametrize("caller", [BEA, CONSOLE])
def test_a_change_by_an_administrator_takes_effect_immediately(caller: Caller, office: Office) -> None:
    token = ask(office, "other@example.org")
    after = office.update(caller, "a", {"email": NEW})
    assert (after.email, after.pending_email) == (NEW, None)
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert len(office.mails.mails) == 1


def test_an_administrator_s_own_change_takes_effect_immediately(office: Office) -> None:
    assert office.update(BEA, "b", {"email": NEW}).email == NEW
    assert office.mails.mails == []


@pytest.mark.parametrize("caller", [HERSELF, BEA])
@pytest.mark.parametrize("given", [{"email": OLD}, {"pendingEmail": None}, {"pendingEmail": ""}])
def test_setting_the_old_address_cancels_the_change(
    given: dict[str, Any], caller: Caller, office: Office
) -> None:
    token = ask(office)
    assert office.update(caller, "a", given).pending_email is None
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert office.stored("a").email == OLD
    assert len(office.mails.mails) == 1


@pytest.mark.parametrize("caller", [HERSELF, BEA])
def test_putting_a_member_back_keeps_the_pending_address(caller: Caller, office: Office) -> None:
    token = ask(office)
    writes = office.members.writes
    office.update(caller, "a", {"id": "a", "email": OLD, "pendingEmail": NEW})
    assert office.members.writes == writes
    office.update(caller, "a", {"id": "a", "email": OLD, "pendingEmail": NEW, "notes": "new"})
    assert office.emails.confirm(token).email == NEW
    assert office.stored("a").notes == "new"


def test_a_change_of_other_fields_keeps_the_pending_address(office: Office) -> None:
    token = ask(office)
    office.update(HERSELF, "a", {"notes": "new"})
    assert office.emails.confirm(token).email == NEW


def test_the_same_address_requested_again_gets_a_new_link(office: Office) -> None:
    old, new = ask(office), ask(office)
    with pytest.raises(UnusableLink):
        office.emails.confirm(old)
    assert office.emails.confirm(new).email == NEW


def test_the_last_requested_address_is_pending(office: Office) -> None:
    old, new = ask(office), ask(office, "anita@example.org")
    with pytest.raises(UnusableLink):
        office.emails.confirm(old)
    assert office.emails.confirm(new).email == "anita@example.org"


@pytest.mark.parametrize("given", ["other@example.org", 5])
def test_the_pending_address_cannot_be_set_directly(given: Any, office: Office) -> None:
    ask(office)
    with pytest.raises(BadMember, match='"pendingEmail" cannot be changed'):
        office.update(HERSELF, "a", {"pendingEmail": given})
    assert waiting(office) == NEW


@pytest.mark.parametrize(("age", "good"), [(LINK_LIFETIME - 1, True), (LINK_LIFETIME, False)])
def test_a_pending_address_expires_after_an_hour(age: int, good: bool, office: Office) -> None:
    token = ask(office)
    office.clock.instant += age
    assert waiting(office) == (NEW if good else None)
    assert office.read(BEA, "a").pending_email == waiting(office)
    if good:
        assert office.emails.confirm(token).email == NEW
        return
    with pytest.raises(UnusableLink) as caught:
        office.emails.confirm(token)
    assert (caught.value.expired, office.stored("a").email) == (True, OLD)
    assert ask(office)


@pytest.mark.parametrize("given", [{"password": "a new way in"}, {"disabled": True}])
def test_a_new_password_and_disabling_cancel_the_change(given: dict[str, Any], office: Office) -> None:
    token = ask(office)
    office.update(BEA, "a", given)
    if "disabled" in given:
        office.update(BEA, "a", {"disabled": False})
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert (waiting(office), office.stored("a").email) == (None, OLD)


def test_a_password_in_the_same_request_does_not_cancel_the_change(office: Office) -> None:
    token = ask(office, password="a new way in")
    assert office.emails.confirm(token).password == "hash of a new way in"


def test_a_disabled_member_cannot_confirm(office: Office) -> None:
    token = ask(office)
    office.change("a", disabled=True)
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)


def test_a_password_link_cannot_confirm_an_address(office: Office) -> None:
    token = ask(office)
    office.change("a", reset=office.stored("a").confirmation, confirmation=None)
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)


@pytest.mark.parametrize("email", ["bea@example.com", "BEA@Example.com"])
def test_an_address_of_another_member_is_refused_at_the_request(email: str, office: Office) -> None:
    with pytest.raises(MemberTaken):
        office.update(HERSELF, "a", {"email": email, "notes": "mine"}, BASE)
    assert office.stored("a") == ANNA
    assert office.mails.mails == []


def test_an_address_taken_by_another_member_is_refused_at_the_confirmation(office: Office) -> None:
    token = ask(office)
    office.update(BEA, "b", {"email": NEW.upper()})
    for _ in range(2):
        with pytest.raises(MemberTaken):
            office.emails.confirm(token)
    assert office.stored("a").email == OLD
    office.update(BEA, "b", {"email": "bea@example.com"})
    assert office.emails.confirm(token).email == NEW


def test_the_first_of_two_members_to_confirm_an_address_gets_it(office: Office) -> None:
    office.members.add(Member("c", "Carl", "carl@example.com", "Clerk"))
    anna = ask(office)
    office.update(Caller("c", "Carl", "Clerk"), "c", {"email": NEW}, BASE)
    carl = office.stored("c")
    assert carl.pending_email == NEW
    assert office.emails.confirm(anna).email == NEW
    office.mails.mails = [mail for mail in office.mails.mails if "Carl" in mail.text and "http" in mail.text]
    with pytest.raises(MemberTaken):
        office.emails.confirm(office.mails.token)


def test_a_change_of_case_of_an_address_must_be_confirmed(office: Office) -> None:
    token = ask(office, "Anna@Example.com")
    assert office.stored("a").email == OLD
    assert office.emails.confirm(token).email == "Anna@Example.com"


def test_a_failed_mail_leaves_the_member_unchanged(office: Office) -> None:
    office.mails.refuse = True
    with pytest.raises(
        ConfirmationNotSent,
        match=r'You must confirm a new "email" through a link .* The mail could not be sent',
    ):
        office.update(HERSELF, "a", {"email": NEW, "notes": "mine"}, BASE)
    assert office.stored("a") == ANNA
    office.update(HERSELF, "a", {"notes": "mine"}, BASE)
    office.mails.refuse = False
    for _ in range(MAX_MAILS_TO_ADDRESS):
        ask(office)


@pytest.mark.parametrize("step", ["asked", "confirmed"])
def test_an_unreachable_old_address_does_not_prevent_the_change(step: str, office: Office) -> None:
    office.mails.unreachable = OLD
    office.update(HERSELF, "a", {"email": NEW}, BASE)
    if step == "confirmed":
        assert office.emails.confirm(office.mails.token).email == NEW
    assert office.stored("a").confirmation is not None
    logged = office.logged.getvalue()
    assert "notice not sent" in logged
    assert OLD not in logged
    assert NEW not in logged


def test_permission_and_validation_precede_any_mail(office: Office) -> None:
    with pytest.raises(Forbidden):
        office.update(HERSELF, "a", {"email": NEW, "profile": "Boss"}, BASE)
    with pytest.raises(BadMember):
        office.update(HERSELF, "a", {"email": NEW, "language": "xx"}, BASE)
    with pytest.raises(BadMember, match="is the username or the email address"):
        office.update(HERSELF, "a", {"email": NEW, "password": NEW.upper()}, BASE)
    with pytest.raises(BadMember, match="is the username or the email address"):
        office.update(HERSELF, "a", {"email": NEW, "password": OLD}, BASE)
    assert office.mails.mails == []


@pytest.mark.parametrize("email", ["a@b.it\r\nBcc: x@example.com", "a@b.it, c@d.it", "a b@c.it", "a@b"])
def test_no_mail_is_sent_to_an_invalid_address(email: str, office: Office) -> None:
    with pytest.raises(BadMember):
        office.update(HERSELF, "a", {"email": email}, BASE)
    assert office.mails.mails == []


def test_the_mails_are_in_the_language_of_the_member(office: Office) -> None:
    office.change("a", formats=Formats(language="it"))
    office.update(HERSELF, "a", {"email": NEW}, BASE)
    assert [mail.text[:4] for mail in office.mails.mails] == ["Ciao", "Ciao"]


# --- limits ---


def test_mails_to_one_address_are_limited(office: Office) -> None:
    office.members.add(Member("c", "Carl", "carl@example.com", "Clerk"))
    carl = Caller("c", "Carl", "Clerk")
    for number in range(MAX_MAILS_TO_ADDRESS):
        ask(office, f"Victim+{number}@example.org")
    before = office.stored("a")
    for caller, id_ in ((HERSELF, "a"), (carl, "c")):
        with pytest.raises(TooManyMails, match="Try again in 60 minutes") as caught:
            office.update(caller, id_, {"email": "victim@example.org", "notes": "x"}, BASE)
        assert caught.value.retry_after == MAIL_WINDOW // 1000
    assert office.stored("a") == before
    office.clock.instant += MAIL_WINDOW
    with pytest.raises(TooManyMails, match="Try again in 1 minute"):
        office.update(carl, "c", {"email": "victim@example.org"}, BASE)
    office.clock.instant += 1
    office.update(carl, "c", {"email": "victim@example.org"}, BASE)


def test_mails_requested_by_one_member_are_limited(office: Office) -> None:
    for number in range(MAX_MAILS_BY_MEMBER):
        ask(office, f"somebody{number}@example.org")
    sent = len(office.mails.mails)
    for email in ("another@example.org", "somebody0@example.org"):
        with pytest.raises(TooManyMails):
            office.update(HERSELF, "a", {"email": email}, BASE)
    assert len(office.mails.mails) == sent
    assert office.update(HERSELF, "a", {"email": OLD}, BASE).pending_email is None
    assert office.update(BEA, "a", {"email": "another@example.org"}).email == "another@example.org"


def test_attempts_to_probe_addresses_are_limited(office: Office) -> None:
    """A refusal tells a member that the address is somebody's."""
    for number in range(MAX_MAILS_BY_MEMBER):
        office.members.add(Member(f"m{number}", f"m{number}", f"m{number}@example.com", "Clerk"))
        with pytest.raises(MemberTaken):
            office.update(HERSELF, "a", {"email": f"m{number}@example.com"}, BASE)
    for email in ("bea@example.com", "nobody@example.com"):
        with pytest.raises(TooManyMails):
            office.update(HERSELF, "a", {"email": email}, BASE)
    assert office.mails.mails == []


def test_a_refused_change_does_not_count(office: Office) -> None:
    for number in range(MAX_MAILS_TO_ADDRESS):
        ask(office, f"victim+{number}@example.org")
    for _ in range(3):
        with pytest.raises(TooManyMails):
            office.update(HERSELF, "a", {"email": "victim@example.org"}, BASE)
    for number in range(MAX_MAILS_BY_MEMBER - MAX_MAILS_TO_ADDRESS):
        ask(office, f"somebody{number}@example.org")


@pytest.mark.parametrize("fails", ["note", "withdraw"])
def test_no_mail_is_sent_if_mails_cannot_be_counted(fails: str, office: Office) -> None:
    office.attempts.fails = {fails}
    if fails == "note":
        with pytest.raises(Unavailable):
            office.update(HERSELF, "a", {"email": NEW}, BASE)
        assert (office.stored("a"), office.mails.mails) == (ANNA, [])
        return
    ask(office)
    office.mails.refuse = True
    with pytest.raises(ConfirmationNotSent):
        office.update(HERSELF, "a", {"email": NEW}, BASE)


# --- what comes between ---


def test_one_mail_is_sent_despite_repeated_conflicts(office: Office) -> None:
    numbers = iter(range(5))

    def some_times() -> None:
        for number in numbers:
            office.change("a", notes=f"theirs {number}")
            break

    office.members.before_write = some_times
    token = ask(office)
    assert office.members.writes == 6
    assert office.emails.confirm(token).notes == "theirs 4"


def test_an_address_set_by_an_administrator_meanwhile_is_not_pending(office: Office) -> None:
    def once() -> None:
        office.members.before_write = lambda: None
        office.change("a", email=NEW)

    office.members.before_write = once
    office.update(HERSELF, "a", {"email": NEW}, BASE)
    stored = office.stored("a")
    assert (stored.email, stored.pending_email) == (NEW, None)
    assert len(office.mails.mails) == 1


def test_a_cancellation_after_the_confirmation_requests_the_old_address(office: Office) -> None:
    token = ask(office)

    def once() -> None:
        office.members.before_write = lambda: None
        office.emails.confirm(token)

    office.members.before_write = once
    after = office.update(HERSELF, "a", {"email": OLD}, BASE)
    assert (after.email, after.pending_email) == (NEW, OLD)


def test_a_concurrent_cancellation_prevents_the_confirmation(office: Office) -> None:
    token = ask(office)

    def once() -> None:
        office.members.before_write = lambda: None
        office.update(HERSELF, "a", {"email": OLD}, BASE)

    office.members.before_write = once
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert office.stored("a").email == OLD


def test_a_concurrent_change_is_kept(office: Office) -> None:
    token = ask(office)

    def once() -> None:
        office.members.before_write = lambda: None
        office.change("a", notes="theirs")

    office.members.before_write = once
    after = office.emails.confirm(token)
    assert (after.email, after.notes) == (NEW, "theirs")
    assert replace(after, revision=0) == office.stored("a")
