"""Entries of the audit trail: the IDs of hourly ones, and what identifies a person."""

import pytest

from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.members.audit_entry import (
    DAY,
    HOUR,
    AuditEntry,
    AuditKind,
    first_kept_id,
    hourly_entry,
    without_person,
)
from tests.fakes import NOON
from tests.rows import each_row

REFUSED, BASIC = AuditKind.SIGN_IN_REFUSED, AuditKind.USED_BASIC


@each_row("later", [0, 1, HOUR - 1])
def test_all_events_of_an_hour_have_one_entry(later: int) -> None:
    entry = hourly_entry(REFUSED, NOON + later, "m1")
    assert entry == hourly_entry(REFUSED, NOON, "m1")
    assert entry.at == NOON
    assert id_timestamp(entry.id) == NOON


def test_another_kind_member_or_hour_has_another_entry() -> None:
    entries = [
        hourly_entry(REFUSED, NOON, "m1"),
        hourly_entry(REFUSED, NOON, "m2"),
        hourly_entry(REFUSED, NOON),
        hourly_entry(BASIC, NOON, "m1"),
        hourly_entry(REFUSED, NOON + HOUR, "m1"),
        hourly_entry(REFUSED, NOON - 1, "m1"),
    ]
    assert len({entry.id for entry in entries}) == len(entries)


def test_the_hourly_and_the_counted_kinds() -> None:
    counted = {REFUSED, AuditKind.KEY_REFUSED}
    assert {kind for kind in AuditKind if kind.is_counted} == counted
    assert {kind for kind in AuditKind if kind.is_hourly} == {*counted, BASIC}


def test_the_least_id_of_the_kept_entries_is_exact() -> None:
    first = first_kept_id(NOON, 90)
    assert first <= TimeOrderedIds(lambda: NOON - 90 * DAY).new()
    assert first > TimeOrderedIds(lambda: NOON - 90 * DAY - 1).new()


OF_ANNA = AuditEntry(
    "1",
    NOON,
    AuditKind.KEY_CREATED,
    "anna",
    "anna",
    "token",
    {"key": "k", "name": "Laptop"},
    "192.0.2.1",
    "curl",
)


@pytest.mark.parametrize(
    ("deleted", "address", "device", "detail"),
    [
        ("anna", "", "", {"key": "k"}),
        ("bert", "192.0.2.1", "curl", {"key": "k", "name": "Laptop"}),
    ],
)
def test_ids_remain_of_a_deleted_member(
    deleted: str, address: str, device: str, detail: dict[str, str]
) -> None:
    entry = without_person(OF_ANNA, deleted)
    assert (entry.address, entry.device, entry.detail) == (address, device, detail)
    assert (entry.member, entry.actor, entry.way, entry.kind) == ("anna", "anna", "token", OF_ANNA.kind)


def test_the_address_belongs_to_who_did_it_and_names_to_whom_it_is_about() -> None:
    by_admin = AuditEntry(
        "1", NOON, AuditKind.KEY_CREATED, "robot", "ada", "token", {"name": "Nightly"}, "192.0.2.1", "curl"
    )
    without_robot, without_ada = without_person(by_admin, "robot"), without_person(by_admin, "ada")
    assert (without_robot.address, without_robot.device, without_robot.detail) == ("192.0.2.1", "curl", {})
    assert (without_ada.address, without_ada.device, without_ada.detail) == ("", "", {"name": "Nightly"})


def test_an_entry_shows_no_address_in_logs() -> None:
    assert "192.0.2.1" not in repr(OF_ANNA)
    assert "curl" not in repr(OF_ANNA)
