"""Letters say the same in every language, and leave their links whole."""

from string import Formatter

import pytest

from stratabase.domain.letters import LETTERS, letters_in
from stratabase.domain.letters.letter import Letter, Letters
from stratabase.domain.mail import Mail

TOLD = {
    "reset": {"application", "username", "link"},
    "invitation": {"application", "username", "link"},
    "confirmation": {"application", "username", "email", "link"},
    "change_requested": {"application", "username", "email"},
    "changed": {"application", "username", "email"},
}
"""What each letter tells."""


def vars_of(letters: Letters) -> dict[str, Letter]:
    return {name: getattr(letters, name) for name in Letters.__slots__}


ALL = [
    pytest.param(letter, TOLD[name], id=f"{language}-{name}")
    for language, letters in LETTERS.items()
    for name, letter in vars_of(letters).items()
]
LINKED = [each for each in ALL if "link" in TOLD[str(each.id).partition("-")[2]]]
LINK = "https://api.example.com/hr/public/administration/setPassword?token=m1.x_-y"


def written(letter: Letter) -> Mail:
    return letter.to("anna@example.com", application="Hr", username="anna", link=LINK)


@pytest.mark.parametrize(("letter", "told"), ALL)
def test_a_letter_says_all_that_there_is_to_say(letter: Letter, told: set[str]) -> None:
    named = {name for _, name, _, _ in Formatter().parse(letter.text) if name}
    assert named == told
    mail = written(letter)
    assert (mail.to, "Hr" in mail.subject) == ("anna@example.com", True)


@pytest.mark.parametrize(("letter", "told"), LINKED)
def test_the_link_stands_on_a_line_of_its_own(letter: Letter, told: set[str]) -> None:
    assert "link" in told
    lines = written(letter).text.splitlines()
    place = lines.index(LINK)
    assert (lines[place - 1], lines[place + 1]) == ("", "")


@pytest.mark.parametrize(("letter", "told"), ALL)
def test_a_subject_tells_nothing_that_a_member_made_up(letter: Letter, told: set[str]) -> None:
    assert "application" in told
    assert {name for _, name, _, _ in Formatter().parse(letter.subject) if name} == {"application"}


def test_no_letter_is_another_one() -> None:
    texts = {letter.text for letters in LETTERS.values() for letter in vars_of(letters).values()}
    assert len(texts) == len(TOLD) * len(LETTERS)


@pytest.mark.parametrize(
    ("language", "found"),
    [("it", "it"), ("it_CH", "it"), ("IT-it", "it"), ("fr", "en"), ("", "en"), ("i", "en")],
)
def test_which_language(language: str, found: str) -> None:
    assert letters_in(language) is LETTERS[found]
