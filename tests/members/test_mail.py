"""Mails have the same content in every language, and keep their links intact."""

from collections.abc import Callable

from stratabase.members.mail import (
    Mail,
    change_requested_mail,
    confirmation_mail,
    email_changed_mail,
    invitation_mail,
    reset_mail,
)
from stratabase.members.member import Member
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages.message import LANGUAGES
from tests.rows import each_row

LINK = "https://api.example.com/hr/public/administration/setPassword?token=m1.x_-y"
NEW_EMAIL = "anna@new.example"
MAILS: dict[str, tuple[Callable[[Member], Mail], set[str]]] = {
    "reset": (lambda member: reset_mail(member, "Hr", LINK), {LINK}),
    "invitation": (lambda member: invitation_mail(member, "Hr", LINK), {LINK}),
    "confirmation": (lambda member: confirmation_mail(member, NEW_EMAIL, "Hr", LINK), {LINK, NEW_EMAIL}),
    "change requested": (lambda member: change_requested_mail(member, "Hr"), {"anna@example.com"}),
    "changed": (lambda member: email_changed_mail(member, "Hr"), {"anna@example.com"}),
}
"""What makes each mail, and what its text must have besides the application and the username."""


def member(language: str) -> Member:
    formats = Formats(language=language)
    return Member("m1", "{anna}", "anna@example.com", "Clerk", formats=formats, pending_email=NEW_EMAIL)


@each_row("name", MAILS)
@each_row("language", LANGUAGES)
def test_a_mail_contains_all_its_details(name: str, language: str) -> None:
    make_mail, facts = MAILS[name]
    mail = make_mail(member(language))
    assert mail.to == (NEW_EMAIL if name == "confirmation" else "anna@example.com")
    assert all(fact in mail.text for fact in {"Hr", "{anna}", *facts})


@each_row("name", ["reset", "invitation", "confirmation"])
@each_row("language", LANGUAGES)
def test_the_link_is_on_a_line_of_its_own(name: str, language: str) -> None:
    make_mail, _facts = MAILS[name]
    lines = make_mail(member(language)).text.splitlines()
    place = lines.index(LINK)
    assert (lines[place - 1], lines[place + 1]) == ("", "")


@each_row("name", MAILS)
@each_row("language", LANGUAGES)
def test_a_subject_contains_no_member_supplied_text(name: str, language: str) -> None:
    make_mail, _facts = MAILS[name]
    subject = make_mail(member(language)).subject
    assert subject.startswith("Hr: ")
    assert not {text for text in ("{anna}", "@", LINK) if text in subject}


def test_every_mail_text_and_subject_is_distinct() -> None:
    mails = [make_mail(member(language)) for make_mail, _ in MAILS.values() for language in LANGUAGES]
    assert len({mail.text for mail in mails}) == len({mail.subject for mail in mails}) == len(mails)


@each_row(("language", "greeting"), [("it", "Ciao"), ("IT-it", "Ciao"), ("fr", "Hello")])
def test_a_mail_is_in_the_language_of_the_member(language: str, greeting: str) -> None:
    assert reset_mail(member(language), "Hr", LINK).text.startswith(f"{greeting} {{anna}},\n")
