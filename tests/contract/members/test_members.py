"""The contract of every store of members for one caller."""

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.members.api_keys import MAX_KEYS
from stratabase.members.credentials import ApiKey, ExchangeCode, ProviderLink, Session
from stratabase.members.exchange_codes import MAX_CODES
from stratabase.members.member import LINK_USED, MailedLink, Member, MemberKind, NamesTaken
from stratabase.members.ports import Members
from stratabase.members.provider_links import MAX_LINKS
from stratabase.members.sessions import MAX_SESSIONS
from stratabase.members.stores import sqlite_members
from stratabase.values.formats.preferences import Formats
from stratabase_aws.members import pynamodb_members

ANNA = Member(
    id="1",
    username="Anna",
    email="Anna@Example.com",
    profile="Administrator",
    notes="first é 🙂\nsecond\t\r\n",
    formats=Formats("dd.MM.yyyy", "HH:mm:ss", "Europe/Berlin", "de"),
    password="$argon2id$x",
    disabled=True,
    generation=7,
    reset=MailedLink("ab" * 32, 1_577_880_000_001),
    pending_email="Anna@New.example",
    confirmation=MailedLink("cd" * 32, LINK_USED),
    earlier_resets=(MailedLink("ef" * 32, 1_577_880_000_000), MailedLink("01" * 32, LINK_USED)),
    sessions=(
        Session("s1", 1_577_880_000_001, 1_577_880_000_002, "password", "Firefox on Linux", "192.0.2.7"),
        Session("s2", 1_577_880_000_003, 1_577_880_000_004, "entra"),
    ),
    keys=(
        ApiKey("k1", "Nightly ✓", "23" * 32, 1, 2, "Reporter", ("192.0.2.0/24", "2001:db8::/32")),
        ApiKey("k2", "", "45" * 32, 1_577_880_000_001),
    ),
    links=(ProviderLink("https://id.example", "sub é", "entra", 1_577_880_000_001),),
    codes=(
        ExchangeCode("67" * 32, "challenge", 1_577_880_000_001, "entra"),
        ExchangeCode("89" * 32, "challenge", 1_577_880_000_001, "entra", 1_577_880_000_000, "s2"),
    ),
)
BERT = Member("2", "bert", "b@example.com", "Clerk")
PROGRAM = Member("3", "nightly", "", "Clerk", kind=MemberKind.PROGRAM)


def stored(members: Members, id_: str = "1") -> Member:
    member = members.by_id(id_)
    assert member is not None
    return member


def test_a_new_store_has_no_members(members: Members) -> None:
    assert members.any() is False
    assert members.by_username("Anna") is None
    assert members.by_id("1") is None
    assert members.roster().members == ()


@pytest.mark.parametrize("member", [ANNA, BERT, replace(BERT, notes=""), PROGRAM])
def test_a_member_comes_back_as_it_was_added(member: Member, members: Members) -> None:
    members.add(member)
    assert members.any() is True
    assert members.by_username(member.username) == member
    assert members.by_id(member.id) == member
    assert members.roster().members == (member,)


def test_every_read_returns_the_revision(members: Members) -> None:
    members.add(ANNA)
    first = stored(members)
    read = [members.by_username("anna"), *members.roster().members]
    assert [member and member.revision for member in read] == [first.revision] * 2
    members.change(first, ANNA)
    assert stored(members).revision != first.revision


@pytest.mark.parametrize(
    ("added", "asked"),
    [("Anna", "ANNA"), ("Straße", "STRASSE"), ("é", "e\u0301"), ("E\u0301", "é"), ("ΣΊΣΥΦΟΣ", "σίσυφος")],
)
def test_names_are_compared_without_case_and_normalization(added: str, asked: str, members: Members) -> None:
    members.add(Member("1", added, "a@example.com", "Clerk"))
    found = members.by_username(asked)
    assert found is not None
    assert found.username == added


@pytest.mark.parametrize("asked", ["Anna@Example.com", "anna@EXAMPLE.com"])
def test_an_address_leads_to_its_member(asked: str, members: Members) -> None:
    members.add(ANNA)
    assert members.by_email(asked) == ANNA
    before = stored(members)
    members.change(before, replace(before, email="anne@example.com"))
    assert members.by_email(asked) is None
    members.remove(stored(members))
    assert members.by_email("anne@example.com") is None


