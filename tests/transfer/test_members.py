"""Members move without passwords and links, or with the hashes of passwords if that is wanted."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.members.credentials import ApiKey, ExchangeCode, ProviderLink, Session
from stratabase.members.member import MailedLink, Member, MemberKind
from stratabase.transfer.format import InvalidExport
from stratabase.transfer.members import MemberImport, export_members
from tests.in_memory_members import InMemoryMembers
from tests.models import PROFILES
from tests.rows import each_row

SECRETS = ("phc-hash", "key-hash", "reset-hash", "confirmation-hash", "new@example.com", "s1", "code-hash")
ANN = Member(
    "1",
    "ann",
    "ann@example.com",
    "Clerk",
    notes="note",
    password=SECRETS[0],
    generation=3,
    keys=(
        ApiKey("k1", "Nightly", SECRETS[1], 1, 2, "Clerk", ("192.0.2.0/24",)),
        ApiKey("k2", "Hourly", SECRETS[1], 1),
    ),
    reset=MailedLink(SECRETS[2], 10),
    confirmation=MailedLink(SECRETS[3], 10),
    pending_email=SECRETS[4],
    sessions=(Session(SECRETS[5], 1, 2, "password"),),
    codes=(ExchangeCode(SECRETS[6], "challenge", 10, "entra"),),
    links=(ProviderLink("https://id.example", "7", "entra", 1),),
)
BOB = Member("0", "bob", "bob@example.com", "Administrator", disabled=True)
PROGRAM = Member("2", "nightly", "", "Clerk", kind=MemberKind.PROGRAM)

KEY, LINK = asdict(ANN.keys[0]), asdict(ANN.links[0])


def exported(folder: Path, *members: Member, with_password_hashes: bool = False) -> str:
    store = InMemoryMembers()
    for member in members:
        store.add(member)
    export_members(folder, store, with_password_hashes=with_password_hashes, report=lambda _: None)
    return (folder / "members.jsonl").read_text()


def imported(folder: Path, members: InMemoryMembers) -> int:
    importing = MemberImport(folder, PROFILES)
    importing.check(lambda: members)
    return importing.run(lambda: members, lambda _: None)


def test_members_are_exported_without_secrets(tmp_path: Path) -> None:
    text = exported(tmp_path, ANN, BOB)

    assert [json.loads(line)["username"] for line in text.splitlines()] == ["bob", "ann"]
    assert not any(secret in text for secret in SECRETS)
    assert (tmp_path / "members.jsonl").stat().st_mode & 0o777 == 0o600


def test_hashes_of_passwords_are_exported_if_wanted(tmp_path: Path) -> None:
    text = exported(tmp_path, ANN, with_password_hashes=True)

    assert all(secret in text for secret in SECRETS[:2])
    assert not any(secret in text for secret in SECRETS[2:])


def test_a_person_without_keys_and_links_is_exported_as_by_earlier_versions(tmp_path: Path) -> None:
    (line,) = exported(tmp_path, BOB).splitlines()
    assert [*json.loads(line)] == [
        *("id", "username", "email", "profile", "notes", "formats", "disabled", "generation")
    ]


def test_members_are_imported_once(tmp_path: Path) -> None:
    exported(tmp_path, ANN, BOB, PROGRAM, with_password_hashes=True)
    members = InMemoryMembers()

    assert imported(tmp_path, members) == 3
    assert imported(tmp_path, members) == 0
    kept = replace(ANN, reset=None, pending_email=None, confirmation=None, sessions=(), codes=())
    assert [members.by_id(id_) for id_ in ("1", "0", "2")] == [kept, BOB, PROGRAM]


@each_row(
    ("field", "value", "message"),
    [
        ("kind", "robot", '"kind" must be "person" or "program"'),
        ("kind", ["program"], '"kind" must be "person" or "program"'),
        ("keys", [{"id": "k1"}], '"keys" must be the keys of a member'),
        ("keys", [7], '"keys" must be the keys of a member'),
        ("keys", None, '"keys" must be the keys of a member'),
        ("keys", [{**KEY, "networks": None}], '"keys" must be the keys of a member'),
        ("keys", [{**KEY, "hash": 7}], '"keys" must be the keys of a member'),
        ("keys", [{**KEY, "until": "never"}], '"keys" must be the keys of a member'),
        ("keys", [{**KEY, "networks": "192.0.2.0/24"}], '"keys" must be the keys of a member'),
        ("links", {"issuer": "x"}, '"links" must be the links of a member'),
        ("links", [{**LINK, "since": True}], '"links" must be the links of a member'),
    ],
)
def test_a_field_that_no_export_has_is_refused(field: str, value: Any, message: str, tmp_path: Path) -> None:
    fields = json.loads(exported(tmp_path, BOB)) | {field: value}
    (tmp_path / "members.jsonl").write_text(json.dumps(fields))

    with pytest.raises(InvalidExport, match=f"line 1: {message}"):
        imported(tmp_path, InMemoryMembers())


def test_an_account_at_a_provider_that_another_member_has_is_refused(tmp_path: Path) -> None:
    exported(tmp_path, ANN)
    members = InMemoryMembers(replace(BOB, links=ANN.links))

    with pytest.raises(InvalidExport, match="Another member is linked to an account of the member 'ann'"):
        imported(tmp_path, members)

    assert members.by_id("1") is None


def test_a_taken_name_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    exported(tmp_path, BOB, ANN)
    members = InMemoryMembers()
    members.add(replace(ANN, id="7", links=()))

    with pytest.raises(InvalidExport, match=r"members\.jsonl, line 2: Another member has the username 'ann'"):
        imported(tmp_path, members)

    assert members.by_id("0") is None


def test_members_with_one_address_in_two_spellings_are_imported_as_they_are(tmp_path: Path) -> None:
    in_unicode, in_ascii = (
        replace(BOB, email="a@bücher.example"),
        replace(ANN, email="a@XN--bcher-kva.example"),
    )
    store = InMemoryMembers(in_unicode, in_ascii)
    export_members(tmp_path, store, with_password_hashes=False, report=lambda _: None)
    members = InMemoryMembers(in_unicode)  # the first one was added before the import was interrupted

    assert imported(tmp_path, members) == 1
    assert imported(tmp_path, members) == 0
    found = [members.by_email(each.email) for each in (in_unicode, in_ascii)]
    assert [each and each.username for each in found] == ["bob", "ann"]


def test_an_address_that_a_member_outside_of_the_export_has_in_another_spelling_is_refused(
    tmp_path: Path,
) -> None:
    exported(tmp_path, replace(ANN, email="a@bücher.example"))
    members = InMemoryMembers(replace(BOB, email="a@xn--bcher-kva.example"))

    with pytest.raises(InvalidExport, match="Another member has the username 'ann' or the email address"):
        imported(tmp_path, members)

    assert members.by_id("1") is None


def test_an_unknown_profile_is_refused(tmp_path: Path) -> None:
    exported(tmp_path, replace(ANN, profile="Pirate"))

    with pytest.raises(
        InvalidExport, match=r"line 1: The model has no profile 'Pirate'\. It has: Administrator"
    ):
        imported(tmp_path, InMemoryMembers())
