"""Singular and plural in messages, and similar words."""

from typing import Any

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.values.wording import nearest_word, pluralize, similar_words
from tests.models import violations
from tests.rows import each_row


@each_row(("number", "text"), [(0, "0 objects"), (1, "1 object"), (2, "2 objects"), (1000, "1,000 objects")])
def test_pluralize_returns_the_singular_for_one(number: int, text: str) -> None:
    assert pluralize(number, "object") == text


@each_row(
    ("type_", "value", "domain", "text"),
    [
        ("String", "x", {"minLength": 2}, "The text has 1 character. The minimum is 2."),
        ("String", "", {"minLength": 2}, "The text has 0 characters. The minimum is 2."),
        ("String", "x", {"maxLength": 0}, "The text has 1 character. The maximum is 0."),
        ("Real", "1.5", {"digits": 0}, "1.5 has 1 decimal place. The maximum is 0."),
        ("File", {"name": "a.pdf", "size": 1}, {"maxSize": 0}, "The file has 1 byte. The maximum is 0."),
    ],
)
def test_messages_about_one_are_in_the_singular(
    type_: str, value: object, domain: dict[str, Any], text: str
) -> None:
    (mistake,) = violations(type_, value, **domain)
    assert mistake.message == text


def test_the_number_of_read_objects_is_worded() -> None:
    assert "after 1 object, before" in str(ReadBudgetExceeded("Person", 1))
    assert "after 2 objects, before" in str(ReadBudgetExceeded("Person", 2))


def test_of_many_words_those_with_the_same_letters_are_compared() -> None:
    many = tuple(f"{name}___{verb}" for name in "abcdefghijklmnop" for verb in ("contains", "eq", "in"))
    assert nearest_word("email___icontains", (*many, "email___contains")) == "email___contains"
    assert nearest_word("emial___eq", (*many, "email___eq")) == "email___eq"


def test_a_word_of_one_letter_and_a_long_word_have_no_similar_words() -> None:
    assert similar_words("a", ("ab", "b")) == ()
    assert similar_words("a" * 101, ("a" * 100,)) == ()