IN_UNICODE, IN_ASCII = "Änne@Bücher.example", "änne@xn--bcher-kva.example"


@pytest.mark.parametrize(("own", "other"), [(IN_UNICODE, IN_ASCII), (IN_ASCII, IN_UNICODE)])
def test_both_forms_of_a_domain_are_one_address(own: str, other: str, members: Members) -> None:
    members.add(replace(ANNA, email=own))
    for asked in (own, other, unicodedata.normalize("NFD", other), other.upper()):
        assert members.by_email(asked) == replace(ANNA, email=own)
    with pytest.raises(NamesTaken) as taken:
        members.add(replace(BERT, email=other))
    assert taken.value.fields == ("email",)
    members.add(BERT)
    with pytest.raises(NamesTaken) as taken:
        members.change(stored(members, "2"), replace(BERT, email=other))
    assert taken.value.fields == ("email",)
    members.change(stored(members), replace(ANNA, email="anna@example.com"))
    members.change(stored(members, "2"), replace(BERT, email=other))
    assert members.by_email(own) == replace(BERT, email=other)


@pytest.mark.parametrize(("own", "other"), [(IN_UNICODE, IN_ASCII), (IN_ASCII, IN_UNICODE)])
def test_a_member_can_change_to_the_other_form_of_the_domain(own: str, other: str, members: Members) -> None:
    members.add(replace(ANNA, email=own))
    members.change(stored(members), replace(ANNA, email=other))
    for asked in (own, other):
        found = members.by_email(asked)
        assert found is not None
        assert found.email == other
    members.remove(stored(members))
    members.add(replace(BERT, email=own))
    assert members.by_email(other) == replace(BERT, email=own)


@pytest.mark.parametrize("domain", ["xn--a.example", "xn--.example", "straße.example", "ß" * 70, ".", ""])
def test_a_domain_without_another_form_is_compared_as_it_is(domain: str, members: Members) -> None:
    members.add(replace(ANNA, email=f"a@{domain}"))
    assert members.by_email(f"A@{domain}") == replace(ANNA, email=f"a@{domain}")
    assert members.by_email(f"b@{domain}") is None


def test_moved_members_who_have_one_address_in_two_forms_stay_usable(members: Members) -> None:
    """An earlier version let them."""
    unicode, ascii_ = replace(ANNA, email=IN_UNICODE), replace(BERT, email=IN_ASCII)
    members.add(unicode, is_moved=True)
    members.add(ascii_, is_moved=True)
    assert [members.by_email(each) for each in (IN_UNICODE, IN_ASCII)] == [unicode, ascii_]
    members.change(stored(members), replace(unicode, notes="changed"))
    members.change(stored(members, "2"), replace(ascii_, username="Bertha"))
    members.change(stored(members, "2"), replace(ascii_, email="b@example.com"))
    assert members.by_email(IN_ASCII) == replace(unicode, notes="changed")
    with pytest.raises(NamesTaken):
        members.change(stored(members, "2"), ascii_)


def test_a_moved_member_needs_names_of_their_own(members: Members) -> None:
    members.add(replace(ANNA, email=IN_UNICODE))
    with pytest.raises(NamesTaken) as taken:
        members.add(replace(BERT, email=IN_UNICODE.upper(), username="ANNA"), is_moved=True)
    assert taken.value.fields == ("username", "email")


def test_a_pending_address_identifies_no_member_and_reserves_nothing(members: Members) -> None:
    members.add(ANNA)
    assert members.by_email("anna@new.example") is None
    members.add(replace(BERT, email="anna@new.example"))
    assert stored(members) == ANNA


STRANGE = ["Ann", "Annab", "", "Anna%", "\x00", "' OR 1=1 --", "x" * 5000, "\ud800", "2/../1"]


@pytest.mark.parametrize("asked", STRANGE)
def test_other_names_and_ids_find_nobody(asked: str, members: Members) -> None:
    members.add(ANNA)
    assert members.by_username(asked) is None
    assert members.by_email(asked) is None
    assert members.by_id(asked) is None


