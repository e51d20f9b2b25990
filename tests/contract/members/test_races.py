"""Concurrent callers: names stay unique, no change is lost, and one administrator remains."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from stratabase.core.domain.caller import CONSOLE, Caller, SentPassword
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.model.model import Profile
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.members.api_keys import MAX_KEYS
from stratabase.members.credentials import ApiKey, ProviderLink, Session
from stratabase.members.mailed_link import UnusableLink
from stratabase.members.member import Member, MemberKind, NamesTaken, administrates
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.operations.member_keys import CreateKey, EndKey
from stratabase.members.operations.members import CreateMember, RemoveMember
from stratabase.members.operations.rules import retry_conflicts
from stratabase.members.operations.update import UpdateMember
from stratabase.members.password import PasswordPolicy
from stratabase.members.ports import Members
from stratabase.members.provider_links import with_link
from stratabase.members.refusals import KeyRefused, LastAdministrator, MemberTaken
from stratabase.members.sessions import MAX_SESSIONS, SessionTerms, with_session
from tests.contract.engine.engine_calls import run_concurrently
from tests.fakes import FrozenClock
from tests.in_memory_members import PlainPasswords, nobody_signs_in
from tests.recording_mailer import RecordingMailer, email_change
from tests.soak import count

pytestmark = pytest.mark.soak

TIMES = count(3, 200)
THREADS = 4
PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk")}


def adds(members: Members, member: Member) -> bool:
    try:
        members.add(member)
    except NamesTaken:
        return False
    return True


def updating(members: Members) -> UpdateMember:
    passwords = PlainPasswords()
    emails = email_change(members)
    return UpdateMember(
        members,
        passwords,
        PasswordPolicy(passwords.is_common),
        PROFILES,
        emails,
        nobody_signs_in,
        FrozenClock(),
    )


def spelled(name: str, number: int) -> str:
    return name.upper() if number % 2 else name


def test_exactly_one_concurrent_add_of_an_address_in_two_forms_succeeds(concurrent: Members) -> None:
    """In whichever form its domain is written."""
    forms = ("anna{}@bücher.example", "anna{}@xn--bcher-kva.example")
    for turn in range(TIMES):
        wanting = [
            Member(f"{turn}-{n}", f"{turn}-{n}", forms[n // 2 % 2].format(turn), "Clerk")
            for n in range(THREADS)
        ]
        added = run_concurrently(*(partial(adds, concurrent, member) for member in wanting))
        assert sum(added) == 1


def test_exactly_one_concurrent_add_of_a_username_succeeds(concurrent: Members) -> None:
    for turn in range(TIMES):
        wanting = [
            Member(f"{turn}-{n}", spelled(f"anna{turn}", n), f"{turn}-{n}@example.com", "Clerk")
            for n in range(THREADS)
        ]
        added = run_concurrently(*(partial(adds, concurrent, member) for member in wanting))
        assert sum(added) == 1
        assert concurrent.by_username(f"anna{turn}") == wanting[added.index(True)]
        assert [concurrent.by_id(member.id) is not None for member in wanting] == list(added)
        # Who came late has left nothing behind that is in the way.
        late = wanting[added.index(False)]
        concurrent.add(Member(f"{turn}-late", f"bert{turn}", late.email, "Clerk"))


def test_exactly_one_concurrent_add_of_an_address_succeeds(concurrent: Members) -> None:
    for turn in range(TIMES):
        wanting = [
            Member(f"{turn}-{n}", f"{turn}-{n}", spelled(f"{turn}@example.com", n), "Clerk")
            for n in range(THREADS)
        ]
        assert sum(run_concurrently(*(partial(adds, concurrent, member) for member in wanting))) == 1


def test_exactly_one_of_two_members_is_linked_to_an_account(concurrent: Members) -> None:
    for number in range(THREADS):
        concurrent.add(Member(f"{number}", f"{number}", f"{number}@example.com", "Clerk"))

    def links(number: int, link: ProviderLink) -> bool:
        before = concurrent.by_id(f"{number}")
        assert before is not None
        try:
            concurrent.change(before, with_link(replace(before, links=before.links[-3:]), link))
        except NamesTaken:
            return False
        return True

    for turn in range(TIMES):
        link = ProviderLink("https://id.example", f"{turn}", "entra", turn)
        linked = run_concurrently(*(partial(links, number, link) for number in range(THREADS)))
        assert sum(linked) == 1
        winner = concurrent.by_link(link.issuer, link.subject)
        assert winner is not None
        assert winner.id == f"{linked.index(True)}"


def test_no_concurrent_session_is_lost(concurrent: Members) -> None:
    terms = SessionTerms(lifetime=1000, validity=1000)
    concurrent.add(Member("1", "anna", "a@example.com", "Clerk"))

    def signs_in(name: str) -> None:
        def attempt() -> None:
            before = concurrent.by_id("1")
            assert before is not None
            concurrent.change(before, with_session(before, Session(name, 0, 0, "password"), 0, terms))

        retry_conflicts(attempt)

    names = [f"{number}" for number in range(min(MAX_SESSIONS, TIMES * THREADS))]
    for start in range(0, len(names), THREADS):
        run_concurrently(*(partial(signs_in, name) for name in names[start : start + THREADS]))
    member = concurrent.by_id("1")
    assert member is not None
    assert sorted(each.id for each in member.sessions) == sorted(names)


def test_exactly_one_concurrent_creation_with_a_username_succeeds(concurrent: Members) -> None:
    invited: list[str] = []
    create = CreateMember(concurrent, TimeOrderedIds(), PROFILES, lambda id_, _: invited.append(id_))

    def creates(turn: int, number: int) -> str | None:
        value = {
            "username": f"anna{turn}",
            "email": f"{turn}-{number}@example.com",
            "profile": "Clerk",
        }
        try:
            return create(CONSOLE, value, "https://example.com").id
        except MemberTaken:
            return None

    for turn in range(TIMES):
        invited.clear()
        ids = run_concurrently(*(partial(creates, turn, number) for number in range(THREADS)))
        (created,) = [id_ for id_ in ids if id_ is not None]
        assert invited == [created]


def test_exactly_one_concurrent_change_to_a_username_succeeds(concurrent: Members) -> None:
    update = updating(concurrent)
    for number in range(THREADS):
        concurrent.add(Member(f"m{number}", f"m{number}", f"{number}@example.com", "Clerk"))

    def changes(turn: int, number: int) -> bool:
        try:
            update(CONSOLE, f"m{number}", {"username": spelled(f"wanted{turn}", number)})
        except MemberTaken:
            return False
        return True

    for turn in range(TIMES):
        got = run_concurrently(*(partial(changes, turn, number) for number in range(THREADS)))
        assert sum(got) == 1
        holder = concurrent.by_username(f"WANTED{turn}")
        assert holder is not None
        assert holder.id == f"m{got.index(True)}"


def test_concurrent_changes_of_different_fields_are_all_kept(concurrent: Members) -> None:
    update = updating(concurrent)
    concurrent.add(Member("1", "anna", "anna@example.com", "Clerk"))
    for turn in range(TIMES):
        data = {
            "notes": f"note {turn}",
            "email": f"anna{turn}@example.com",
            "timeZone": ("Europe/Rome", "Europe/Berlin")[turn % 2],
            "language": ("it", "de")[turn % 2],
        }
        run_concurrently(*(partial(update, CONSOLE, "1", {name: value}) for name, value in data.items()))
        member = concurrent.by_id("1")
        assert member is not None
        found = (member.notes, member.email, member.formats.time_zone, member.formats.language)
        assert found == tuple(data.values())


def test_each_concurrent_password_change_increments_the_generation(concurrent: Members) -> None:
    update = updating(concurrent)
    concurrent.add(Member("1", "anna", "anna@example.com", "Clerk"))
    for turn in range(TIMES):
        words = [f"some words {turn} {number}" for number in range(THREADS)]
        run_concurrently(*(partial(update, CONSOLE, "1", {"password": word}) for word in words))
    member = concurrent.by_id("1")
    assert member is not None
    assert member.generation == TIMES * THREADS


def mailed(mails: RecordingMailer) -> list[str]:
    """Return the tokens in the mails, and remove the mails."""
    found = re.findall(r"token=(\S+)", " ".join(mail.text for mail in mails.mails))
    mails.mails.clear()
    return found


def confirms(emails: EmailChange, token: str) -> bool:
    try:
        emails.confirm(token)
    except (UnusableLink, MemberTaken):
        return False
    return True


def own_email(members: Members, mails: RecordingMailer, id_: str, email: str) -> None:
    """Let a member request a new address, as if it were their first request."""
    passwords = PlainPasswords()
    emails = email_change(members, mails)
    update = UpdateMember(
        members,
        passwords,
        PasswordPolicy(passwords.is_common),
        PROFILES,
        emails,
        nobody_signs_in,
        FrozenClock(),
    )
    update(Caller(id_, id_, "Clerk", proof=SentPassword()), id_, {"email": email}, "https://example.com")


def test_exactly_one_concurrent_confirmation_of_an_address_succeeds(concurrent: Members) -> None:
    mails = RecordingMailer()
    emails = email_change(concurrent, mails)
    for number in range(THREADS):
        concurrent.add(Member(f"m{number}", f"m{number}", f"{number}@example.com", "Clerk"))
    for turn in range(TIMES):
        run_concurrently(
            *(
                partial(
                    own_email, concurrent, mails, f"m{number}", spelled(f"wanted{turn}@example.com", number)
                )
                for number in range(THREADS)
            )
        )
        tokens = sorted(mailed(mails))
        got = run_concurrently(*(partial(confirms, emails, token) for token in tokens))
        assert sum(got) == 1
        holder = concurrent.by_email(f"WANTED{turn}@example.com")
        assert holder is not None
        assert holder.id == f"m{got.index(True)}"


def test_a_link_used_concurrently_works_once(concurrent: Members) -> None:
    mails = RecordingMailer()
    emails = email_change(concurrent, mails)
    concurrent.add(Member("1", "anna", "anna@example.com", "Clerk"))
    for turn in range(TIMES):
        own_email(concurrent, mails, "1", f"anna{turn}@example.com")
        (token,) = mailed(mails)
        assert sum(run_concurrently(*[partial(confirms, emails, token)] * THREADS)) == 1
        stored = concurrent.by_id("1")
        assert stored is not None
        assert (stored.email, stored.pending_email) == (f"anna{turn}@example.com", None)
        mails.mails.clear()


def test_the_stored_link_of_two_concurrent_requests_works(concurrent: Members) -> None:
    mails = RecordingMailer()
    emails = email_change(concurrent, mails)
    concurrent.add(Member("1", "anna", "anna@example.com", "Clerk"))
    for turn in range(TIMES):
        wanted = [f"a{turn}@example.com", f"b{turn}@example.com"]
        run_concurrently(*(partial(own_email, concurrent, mails, "1", email) for email in wanted))
        stored = concurrent.by_id("1")
        assert stored is not None
        assert stored.pending_email in wanted
        assert sorted(confirms(emails, token) for token in mailed(mails)) == [False, True]
        after = concurrent.by_id("1")
        assert after is not None
        assert after.email == stored.pending_email
        mails.mails.clear()


def test_a_concurrent_confirmation_and_cancellation_have_one_outcome(concurrent: Members) -> None:
    mails = RecordingMailer()
    emails = email_change(concurrent, mails)
    update = updating(concurrent)
    concurrent.add(Member("1", "anna", "old@example.com", "Clerk"))
    for turn in range(TIMES):
        own_email(concurrent, mails, "1", f"new{turn}@example.com")
        (token,) = mailed(mails)
        cancel = partial(update, CONSOLE, "1", {"email": "old@example.com"})
        run_concurrently(partial(confirms, emails, token), cancel)
        # Whoever was first: an administrator's word is the last.
        stored = concurrent.by_id("1")
        assert stored is not None
        assert (stored.email, stored.pending_email) == ("old@example.com", None)
        assert not confirms(emails, token)
        mails.mails.clear()


Strike = Callable[[Members, str], object]

STRIKES: dict[str, Strike] = {
    "demote": lambda members, id_: updating(members)(CONSOLE, id_, {"profile": "Clerk"}),
    "disable": lambda members, id_: updating(members)(CONSOLE, id_, {"disabled": True}),
    "delete": lambda members, id_: RemoveMember(members, PROFILES)(CONSOLE, id_),
}


def strikes(strike: Strike, members: Members, id_: str) -> bool:
    try:
        strike(members, id_)
    except LastAdministrator:
        return False
    return True


def promote(members: Members, id_: str) -> None:
    """Create an administrator who can sign in, or make an existing member one."""
    boss, present = Member(id_, id_, f"{id_}@example.com", "Boss"), members.by_id(id_)
    if present is None:
        members.add(boss)
    else:
        members.change(present, boss)


def stays(members: Members, id_: str) -> bool:
    member = members.by_id(id_)
    return member is not None and administrates(member, PROFILES)


@pytest.mark.parametrize(
    ("deeds", "times"),
    [
        (("demote", "demote"), TIMES),
        (("delete", "delete"), count(2, 100)),
        (("disable", "demote", "delete"), count(2, 100)),
    ],
)
def test_concurrent_demotions_of_administrators_leave_one(
    deeds: tuple[str, ...], times: int, concurrent: Members
) -> None:
    ids = [str(number) for number in range(len(deeds))]
    for _ in range(times):
        for id_ in ids:
            promote(concurrent, id_)
        racers = zip(deeds, ids, strict=True)
        struck = run_concurrently(*(partial(strikes, STRIKES[deed], concurrent, id_) for deed, id_ in racers))
        assert sum(struck) == len(deeds) - 1
        assert [stays(concurrent, id_) for id_ in ids] == [not was for was in struck]


def test_a_lookup_during_name_changes_never_returns_another_member(concurrent: Members) -> None:
    """Two members hand a name to and fro; between, nobody may have it."""
    concurrent.add(Member("1", "shared", "1@example.com", "Clerk"))
    concurrent.add(Member("2", "other", "2@example.com", "Clerk"))
    update = updating(concurrent)

    def hand_over() -> None:
        for turn in range(TIMES):
            giver, taker = ("1", "2") if turn % 2 == 0 else ("2", "1")
            update(CONSOLE, giver, {"username": f"spare{turn}"})
            update(CONSOLE, taker, {"username": "shared"})
            update(CONSOLE, giver, {"username": "other"})

    def look() -> None:
        for _ in range(3 * TIMES):
            found = concurrent.by_username("SHARED")
            assert found is None or found.username == "shared"

    run_concurrently(hand_over, look)


def test_a_concurrent_change_and_removal_leave_a_consistent_store(concurrent: Members) -> None:
    def attempt(work: Callable[[], None]) -> bool:
        try:
            work()
        except Conflict:
            return False
        return True

    for turn in range(TIMES):
        before = Member(f"{turn}", f"anna{turn}", f"{turn}@example.com", "Clerk", revision=1)
        concurrent.add(before)
        read = concurrent.by_id(before.id)
        assert read is not None
        renamed = Member(f"{turn}", f"berta{turn}", f"{turn}@example.com", "Clerk")
        won = run_concurrently(
            partial(attempt, partial(concurrent.change, read, renamed)),
            partial(attempt, partial(concurrent.remove, read)),
        )
        assert sum(won) == 1
        assert concurrent.by_username(f"anna{turn}") is None
        assert concurrent.by_username(f"berta{turn}") == (renamed if won[0] else None)


def keys_of(members: Members, id_: str) -> list[str]:
    member = members.by_id(id_)
    assert member is not None
    return [key.name for key in member.keys]


def makes(members: Members, id_: str, name: str) -> str | None:
    """Make a key, and return its ID, None if the name is taken or there are too many."""
    create = CreateKey(members, TimeOrderedIds(), PROFILES, FrozenClock(), nobody_signs_in)
    try:
        return create(CONSOLE, id_, {"name": name}).key.id
    except KeyRefused:
        return None


def ends(members: Members, id_: str, key: str) -> str:
    return EndKey(members, FrozenClock())(CONSOLE, id_, key).id


def test_concurrent_keys_keep_their_names_unique_and_lose_none(concurrent: Members) -> None:
    """Keys that end at the same time end, and those that are made at the same time stay."""
    for turn in range(TIMES):
        id_ = f"robot{turn}"
        concurrent.add(Member(id_, id_, "", "Clerk", kind=MemberKind.PROGRAM))
        ended = makes(concurrent, id_, "ended")
        assert ended is not None
        made = run_concurrently(
            *(partial(makes, concurrent, id_, spelled("same", number)) for number in range(THREADS)),
            *(partial(makes, concurrent, id_, f"key {number}") for number in range(THREADS)),
            partial(ends, concurrent, id_, ended),
        )
        assert sum(each is not None for each in made[:THREADS]) == 1
        assert None not in made[THREADS:]
        names = [f"key {number}" for number in range(THREADS)]
        assert sorted(name.lower() for name in keys_of(concurrent, id_)) == [*names, "same"]


def test_concurrent_keys_stay_within_their_number(concurrent: Members) -> None:
    for turn in range(TIMES):
        id_ = f"robot{turn}"
        keys = tuple(ApiKey(f"k{number}", f"{number}", "0" * 64, 1) for number in range(MAX_KEYS - 2))
        concurrent.add(Member(id_, id_, "", "Clerk", kind=MemberKind.PROGRAM, keys=keys))
        made = run_concurrently(
            *(partial(makes, concurrent, id_, f"key {number}") for number in range(THREADS))
        )
        assert sum(each is not None for each in made) == 2
        assert len(keys_of(concurrent, id_)) == MAX_KEYS
