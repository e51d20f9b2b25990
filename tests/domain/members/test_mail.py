"""Letters say the same in every language, and leave their links whole."""

from string import Formatter

import pytest

from stratabase.domain.members.mail import TEMPLATES, mail_templates
from stratabase.domain.members.mail.template import Mail, MailTemplate, MailTemplates

TOLD = {
    "reset": {"application", "username", "link"},
    "invitation": {"application", "username", "link"},
    "confirmation": {"application", "username", "email", "link"},
    "change_requested": {"application", "username", "email"},
    "changed": {"application", "username", "email"},
}
"""What each letter tells."""


def vars_of(letters: MailTemplates) -> dict[str, MailTemplate]:
    return {name: getattr(letters, name) for name in MailTemplates.__slots__}


ALL = [
    pytest.param(letter, TOLD[name], id=f"{language}-{name}")
    for language, letters in TEMPLATES.items()
    for name, letter in vars_of(letters).items()
]
LINKED = [each for each in ALL if "link" in TOLD[str(each.id).partition("-")[2]]]
LINK = "https://api.example.com/hr/public/administration/setPassword?token=m1.x_-y"


def written(letter: MailTemplate) -> Mail:
    return letter.to("anna@example.com", application="Hr", username="anna", link=LINK)


@pytest.mark.parametrize(("letter", "told"), ALL)
def test_a_letter_says_all_that_there_is_to_say(letter: MailTemplate, told: set[str]) -> None:
    named = {name for _, name, _, _ in Formatter().parse(letter.text) if name}
    assert named == told
    mail = written(letter)
    assert (mail.to, "Hr" in mail.subject) == ("anna@example.com", True)


@pytest.mark.parametrize(("letter", "told"), LINKED)
def test_the_link_stands_on_a_line_of_its_own(letter: MailTemplate, told: set[str]) -> None:
    assert "link" in told
    lines = written(letter).text.splitlines()
    place = lines.index(LINK)
    assert (lines[place - 1], lines[place + 1]) == ("", "")


@pytest.mark.parametrize(("letter", "told"), ALL)
def test_a_subject_tells_nothing_that_a_member_made_up(letter: MailTemplate, told: set[str]) -> None:
    assert "application" in told
    assert {name for _, name, _, _ in Formatter().parse(letter.subject) if name} == {"application"}


def test_no_letter_is_another_one() -> None:
    texts = {letter.text for letters in TEMPLATES.values() for letter in vars_of(letters).values()}
    assert len(texts) == len(TOLD) * len(TEMPLATES)


@pytest.mark.parametrize(
    ("language", "found"),
    [("it", "it"), ("it_CH", "it"), ("IT-it", "it"), ("fr", "en"), ("", "en"), ("i", "en")],
)
def test_which_language(language: str, found: str) -> None:
    assert mail_templates(language) is TEMPLATES[found]