def test_an_id_is_unique(members: Members) -> None:
    members.add(ANNA)
    for again in (BERT, ANNA):
        with pytest.raises(Conflict):
            members.add(replace(again, id="1"))
    assert members.by_username("bert") is None
    assert stored(members) == ANNA


TAKEN: list[tuple[str, str, tuple[str, ...]]] = [
    ("aNNA", "b@example.com", ("username",)),
    ("bert", "aNNA@eXAMPLE.com", ("email",)),
    ("ANNA", "anna@example.com", ("username", "email")),
]


@pytest.mark.parametrize(("username", "email", "fields"), TAKEN)
def test_a_new_member_with_a_name_of_another_is_refused(
    username: str, email: str, fields: tuple[str, ...], members: Members
) -> None:
    members.add(ANNA)
    with pytest.raises(NamesTaken) as refusal:
        members.add(Member("2", username, email, "Clerk"))
    assert refusal.value.fields == fields
    assert members.by_id("2") is None
    assert members.by_username("anna") == ANNA
    members.add(BERT)


@pytest.mark.parametrize(("username", "email", "fields"), TAKEN)
def test_a_change_to_a_name_of_another_is_refused(
    username: str, email: str, fields: tuple[str, ...], members: Members
) -> None:
    members.add(ANNA)
    members.add(BERT)
    before = stored(members, "2")
    with pytest.raises(NamesTaken) as refusal:
        members.change(before, replace(before, username=username, email=email))
    assert refusal.value.fields == fields
    assert stored(members, "2") == BERT
    assert members.by_username("bert") == BERT
    assert members.by_username("anna") == ANNA
    members.change(before, replace(before, notes="still as it was"))


def test_a_username_and_an_address_may_be_the_same_text(members: Members) -> None:
    members.add(Member("1", "b@example.com", "a@example.com", "Clerk"))
    members.add(Member("2", "a@example.com", "b@example.com", "Clerk"))
    found = members.by_username("A@example.com")
    assert found is not None
    assert found.id == "2"


@pytest.mark.parametrize(
    "after",
    [
        replace(ANNA, username="Anne", email="anne@example.com"),
        replace(ANNA, username="ANNA"),
        replace(ANNA, email="anna@EXAMPLE.com"),
        replace(BERT, id="1"),
        replace(ANNA, notes=None, password=None, reset=None, earlier_resets=(), disabled=False, generation=8),
        ANNA,
    ],
)
def test_a_change_replaces_the_whole_member(after: Member, members: Members) -> None:
    members.add(ANNA)
    members.change(stored(members), after)
    assert stored(members) == after
    assert members.by_username(after.username) == after
    assert members.roster().members == (after,)


def test_released_names_are_free_again(members: Members) -> None:
    members.add(ANNA)
    members.change(stored(members), replace(ANNA, username="Anne", email="anne@example.com"))
    assert members.by_username("Anna") is None
    members.add(replace(ANNA, id="2", links=()))
    members.remove(stored(members))
    members.add(replace(ANNA, id="3", username="ANNE", email="ANNE@example.com"))
    assert [member.id for member in members.roster().members] == ["2", "3"]


def test_a_change_expects_the_member_as_it_was_read(members: Members) -> None:
    members.add(ANNA)
    read = stored(members)
    members.change(read, replace(read, notes="mine"))
    with pytest.raises(Conflict):
        members.change(read, replace(read, username="Anne", notes="theirs"))
    with pytest.raises(Conflict):
        members.remove(read)
    assert stored(members).notes == "mine"
    assert members.by_username("anne") is None


def test_a_change_back_to_an_earlier_state_is_a_new_revision(members: Members) -> None:
    members.add(ANNA)
    read = stored(members)
    members.change(read, replace(read, notes="for a moment"))
    members.change(stored(members), read)
    with pytest.raises(Conflict):
        members.change(read, replace(read, notes="late"))


def test_a_stale_change_to_taken_names_is_refused_as_stale(members: Members) -> None:
    members.add(ANNA)
    members.add(BERT)
    read = stored(members)
    members.change(read, replace(read, notes="newer"))
    with pytest.raises(Conflict):
        members.change(read, replace(read, username="bert"))


