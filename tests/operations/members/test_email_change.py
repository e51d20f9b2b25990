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


def test_a_link_is_mailed_to_the_new_address_and_the_old_one_is_told(office: Office) -> None:
    office.update(HERSELF, "a", {"email": NEW, "notes": "mine"}, BASE)
    link, told = office.mails.mails
    assert (link.to, link.subject) == (NEW, "Hr: confirm your new email address")
    assert f"\n{BASE}/public/administration/confirmEmail?token=a." in link.text
    assert (told.to, told.subject) == (OLD, "Hr: request to change your email address")
    assert "http" not in told.text
    assert NEW not in told.text
    stored = office.stored("a")
    assert (stored.email, stored.pending_email, stored.notes) == (OLD, NEW, "mine")


def test_what_is_stored_is_a_hash_and_an_end(office: Office) -> None:
    token = ask(office)
    secret = token.rpartition(".")[2]
    hashed = sha256(secret.encode()).hexdigest()
    assert office.stored("a").confirmation == MailedLink(hashed, NOON + LINK_LIFETIME)
    assert secret not in repr(office.stored("a"))


def test_the_link_makes_the_address_the_members_own_once(office: Office) -> None:
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


def test_until_then_a_request_sees_the_old_address(office: Office) -> None:
    caller = CallerFactory(PROFILES)
    token = ask(office)
    assert caller(office.stored("a")).email == OLD
    office.emails.confirm(token)
    assert caller(office.stored("a")).email == NEW


def test_a_link_to_set_a_password_that_went_to_the_old_address_ends(office: Office) -> None:
    token = ask(office)
    office.change("a", reset=MailedLink("ab" * 32, NOON + LINK_LIFETIME))
    assert office.emails.confirm(token).reset == MailedLink("ab" * 32, LINK_USED)


@pytest.mark.parametrize("caller", [BEA, CONSOLE])
def test_an_administrators_change_takes_effect_at_once(caller: Caller, office: Office) -> None:
    token = ask(office, "other@example.org")
    after = office.update(caller, "a", {"email": NEW})
    assert (after.email, after.pending_email) == (NEW, None)
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert len(office.mails.mails) == 1


def test_an_administrators_own_change_takes_effect_at_once(office: Office) -> None:
    assert office.update(BEA, "b", {"email": NEW}).email == NEW
    assert office.mails.mails == []


@pytest.mark.parametrize("caller", [HERSELF, BEA])
@pytest.mark.parametrize("given", [{"email": OLD}, {"pendingEmail": None}, {"pendingEmail": ""}])
def test_the_old_address_cancels(given: dict[str, Any], caller: Caller, office: Office) -> None:
    token = ask(office)
    assert office.update(caller, "a", given).pending_email is None
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert office.stored("a").email == OLD
    assert len(office.mails.mails) == 1


@pytest.mark.parametrize("caller", [HERSELF, BEA])
def test_what_was_read_and_is_given_back_goes_on_waiting(caller: Caller, office: Office) -> None:
    token = ask(office)
    writes = office.members.writes
    office.update(caller, "a", {"id": "a", "email": OLD, "pendingEmail": NEW})
    assert office.members.writes == writes
    office.update(caller, "a", {"id": "a", "email": OLD, "pendingEmail": NEW, "notes": "new"})
    assert office.emails.confirm(token).email == NEW
    assert office.stored("a").notes == "new"


def test_what_does_not_name_the_address_leaves_it_waiting(office: Office) -> None:
    token = ask(office)
    office.update(HERSELF, "a", {"notes": "new"})
    assert office.emails.confirm(token).email == NEW


def test_the_same_address_again_gets_a_new_link(office: Office) -> None:
    old, new = ask(office), ask(office)
    with pytest.raises(UnusableLink):
        office.emails.confirm(old)
    assert office.emails.confirm(new).email == NEW


def test_the_last_address_that_was_asked_for_counts(office: Office) -> None:
    old, new = ask(office), ask(office, "anita@example.org")
    with pytest.raises(UnusableLink):
        office.emails.confirm(old)
    assert office.emails.confirm(new).email == "anita@example.org"


@pytest.mark.parametrize("given", ["other@example.org", 5])
def test_the_address_that_waits_is_not_chosen_by_its_own_field(given: Any, office: Office) -> None:
    ask(office)
    with pytest.raises(BadMember, match=r'"pendingEmail" can.t be changed'):
        office.update(HERSELF, "a", {"pendingEmail": given})
    assert waiting(office) == NEW


