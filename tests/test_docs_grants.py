"""The model snippets of the page about grants are valid, and do what the page says."""

import re

from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.model.model import Action, lies_within
from stratabase.core.model.reading import read_model
from stratabase.core.model.users import USER, with_users
from tests.repository import ROOT
from tests.rows import each_row

PAGE = (ROOT / "docs/grants.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```graphql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
HEAD, NARROWER = HEADS = [each for each in SNIPPETS if each.startswith("extend schema")]
MODEL = with_users(read_model(HEAD + "".join(each for each in SNIPPETS if each not in HEADS), "grants.md"))
EVERYTHING = frozenset(Action)
READ = frozenset({Action.READ})


def access(profile: str) -> Access:
    """Return the access of a profile that is restricted."""
    found = access_of(MODEL, profile)
    assert found is not None
    return found


@each_row(
    ("class_name", "member", "auditor", "manager"),
    [
        ("Employee", EVERYTHING - {Action.DELETE}, READ, EVERYTHING),
        ("Project", READ | {Action.EDIT}, READ, EVERYTHING),
        ("Note", EVERYTHING, READ, EVERYTHING),
        ("Department", frozenset(), READ, EVERYTHING),
        ("Timesheet", READ | {Action.EDIT}, READ, EVERYTHING),
        ("Customer", frozenset(), READ, EVERYTHING),
    ],
)
def test_the_snippets_allow_what_the_page_says(
    class_name: str, member: frozenset[Action], auditor: frozenset[Action], manager: frozenset[Action]
) -> None:
    found = [access(name).class_permission(class_name).actions for name in ("Member", "Auditor", "Manager")]
    assert found == [member, auditor, manager]


def test_the_snippets_hide_what_the_page_says() -> None:
    assert access_of(MODEL, "Administrator") is None
    assert access("Member").read_obstacle("Employee", "salary") == "Employee.salary"
    assert access("Manager").read_obstacle("Customer", "margin_class") == "Customer.margin"
    assert access("Manager").may_read_class("Contact")
    assert not access("Auditor").may_read_class("Contact")
    assert not access("Auditor").may_follow("Customer", MODEL.classes["Customer"].roles["contacts"])
    assert not access("Member").may_follow("Timesheet", MODEL.classes["Timesheet"].roles["department"])
    for class_name in ("Project", "Note", "Timesheet"):
        assert not access("Member").sees_every_object(class_name)


def test_the_reporter_of_the_page_lies_within_the_manager() -> None:
    profiles = read_model(f"{NARROWER}type Employee {{ name: String }}", "grants.md").profiles
    assert lies_within(profiles, "Reporter", "Manager")


def test_the_snippets_open_members_as_the_page_says() -> None:
    member = access("Member")
    assert member.may_read_class(USER)
    assert not member.sees_every_object(USER)
    assert member.conditional_source(USER, "email") == f"{USER}.email"
    assert member.read_obstacle(USER, "notes") == f"{USER}.notes"
    assert member.may_read_class("Report")
    for profile in ("Auditor", "Manager"):
        assert not access(profile).may_read_class(USER)
