"""Every message of the console is completely translated in every catalog, and has literal templates.

Its TypeScript calls `t("Text of {name}", { name })` and `plural(count, "{count} object", "{count} objects")`.
"""

import io
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from stratabase.values.messages.message import ENGLISH, LANGUAGES
from tests.page_sources import CONSOLE, MESSAGES, console_catalog, is_of_console
from tests.rows import each_row

SOURCES = CONSOLE / "src"
DEFINITION = SOURCES / "messages/messages.ts"
TRANSLATED = [language for language in LANGUAGES if language != ENGLISH]
KEYWORDS = {"t": None, "plural": (2, 3)}
METHODS = [("**.ts", "javascript"), ("**.tsx", "javascript")]
_LITERAL = r'"(?:[^"\\\n]|\\.)*"'
_CALL = re.compile(
    rf"(?<![\w.$])(?:t\(\s*(?P<text>{_LITERAL})?"
    rf"|plural\(\s*[^,\n]+,\s*(?P<one>{_LITERAL})?(?:,\s*(?P<many>{_LITERAL}))?)"
)
_PLACEHOLDER = re.compile(r"{(\w+)}")


class Use(NamedTuple):
    """A call that makes a text: where it is, and its templates, of which some are None if not literal."""

    place: str
    templates: tuple[str | None, ...]


@cache
def uses() -> tuple[Use, ...]:
    return tuple(_uses())


def _uses() -> Iterator[Use]:
    for file in sorted(SOURCES.rglob("*.ts*")):
        text = file.read_text(encoding="utf-8") if file != DEFINITION else ""
        for call in _CALL.finditer(text):
            names = ["text"] if call[0].startswith("t") else ["one", "many"]
            literals = [call[name] for name in names]
            place = f"{file.relative_to(SOURCES)}:{text[: call.start()].count(chr(10)) + 1}"
            yield Use(place, tuple(None if each is None else json.loads(each) for each in literals))


def listed(name: str) -> list[Message]:
    """Return the messages of the console in a catalog."""
    content = read_po(io.BytesIO((MESSAGES / name).read_bytes()))
    return [entry for entry in content if entry.id and is_of_console(entry)]


def texts_of(templates: object) -> tuple[str, ...]:
    return (templates,) if isinstance(templates, str) else tuple(templates)  # type: ignore[arg-type]


def test_every_message_has_literal_templates() -> None:
    assert len(uses()) > 50
    assert [use.place for use in uses() if None in use.templates] == []


def test_all_messages_are_found() -> None:
    """`make messages` finds them by Babel's lexer of JavaScript, which knows little of TypeScript."""
    found = extract_from_dir(SOURCES, METHODS, keywords=KEYWORDS, comment_tags=())
    assert {texts_of(template) for _, _, template, _, _ in found} == {use.templates for use in uses()}


@each_row("name", ["messages.pot", *(f"{language}.po" for language in TRANSLATED)])
def test_a_catalog_lists_the_messages_of_the_console(name: str) -> None:
    """After a change of messages, run `make messages`, and translate what it adds."""
    texts = {text for entry in listed(name) for text in texts_of(entry.id)}
    assert texts == {text for use in uses() for text in use.templates}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    missing = [entry.id for entry in listed(f"{language}.po") if not all(texts_of(entry.string))]
    assert missing == []
    assert console_catalog(language).keys() == {texts_of(entry.id)[0] for entry in listed(f"{language}.po")}


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_placeholders_of_the_message(language: str) -> None:
    for entry in listed(f"{language}.po"):
        expected = {name for text in texts_of(entry.id) for name in _PLACEHOLDER.findall(text)}
        for text in filter(None, texts_of(entry.string)):
            assert {*_PLACEHOLDER.findall(text)} == expected, entry.id


def test_messages_use_the_words_that_the_conventions_ask_for() -> None:
    """CONTRIBUTING lists these words."""
    templates = [text for entry in listed("messages.pot") for text in texts_of(entry.id)]
    assert [text for text in templates if re.search(r"(?i)\b(cannot|can not|mails?)\b", text)] == []