@pytest.mark.parametrize(("age", "good"), [(LINK_LIFETIME - 1, True), (LINK_LIFETIME, False)])
def test_an_address_waits_for_an_hour(age: int, good: bool, office: Office) -> None:
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
def test_a_new_password_and_disabling_end_it(given: dict[str, Any], office: Office) -> None:
    token = ask(office)
    office.update(BEA, "a", given)
    if "disabled" in given:
        office.update(BEA, "a", {"disabled": False})
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert (waiting(office), office.stored("a").email) == (None, OLD)


def test_a_password_that_comes_with_the_address_does_not_end_it(office: Office) -> None:
    token = ask(office, password="a new way in")
    assert office.emails.confirm(token).password == "hash of a new way in"


def test_a_disabled_member_confirms_nothing(office: Office) -> None:
    token = ask(office)
    office.change("a", disabled=True)
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)


def test_a_link_to_set_a_password_confirms_nothing(office: Office) -> None:
    token = ask(office)
    office.change("a", reset=office.stored("a").confirmation, confirmation=None)
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)


@pytest.mark.parametrize("email", ["bea@example.com", "BEA@Example.com"])
def test_an_address_of_another_is_refused_when_it_is_asked_for(email: str, office: Office) -> None:
    with pytest.raises(MemberTaken):
        office.update(HERSELF, "a", {"email": email, "notes": "mine"}, BASE)
    assert office.stored("a") == ANNA
    assert office.mails.mails == []


def test_an_address_that_another_has_got_meanwhile_is_refused_at_the_end(office: Office) -> None:
    token = ask(office)
    office.update(BEA, "b", {"email": NEW.upper()})
    for _ in range(2):
        with pytest.raises(MemberTaken):
            office.emails.confirm(token)
    assert office.stored("a").email == OLD
    office.update(BEA, "b", {"email": "bea@example.com"})
    assert office.emails.confirm(token).email == NEW


def test_of_two_who_wait_for_one_address_the_first_to_confirm_gets_it(office: Office) -> None:
    office.members.add(Member("c", "Carl", "carl@example.com", "Clerk"))
    anna = ask(office)
    office.update(Caller("c", "Carl", "Clerk"), "c", {"email": NEW}, BASE)
    carl = office.stored("c")
    assert carl.pending_email == NEW
    assert office.emails.confirm(anna).email == NEW
    office.mails.mails = [mail for mail in office.mails.mails if "Carl" in mail.text and "http" in mail.text]
    with pytest.raises(MemberTaken):
        office.emails.confirm(office.mails.token)


def test_another_case_of_ones_own_address_waits_too(office: Office) -> None:
    token = ask(office, "Anna@Example.com")
    assert office.stored("a").email == OLD
    assert office.emails.confirm(token).email == "Anna@Example.com"


def test_where_no_mail_can_be_sent_nothing_is_changed(office: Office) -> None:
    office.mails.refuse = True
    with pytest.raises(
        ConfirmationNotSent,
        match=r'A new "email" takes effect only after you confirm it .* The email couldn.t be sent',
    ):
        office.update(HERSELF, "a", {"email": NEW, "notes": "mine"}, BASE)
    assert office.stored("a") == ANNA
    office.update(HERSELF, "a", {"notes": "mine"}, BASE)
    office.mails.refuse = False
    for _ in range(MAX_MAILS_TO_ADDRESS):
        ask(office)


@pytest.mark.parametrize("step", ["asked", "confirmed"])
def test_an_old_address_that_no_mail_reaches_keeps_nobody_from_a_new_one(step: str, office: Office) -> None:
    office.mails.unreachable = OLD
    office.update(HERSELF, "a", {"email": NEW}, BASE)
    if step == "confirmed":
        assert office.emails.confirm(office.mails.token).email == NEW
    assert office.stored("a").confirmation is not None
    logged = office.logged.getvalue()
    assert "notice not sent" in logged
    assert OLD not in logged
    assert NEW not in logged


def test_rights_and_mistakes_come_before_any_mail(office: Office) -> None:
    with pytest.raises(Forbidden):
        office.update(HERSELF, "a", {"email": NEW, "profile": "Boss"}, BASE)
    with pytest.raises(BadMember):
        office.update(HERSELF, "a", {"email": NEW, "language": "xx"}, BASE)
    with pytest.raises(BadMember, match="must not be the username or the email address"):
        office.update(HERSELF, "a", {"email": NEW, "password": NEW.upper()}, BASE)
    with pytest.raises(BadMember, match="must not be the username or the email address"):
        office.update(HERSELF, "a", {"email": NEW, "password": OLD}, BASE)
    assert office.mails.mails == []