def test_a_removed_member_is_gone(members: Members) -> None:
    members.add(ANNA)
    members.add(BERT)
    read = stored(members)
    members.remove(read)
    assert members.by_id("1") is None
    assert members.by_username("anna") is None
    assert members.roster().members == (BERT,)
    for late in (partial(members.remove, read), partial(members.change, read, read)):
        with pytest.raises(Conflict):
            late()
    members.add(replace(ANNA, id="9"))


def test_the_roster_is_ordered_by_folded_name(members: Members) -> None:
    names = ["delta", "Alfa", "charlie", "BRAVO", "Écho", "zulu", "\U0001f642", "\ufb01"]
    for number, name in enumerate(names):
        members.add(Member(str(number), name, f"{number}@example.com", "Clerk"))
    found = [member.username for member in members.roster().members]
    assert found == ["Alfa", "BRAVO", "charlie", "delta", "\ufb01", "zulu", "Écho", "\U0001f642"]


Write = Callable[[Members, Member], None]

ON_A_ROSTER: dict[str, Write] = {
    "change": lambda members, member: members.change(member, replace(member, notes="x"), members.roster()),
    "remove": lambda members, member: members.remove(member, members.roster()),
}


@pytest.mark.parametrize("write", ON_A_ROSTER.values(), ids=ON_A_ROSTER)
def test_a_change_with_a_roster_invalidates_it(write: Write, members: Members) -> None:
    members.add(ANNA)
    members.add(BERT)
    roster = members.roster()
    write(members, stored(members))
    bert = stored(members, "2")
    renamed = replace(bert, username="berta")
    for late in (partial(members.change, bert, renamed, roster), partial(members.remove, bert, roster)):
        with pytest.raises(Conflict):
            late()
    assert members.by_username("bert") == BERT
    write(members, bert)


def test_a_change_without_a_roster_invalidates_none(members: Members) -> None:
    members.add(ANNA)
    roster = members.roster()
    members.add(BERT)
    members.change(stored(members), replace(ANNA, username="Anne"))
    members.remove(stored(members, "2"))
    assert members.roster().revision == roster.revision
    members.remove(stored(members), roster)


def test_a_refused_change_with_a_roster_invalidates_none(members: Members) -> None:
    members.add(ANNA)
    members.add(BERT)
    roster, bert = members.roster(), stored(members, "2")
    with pytest.raises(NamesTaken):
        members.change(bert, replace(bert, username="anna"), roster)
    members.change(bert, replace(bert, disabled=True), roster)


def test_several_ids_are_read_at_once_in_their_order(members: Members) -> None:
    members.add(ANNA)
    members.add(BERT)
    read = members.by_ids(["2", "missing", "1", "2", *STRANGE])
    assert read == [BERT, None, ANNA, BERT, *(None for _ in STRANGE)]
    assert [each and each.revision for each in read[:3]] == [1, None, 1]
    assert members.by_ids([]) == []


def test_more_ids_are_read_than_one_request_can_name(members: Members) -> None:
    members.add(BERT)
    ids = [f"missing{number}" for number in range(150)]
    assert members.by_ids([*ids, "2"]) == [*(None for _ in ids), BERT]


def test_batches_have_every_member_once(members: Members) -> None:
    assert not any(members.batches())
    ids = [f"m{number:02}" for number in range(10)]
    for id_ in ids:
        members.add(Member(id_, id_, f"{id_}@example.com", "Clerk"))
    members.remove(stored(members, "m03"))
    batches = list(members.batches())
    assert sorted(each.id for batch in batches for each in batch) == [id_ for id_ in ids if id_ != "m03"]


