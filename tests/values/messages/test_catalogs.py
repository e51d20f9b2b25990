"""Every message of the service is completely translated in every catalog, and has one literal template.

`test_console_messages` has the same for the console, whose messages are in the same catalogs.
"""

import ast
import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

import stratabase
import stratabase_aws
from stratabase.values.messages.message import LANGUAGES
from tests.rows import each_row

PACKAGE = Path(stratabase.__file__).parent
AWS_PACKAGE = Path(stratabase_aws.__file__).parent
TRANSLATED = [language for language in LANGUAGES if language != "en"]
KEYWORDS = {"_": None, "ngettext": (1, 2)}
WORD = re.compile(r"(?<!\S)(?!(?:true|false|null)\b)[a-z]{2,}[.,;:]?(?!\S)")
"""A word of English. Names such as `fromCursor`, `@unique(name)` or `name@example.com` are none."""
OF_EXPRESSIONS = ("values/cel/texts.py", "values/formats/regex.py")
"""Errors of expressions and patterns are English in every language, like those of GraphQL documents."""


@cache
def messages_in_code() -> frozenset[str | tuple[str, str]]:
    """Return the templates in the code; of one with a plural: both."""
    found = [
        each
        for package in (PACKAGE, AWS_PACKAGE)
        for each in extract_from_dir(package, [("**.py", "python")], keywords=KEYWORDS, comment_tags=())
    ]
    return frozenset(
        template if isinstance(template, str) else (template[0], template[1])
        for _, _, template, _, _ in found
    )


@cache
def catalog(name: str) -> Catalog:
    return read_po(io.BytesIO((PACKAGE / "values/messages" / name).read_bytes()))


def entries(name: str) -> list[Message]:
    """Return the messages of the service, some of which the console has, too."""
    return [entry for entry in catalog(name) if entry.id and not is_only_of_console(entry)]


def is_only_of_console(entry: Message) -> bool:
    return all("tools/console/" in file for file, _line in entry.locations)


def names_in(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def strings_of(texts: object) -> list[str]:
    return [texts] if isinstance(texts, str) else list(texts)  # type: ignore[call-overload]


@each_row("name", ["messages.pot", *(f"{language}.po" for language in TRANSLATED)])
def test_a_catalog_lists_the_messages_of_the_code(name: str) -> None:
    """After a change of messages, run `make messages`, and translate what it adds."""
    listed = {entry.id if isinstance(entry.id, str) else tuple(entry.id) for entry in entries(name)}
    assert listed == messages_in_code()
    assert len(listed) > 200


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_message_is_translated(language: str) -> None:
    missing = [entry.id for entry in entries(f"{language}.po") if not all(strings_of(entry.string))]
    fuzzy = [entry.id for entry in entries(f"{language}.po") if entry.fuzzy]
    assert missing + fuzzy == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_placeholders_of_the_message(language: str) -> None:
    for entry in entries(f"{language}.po"):
        expected = set().union(*(names_in(text) for text in strings_of(entry.id)))
        for text in strings_of(entry.string):
            assert names_in(text) == expected, entry.id


class MessageUse(NamedTuple):
    """A place in the code that creates a message."""

    place: str
    function: str
    call: ast.Call


@cache
def messages_made() -> tuple[MessageUse, ...]:
    return tuple(_messages_made())


def _messages_made() -> Iterator[MessageUse]:
    for file in sorted((*PACKAGE.rglob("*.py"), *AWS_PACKAGE.rglob("*.py"))):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if re.search(r"\b(_|ngettext|verbatim)\(", text) else ():
            match node:
                case ast.Call(func=ast.Name(id="_" | "ngettext" | "verbatim" as function)):
                    yield MessageUse(f"{file}:{node.lineno}", function, node)


def test_every_message_has_literal_templates() -> None:
    counts = {"_": 1, "ngettext": 2}
    translated = [created for created in messages_made() if created.function in counts]
    assert len(translated) > 200
    for place, function, call in translated:
        templates = call.args[: counts[function]]
        assert all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in templates), (
            place
        )


def test_messages_use_the_words_that_the_conventions_ask_for() -> None:
    """CONTRIBUTING lists these words."""
    templates = [text for entry in entries("messages.pot") for text in strings_of(entry.id)]
    assert [text for text in templates if re.search(r"(?i)\b(cannot|can not|mails?)\b", text)] == []


def test_a_message_gets_a_value_for_each_placeholder() -> None:
    for place, function, call in messages_made():
        if function == "verbatim" or any(keyword.arg is None for keyword in call.keywords):
            continue
        value = {keyword.arg for keyword in call.keywords} | ({"count"} if function == "ngettext" else set())
        templates = [each.value for each in call.args if isinstance(each, ast.Constant)]
        expected = set().union(*(names_in(str(each)) for each in templates))
        assert value - {"count"} == expected - {"count"}, place


def test_no_message_parameter_contains_english_text() -> None:
    """Such as `verb="is"`: other languages have other pieces. Use two whole messages instead."""
    for place, _, call in messages_made():
        for keyword in call.keywords:
            assert not any(WORD.search(text) for text in _literal_texts(keyword.value)), place


def test_a_verbatim_text_contains_no_english() -> None:
    for place, function, call in messages_made():
        if function == "verbatim" and not place.partition(":")[0].endswith(OF_EXPRESSIONS):
            assert not any(WORD.search(text) for text in _literal_texts(call.args[0])), place


def _literal_texts(value: ast.expr) -> Iterator[str]:
    """Yield the literals that a parameter is, or is put together from."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values) | ast.BoolOp(values=values):
            for each in values:
                yield from _literal_texts(each)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _literal_texts(body)
            yield from _literal_texts(orelse)
        case ast.BinOp(left=left, right=right):
            yield from _literal_texts(left)
            yield from _literal_texts(right)


@each_row(
    ("text", "is_english"),
    [
        ("is", True),
        ("two words", True),
        (" were", True),
        ("fromCursor", False),
        (" @unique(", False),
        (": true", False),
    ],
)
def test_the_check_finds_english_text(text: str, is_english: bool) -> None:
    assert bool(WORD.search(text)) is is_english
