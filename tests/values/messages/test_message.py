"""A message is its English text, and can be rendered in other languages."""

import copy
import pickle
import subprocess
import sys

from babel.lists import format_list

from stratabase.values.messages import Message, _, and_list, ngettext, or_list, verbatim
from stratabase.values.messages.message import LANGUAGES, choose_language
from tests.rows import each_row


def test_a_message_is_its_english_text() -> None:
    message = _("{attribute} is required.", attribute="Employee.name")
    assert message == "Employee.name is required."
    assert isinstance(message, str)
    assert message.in_language("en") == message


def test_a_message_in_another_language_has_the_same_parameters() -> None:
    message = _("The username or password is incorrect.")
    assert message.in_language("it") != message
    assert message.in_language("it-CH") == message.in_language("it_IT") == message.in_language("it")


def test_an_unavailable_language_falls_back_to_english() -> None:
    message = _("The username or password is incorrect.")
    assert message.in_language("ja") == message.in_language("not a tag") == message


@each_row(("count", "text"), [(0, "0 objects"), (1, "1 object"), (2, "2 objects")])
def test_a_number_selects_singular_or_plural(count: int, text: str) -> None:
    assert ngettext("{count} object", "{count} objects", count) == text


def test_numbers_are_grouped_by_the_rules_of_the_language() -> None:
    message = verbatim_template("{count} and {most}", count=1234567, most=1000)
    assert message == "1,234,567 and 1,000"
    assert message.in_language("it") == "1.234.567 and 1.000"


@each_row(
    ("words", "english", "italian"),
    [
        (["a"], "a", "a"),
        (["a", "b"], "a and b", "a e b"),
        (["a", "b", "c"], "a, b, and c", "a, b e c"),
    ],
)
def test_lists_are_joined_by_the_rules_of_the_language(words: list[str], english: str, italian: str) -> None:
    assert and_list(words) == english
    assert and_list(words).in_language("it") == italian


def test_alternatives_are_joined_by_the_rules_of_the_language() -> None:
    assert or_list(["a", "b", "c"]) == "a, b, or c"
    assert or_list(["a", "b", "c"]).in_language("it") == "a, b o c"


def test_parameters_that_are_messages_are_in_the_same_language() -> None:
    inner = _("The username or password is incorrect.")
    outer = verbatim_template("{attribute}: {reason}", attribute="name", reason=inner)
    assert outer.in_language("it") == f"name: {inner.in_language('it')}"
    assert and_list([inner, "b"]).in_language("it") == f"{inner.in_language('it')} e b"


def test_a_verbatim_text_is_the_same_in_every_language() -> None:
    text = "100 {percent} of {}"
    assert {verbatim(text).in_language(language) for language in LANGUAGES} == {text}


@each_row(
    "message",
    [
        _("{a} of {b}", a="x", b=2),
        ngettext("{count} row", "{count} rows", 3),
        verbatim("{"),
        or_list(["a", "b"]),
    ],
)
def test_a_copy_of_a_message_can_still_be_translated(message: Message) -> None:
    for copied in (copy.deepcopy(message), pickle.loads(pickle.dumps(message))):
        assert copied == message
        assert copied.in_language("it") == message.in_language("it")


@each_row(
    ("wanted", "chosen"), [([], "en"), (["it"], "it"), (["ja", "it-CH"], "it"), (["EN_us", "it"], "en")]
)
def test_the_first_preferred_available_language_is_chosen(wanted: list[str], chosen: str) -> None:
    assert choose_language(wanted) == chosen


def verbatim_template(template: str, **parameters: str | int) -> Message:
    """Return a message that is in no catalog."""
    return Message(template, parameters)


@each_row("count", range(5))
def test_english_lists_are_those_of_the_locale_data(count: int) -> None:
    words = list("abcde"[:count])
    assert and_list(words) == format_list(words, "standard", "en")
    assert or_list(words) == format_list(words, "or", "en")


def test_english_needs_no_locale_data() -> None:
    """Loading these takes long, and most starts of a function never show another language."""
    imports = "import sys; from stratabase.values.messages import _, or_list"
    code = f"{imports}; _('{{a}} {{b}}', a=or_list('ab'), b=1000); sys.exit('babel' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