def test_batches_follow_one_another(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    for adapter in (sqlite_members, pynamodb_members):
        monkeypatch.setattr(adapter, "_BATCH_SIZE", 2)
    ids = {f"m{number:02}" for number in range(20)}
    for id_ in ids:
        members.add(Member(id_, id_, f"{id_}@example.com", "Clerk"))
    batches = list(members.batches())
    assert len(batches) >= 7
    assert sorted(each.id for batch in batches for each in batch) == sorted(ids)


def test_the_roster_spans_several_pages_of_the_store(members: Members) -> None:
    for number in range(40):
        members.add(Member(f"m{number}", f"name{number:02}", f"{number}@example.com", "Clerk", "x" * 2000))
    assert [member.id for member in members.roster().members] == [f"m{number}" for number in range(40)]


def test_programs_share_having_no_address(members: Members) -> None:
    members.add(PROGRAM)
    members.add(replace(PROGRAM, id="4", username="hourly"))
    assert members.by_email("") is None
    assert members.by_username("NIGHTLY") == PROGRAM
    members.change(stored(members, "3"), replace(PROGRAM, notes="changed"))
    members.change(stored(members, "4"), replace(BERT, id="4"))
    assert members.by_email("b@example.com") == replace(BERT, id="4")
    members.change(stored(members, "4"), replace(PROGRAM, id="4", username="hourly"))
    assert members.by_email("b@example.com") is None
    members.remove(stored(members, "3"))
    members.remove(stored(members, "4"))
    assert members.roster().members == ()


LINK = ANNA.links[0]
OF_LINK = LINK.issuer, LINK.subject
OTHER_ACCOUNTS = [
    ("https://id.example", "SUB É"),
    ("https://id.example", "sub e\u0301"),
    ("https://id.example/", "sub é"),
    ("https://id.example\0sub é", ""),
    ("", ""),
    ("https://id.example", "\ud800"),
]


def test_an_account_at_a_provider_leads_to_its_member(members: Members) -> None:
    members.add(ANNA)
    members.add(BERT)
    assert members.by_link(LINK.issuer, LINK.subject) == ANNA
    for issuer, subject in OTHER_ACCOUNTS:
        assert members.by_link(issuer, subject) is None
    second = replace(LINK, subject="2")
    members.change(stored(members), replace(ANNA, links=(LINK, second)))
    assert members.by_link(LINK.issuer, "2") == members.by_link(*OF_LINK) == stored(members)
    members.change(stored(members), replace(ANNA, links=(second,)))
    assert members.by_link(*OF_LINK) is None
    members.change(stored(members, "2"), replace(BERT, links=(LINK,)))
    assert members.by_link(*OF_LINK) == stored(members, "2")
    members.remove(stored(members))
    assert members.by_link(LINK.issuer, "2") is None


def test_an_account_at_a_provider_is_that_of_one_member(members: Members) -> None:
    members.add(ANNA)
    with pytest.raises(NamesTaken) as taken:
        members.add(replace(BERT, links=(LINK,)))
    assert taken.value.fields == ("link",)
    assert members.by_id("2") is None
    with pytest.raises(NamesTaken) as taken:
        members.add(replace(BERT, username="ANNA", links=(replace(LINK, provider="other", since=5),)))
    assert taken.value.fields == ("username", "link")
    members.add(BERT)
    with pytest.raises(NamesTaken) as taken:
        members.change(stored(members, "2"), replace(BERT, links=(LINK,)))
    assert taken.value.fields == ("link",)
    assert stored(members, "2") == BERT
    assert members.by_link(*OF_LINK) == ANNA
    members.change(stored(members), replace(ANNA, links=()))
    members.change(stored(members, "2"), replace(BERT, links=(LINK,)))
    assert members.by_link(*OF_LINK) == replace(BERT, links=(LINK,))


def test_as_many_of_everything_as_a_member_can_have_are_stored(members: Members) -> None:
    full = replace(
        ANNA,
        sessions=tuple(replace(ANNA.sessions[0], id=f"s{number}") for number in range(MAX_SESSIONS)),
        keys=tuple(replace(ANNA.keys[0], id=f"k{number}") for number in range(MAX_KEYS)),
        links=tuple(replace(LINK, subject=f"{number}") for number in range(MAX_LINKS)),
        codes=tuple(replace(ANNA.codes[-1], hash=f"{number:064}") for number in range(MAX_CODES)),
    )
    members.add(full)
    assert stored(members) == full
    members.change(stored(members), replace(full, links=full.links[::-1], username="Anne"))
    assert members.by_link(LINK.issuer, "7") == stored(members)
    members.remove(stored(members))
    assert members.by_link(LINK.issuer, "7") is None
