"""The contract of every audit trail."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import pytest

from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.ids import TimeOrderedIds, least_id
from stratabase.members.audit_entry import HOUR, AuditEntry, AuditKind, hourly_entry
from stratabase.members.member import Member, NamesTaken
from tests.contract.audit.stores import AuditStore
from tests.contract.engine.engine_calls import run_concurrently
from tests.fakes import FUTURE_NOON as NOON
from tests.soak import count

RACES = count(3, 200)
CALLERS = 8
ANNA = Member("anna", "Anna", "anna@example.com", "Clerk")
BERT = Member("bert", "Bert", "bert@example.com", "Clerk")
FULL = AuditEntry(
    "",
    NOON,
    AuditKind.PROFILE_CHANGED,
    "anna",
    "ada",
    "token",
    {"from": "Clerk", "to": 'Bo"ss é 🙂'},
    "2001:db8::1",
    "Firefox on Linux",
    until=NOON + 1,
)
ALL = least_id(0)


def entries(number: int, since: Instant = NOON, **fields: object) -> list[AuditEntry]:
    """Return entries of successive milliseconds, oldest first."""
    times = iter(range(since, since + number))
    ids = TimeOrderedIds(lambda: next(times))
    made = [AuditEntry(ids.new(), since + each, AuditKind.SIGNED_IN, "anna") for each in range(number)]
    return [replace(each, **fields) for each in made]  # type: ignore[arg-type] # of any field


def ids(entries: Sequence[AuditEntry]) -> list[str]:
    return [entry.id for entry in entries]


def newest_first(entries: Sequence[AuditEntry]) -> list[str]:
    return sorted(ids(entries), reverse=True)


def found(store: AuditStore, member: str | None = None) -> list[AuditEntry]:
    """Return all entries, over all pages."""
    all_entries = list[AuditEntry]()
    after: str | None = None
    while True:
        page = store.trail.page(ALL, after=after, member=member)
        all_entries += page.entries
        after = page.next
        if after is None:
            return all_entries


def test_a_new_trail_is_empty(store: AuditStore) -> None:
    page = store.trail.page(ALL)
    assert (list(page.entries), page.next) == ([], None)
    assert store.trail.uses("anna") == {}
    assert list(store.trail.to_forget(NOON * 2)) == []
    store.trail.append([])


def test_an_entry_comes_back_as_it_was_written(store: AuditStore) -> None:
    full = replace(FULL, id=entries(1)[0].id)
    bare = AuditEntry(entries(1, NOON + 1)[0].id, NOON + 1, AuditKind.SIGN_IN_REFUSED)
    store.trail.append([full, bare])
    assert found(store) == [bare, full]


def test_an_entry_that_is_there_is_not_written_again(store: AuditStore) -> None:
    (entry,) = entries(1)
    store.trail.append([entry])
    store.trail.append([entry])
    assert found(store) == [entry]


def test_pages_show_each_entry_once_newest_first(store: AuditStore) -> None:
    members = [f"m{number}" for number in range(5)]
    written = [replace(each, member=members[at % 5]) for at, each in enumerate(entries(23))]
    for start in range(0, len(written), 10):
        store.trail.append(written[start : start + 10])
    seen, after = list[str](), None
    sizes = []
    while True:
        page = store.trail.page(ALL, after=after, limit=10)
        seen += ids(page.entries)
        sizes.append(len(page.entries))
        after = page.next
        if after is None:
            break
    assert seen == newest_first(written)
    assert sizes == [10, 10, 3]


def test_a_full_last_page_has_no_next_one(store: AuditStore) -> None:
    store.trail.append(entries(4))
    assert store.trail.page(ALL, limit=4).next is None
    assert store.trail.page(ALL, limit=3).next is not None


def test_a_page_has_only_entries_since_the_first_id(store: AuditStore) -> None:
    written = entries(6)
    store.trail.append(written)
    page = store.trail.page(written[2].id)
    assert ids(page.entries) == newest_first(written[2:])
    assert list(store.trail.page(written[2].id, after=written[2].id).entries) == []
    assert list(store.trail.page(written[2].id, after=written[0].id).entries) == []


@pytest.mark.parametrize("after", ["0", "x", "zzz", "v" * 26])
def test_a_page_begins_after_any_text(after: str, store: AuditStore) -> None:
    written = entries(3)
    store.trail.append(written)
    assert ids(store.trail.page(ALL, after=after).entries) == newest_first(
        [each for each in written if each.id < after]
    )


def test_a_page_of_a_member_has_only_entries_about_the_member(store: AuditStore) -> None:
    about = [replace(each, member=f"m{at % 30}", actor="m7") for at, each in enumerate(entries(90))]
    for start in range(0, 90, 30):
        store.trail.append(about[start : start + 30])
    own = [each for each in about if each.member == "m7"]
    assert ids(found(store, "m7")) == newest_first(own)
    first = store.trail.page(ALL, limit=2, member="m7")
    assert ids(first.entries) == newest_first(own)[:2]
    assert first.next is not None
    assert ids(store.trail.page(ALL, after=first.next, member="m7").entries) == newest_first(own)[2:]
    assert found(store, "nobody") == []


def test_counts_of_an_hour_add_up(store: AuditStore) -> None:
    refused = hourly_entry(AuditKind.SIGN_IN_REFUSED, NOON, "anna")
    for _number in range(3):
        store.trail.count(refused)
    store.trail.count(replace(refused, count=2))
    store.trail.count(hourly_entry(AuditKind.SIGN_IN_REFUSED, NOON))
    store.trail.count(hourly_entry(AuditKind.SIGN_IN_REFUSED, NOON + HOUR, "anna"))
    by_hour = {(each.member, each.at): each.count for each in found(store)}
    assert by_hour == {("anna", NOON): 5, ("", NOON): 1, ("anna", NOON + HOUR): 1}


def test_an_hourly_entry_keeps_the_first_request_of_the_hour(store: AuditStore) -> None:
    basic = replace(
        hourly_entry(AuditKind.USED_BASIC, NOON, "anna"), actor="anna", way="password", address="192.0.2.1"
    )
    store.trail.count(basic)
    store.trail.count(replace(basic, address="192.0.2.2", device="curl"))
    (entry,) = found(store)
    assert (entry.address, entry.actor, entry.way, entry.count) == ("192.0.2.1", "anna", "password", 2)


@pytest.mark.soak
def test_no_count_is_lost_in_a_race(concurrent: AuditStore) -> None:
    entry = hourly_entry(AuditKind.SIGN_IN_REFUSED, NOON, "anna")
    for _race in range(RACES):
        run_concurrently(*[partial(concurrent.trail.count, entry)] * CALLERS)
    assert [each.count for each in found(concurrent)] == [RACES * CALLERS]


def test_the_last_use_of_each_key_is_kept(store: AuditStore) -> None:
    store.trail.note_use("anna", "k1", NOON)
    store.trail.note_use("anna", "k2", NOON)
    store.trail.note_use("bert", "k1", NOON)
    store.trail.note_use("anna", "k1", NOON + HOUR)
    store.trail.note_use("anna", "k1", NOON + HOUR)
    store.trail.note_use("anna", "k2", NOON - HOUR)  # by a process that was late
    assert store.trail.uses("anna") == {"k1": NOON + HOUR, "k2": NOON}
    assert store.trail.uses("bert") == {"k1": NOON}


def test_entries_are_in_the_commit_of_the_change_that_they_report(store: AuditStore) -> None:
    added, changed, removed, never = entries(4)
    store.members.add(ANNA, audit=[added])
    store.members.add(BERT)
    stored = store.members.by_id("anna")
    assert stored is not None
    store.members.change(stored, replace(stored, notes="x"), audit=[changed])
    with pytest.raises(Conflict):
        store.members.add(replace(ANNA, username="other"), audit=[never])
    with pytest.raises(Conflict):
        store.members.change(stored, replace(stored, notes="y"), audit=[never])
    with pytest.raises(Conflict):
        store.members.remove(stored, audit=[never])
    with pytest.raises(NamesTaken):
        store.members.add(replace(BERT, id="other"), audit=[never])
    present = store.members.by_id("anna")
    assert present is not None
    with pytest.raises(NamesTaken):
        store.members.change(present, replace(present, username="bert"), audit=[never])
    assert ids(found(store)) == newest_first([added, changed])
    store.members.remove(present, audit=[removed])
    assert ids(found(store)) == newest_first([added, changed, removed])


def test_a_change_of_nothing_but_notes_has_its_entries(store: AuditStore) -> None:
    """Such a change needs no transaction on DynamoDB, unless it has entries."""
    store.members.add(ANNA)
    stored = store.members.by_id("anna")
    assert stored is not None
    several = entries(5)
    store.members.change(stored, replace(stored, notes="x"), audit=several)
    assert ids(found(store)) == newest_first(several)


def of_two_people() -> list[AuditEntry]:
    """Return entries that name the addresses, devices and keys of Anna and Bert."""
    own = {"address": "192.0.2.1", "device": "curl", "detail": {"key": "k", "name": "Laptop"}}
    return [
        *entries(3, NOON, member="anna", actor="anna", **own),
        *entries(3, NOON + 100, member="bert", actor="anna", **own),
        *entries(3, NOON + 200, member="anna", actor="bert", **own),
        *entries(3, NOON + 300, member="bert", actor="bert", **own),
        *entries(1, NOON + 400, member="anna", detail={"from": "A", "to": "B"}),
    ]


def test_of_a_deleted_member_only_ids_remain(store: AuditStore) -> None:
    before = of_two_people()
    store.trail.append(before)
    store.trail.note_use("anna", "k", NOON)
    store.trail.note_use("bert", "k", NOON)
    for _step in store.trail.forget("anna"):
        pass
    after = found(store)
    assert ids(after) == newest_first(before)
    by_anna = [each for each in after if each.actor == "anna"]
    by_bert = [each for each in after if each.actor == "bert"]
    about_anna = [each for each in after if each.member == "anna"]
    assert len(by_anna) == len(by_bert) == 6
    assert {(each.address, each.device) for each in by_anna} == {("", "")}
    assert {(each.address, each.device) for each in by_bert} == {("192.0.2.1", "curl")}
    assert all("name" not in each.detail for each in about_anna)
    assert all(each.detail["name"] == "Laptop" for each in after if each.member == "bert")
    assert {"from": "A", "to": "B"} in [each.detail for each in about_anna]
    assert store.trail.uses("anna") == {}
    assert store.trail.uses("bert") == {"k": NOON}


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_forgetting_that_was_interrupted_begins_again(steps: int, store: AuditStore) -> None:
    store.trail.append(of_two_people())
    for _step in islice(store.trail.forget("anna"), steps):
        pass
    for _round in range(2):
        for _step in store.trail.forget("anna"):
            pass
    assert {each.address for each in found(store) if each.actor == "anna"} == {""}


def test_a_removed_member_is_to_be_forgotten_until_that_is_done(store: AuditStore) -> None:
    (entry,) = entries(1)
    for member in (ANNA, BERT):
        store.members.add(member)
    for id_, audit in (("anna", [entry]), ("bert", [])):
        stored = store.members.by_id(id_)
        assert stored is not None
        store.members.remove(stored, audit=audit)
    assert sorted(store.trail.to_forget(NOON)) == ["bert"]
    assert sorted(store.trail.to_forget(NOON + 1)) == ["anna", "bert"]
    store.trail.forgotten("anna")
    store.trail.forgotten("anna")
    assert sorted(store.trail.to_forget(NOON + 1)) == ["bert"]


def test_a_pruned_trail_shows_what_was_kept(store: AuditStore) -> None:
    written = entries(1200)
    for start in range(0, len(written), 100):
        store.trail.append(written[start : start + 100])
    first = written[1100].id
    for _step in store.trail.prune(first):
        pass
    page = store.trail.page(first)
    assert ids(page.entries) == newest_first(written[1100:])