@pytest.mark.parametrize("email", ["a@b.it\r\nBcc: x@example.com", "a@b.it, c@d.it", "a b@c.it", "a@b"])
def test_no_mail_goes_to_what_is_no_single_address(email: str, office: Office) -> None:
    with pytest.raises(BadMember):
        office.update(HERSELF, "a", {"email": email}, BASE)
    assert office.mails.mails == []


def test_the_letters_are_in_the_members_language(office: Office) -> None:
    office.change("a", formats=Formats(language="it"))
    office.update(HERSELF, "a", {"email": NEW}, BASE)
    assert [mail.text[:4] for mail in office.mails.mails] == ["Ciao", "Ciao"]


# --- limits ---


def test_nobody_can_fill_the_mailbox_of_another(office: Office) -> None:
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


def test_nobody_can_have_mail_sent_all_over_the_world(office: Office) -> None:
    for number in range(MAX_MAILS_BY_MEMBER):
        ask(office, f"somebody{number}@example.org")
    sent = len(office.mails.mails)
    for email in ("another@example.org", "somebody0@example.org"):
        with pytest.raises(TooManyMails):
            office.update(HERSELF, "a", {"email": email}, BASE)
    assert len(office.mails.mails) == sent
    assert office.update(HERSELF, "a", {"email": OLD}, BASE).pending_email is None
    assert office.update(BEA, "a", {"email": "another@example.org"}).email == "another@example.org"


def test_nobody_can_try_out_who_has_an_address(office: Office) -> None:
    """A refusal tells a member that the address is somebody's."""
    for number in range(MAX_MAILS_BY_MEMBER):
        office.members.add(Member(f"m{number}", f"m{number}", f"m{number}@example.com", "Clerk"))
        with pytest.raises(MemberTaken):
            office.update(HERSELF, "a", {"email": f"m{number}@example.com"}, BASE)
    for email in ("bea@example.com", "nobody@example.com"):
        with pytest.raises(TooManyMails):
            office.update(HERSELF, "a", {"email": email}, BASE)
    assert office.mails.mails == []


def test_what_was_refused_does_not_count(office: Office) -> None:
    for number in range(MAX_MAILS_TO_ADDRESS):
        ask(office, f"victim+{number}@example.org")
    for _ in range(3):
        with pytest.raises(TooManyMails):
            office.update(HERSELF, "a", {"email": "victim@example.org"}, BASE)
    for number in range(MAX_MAILS_BY_MEMBER - MAX_MAILS_TO_ADDRESS):
        ask(office, f"somebody{number}@example.org")


@pytest.mark.parametrize("fails", ["note", "withdraw"])
def test_a_store_that_cannot_count_lets_no_mail_out(fails: str, office: Office) -> None:
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


def test_one_mail_is_sent_however_often_others_come_between(office: Office) -> None:
    numbers = iter(range(5))

    def some_times() -> None:
        for number in numbers:
            office.change("a", notes=f"theirs {number}")
            break

    office.members.before_write = some_times
    token = ask(office)
    assert office.members.writes == 6
    assert office.emails.confirm(token).notes == "theirs 4"


def test_who_got_the_address_by_an_administrator_meanwhile_waits_for_nothing(office: Office) -> None:
    def once() -> None:
        office.members.before_write = lambda: None
        office.change("a", email=NEW)

    office.members.before_write = once
    office.update(HERSELF, "a", {"email": NEW}, BASE)
    stored = office.stored("a")
    assert (stored.email, stored.pending_email) == (NEW, None)
    assert len(office.mails.mails) == 1


def test_a_cancellation_that_comes_after_the_confirmation_asks_for_the_old_address(office: Office) -> None:
    token = ask(office)

    def once() -> None:
        office.members.before_write = lambda: None
        office.emails.confirm(token)

    office.members.before_write = once
    after = office.update(HERSELF, "a", {"email": OLD}, BASE)
    assert (after.email, after.pending_email) == (NEW, OLD)


def test_a_cancellation_that_comes_between_stops_the_confirmation(office: Office) -> None:
    token = ask(office)

    def once() -> None:
        office.members.before_write = lambda: None
        office.update(HERSELF, "a", {"email": OLD}, BASE)

    office.members.before_write = once
    with pytest.raises(UnusableLink):
        office.emails.confirm(token)
    assert office.stored("a").email == OLD


def test_a_change_that_comes_between_is_kept(office: Office) -> None:
    token = ask(office)

    def once() -> None:
        office.members.before_write = lambda: None
        office.change("a", notes="theirs")

    office.members.before_write = once
    after = office.emails.confirm(token)
    assert (after.email, after.notes) == (NEW, "theirs")
    assert replace(after, revision=0) == office.stored("a")
