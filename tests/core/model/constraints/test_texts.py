"""Patterns and values, email addresses, phone numbers and Italian tax codes."""

import re
from typing import Any

from tests.models import violations
from tests.rows import each_row

CODE = "MRTMTT91D08F205J"


def breaches(text: str, domain: dict[str, Any]) -> list[str]:
    mistakes = violations("String", text, **domain)
    assert all(re.search(r"\. (Use|It must|The maximum)", mistake.message) for mistake in mistakes)
    return [mistake.issue for mistake in mistakes]


@each_row("text", ["12345", "n/a", "AB"])
def test_texts_that_satisfy_their_constraint_are_accepted(text: str) -> None:
    """Any pattern may match, or any value be equal."""
    assert breaches(text, {"pattern": ("[0-9]{5}", "[A-Z]+"), "values": ("n/a",)}) == []


@each_row("text", ["", "1234", "123456", "12345\n", "a", "12345 ABC"])
def test_texts_that_violate_their_constraint_are_refused(text: str) -> None:
    """A pattern matches the whole value, no part of it."""
    domain: dict[str, Any] = {"pattern": ("[0-9]{5}", "[A-Z]+"), "values": ("n/a",)}
    assert breaches(text, domain) == ["ATTRIBUTE_STRING_PATTERN"]
    (mistake,) = violations("String", text, **domain)
    assert mistake.message.endswith('It must match "[0-9]{5}", "[A-Z]+", or "n/a".')


def test_values_without_a_pattern_are_literal() -> None:
    """Without a pattern only the values are admitted; they are not patterns themselves."""
    assert breaches("a.c", {"values": ("a.c",)}) == []
    assert breaches("abc", {"values": ("a.c",)}) == ["ATTRIBUTE_STRING_PATTERN"]


@each_row(
    "text",
    [
        "a@b.it",
        "first.last+tag@sub.example.com",
        "o'neil@x-y.co",
        "jörg@bücher.example",
        "用户@例子.公司",
        "a" * 64 + "@b.it",
    ],
)
def test_email_addresses_are_accepted(text: str) -> None:
    """Addresses that people have, of any script."""
    assert breaches(text, {"email": True}) == []


@each_row(
    "text",
    [
        "",
        "a",
        "@b.it",
        "a@",
        "a@b",
        "a@b.",
        "a@.it",
        "a@b..it",
        "a b@c.it",
        ".a@b.it",
        "a.@b.it",
        "a..b@c.it",
        "a@b@c.it",
        "a@-b.it",
        "a@b-.it",
        "a@b_c.it",
        "a@b.it\n",
        "a\0@b.it",
        "a@b.it,c@d.it",
        "<a@b.it>",
        "=?utf-8?q?a=40b.it=2C_c?=@d.it",
        "a" * 65 + "@b.it",
        "a@" + "b" * 64 + ".it",
        "a@" + "b." * 130 + "it",
    ],
)
def test_invalid_email_addresses_are_refused(text: str) -> None:
    """Lists, display names, spaces and hosts without a dot are invalid."""
    assert "ATTRIBUTE_EMAIL" in breaches(text, {"email": True})


@each_row("text", ["112", "+39 06 1234567", "(06) 123-45.67", "06/1234567", "+123456789012345"])
def test_phone_numbers_are_accepted(text: str) -> None:
    """Digits, grouped as people do."""
    assert breaches(text, {"phone": True}) == []


@each_row(
    "text",
    [
        "",
        "12",
        "+",
        "++39123",
        "39+123",
        "0612345a",
        "1234567890123456",
        "123 ",
        "123\n",
        "\u0660\u0661\u0662\u0663",
    ],
)
def test_invalid_phone_numbers_are_refused(text: str) -> None:
    """Three to fifteen digits."""
    assert breaches(text, {"phone": True}) == ["ATTRIBUTE_PHONE"]


@each_row("text", ["07643520567", "00743110157", "12345670017"])
def test_valid_partite_iva_are_accepted(text: str) -> None:
    """Numbers whose last digit checks."""
    assert breaches(text, {"partitaIva": True}) == []
    assert breaches(text, {"codiceFiscale": True}) == []


@each_row(
    "text",
    ["", "07643520568", "70643520567", "0764352056", "IT07643520567", "0" * 11, "\u0660\u0667643520567"],
)
def test_invalid_partite_iva_are_refused(text: str) -> None:
    """A wrong check digit, two digits changed about, a wrong length, zeros, or digits of another script."""
    assert breaches(text, {"partitaIva": True}) == ["ATTRIBUTE_PARTITA_IVA"]


def test_every_other_check_digit_is_refused() -> None:
    """Exactly one of the ten possible last digits is valid."""
    right = [digit for digit in "0123456789" if not breaches("0764352056" + digit, {"partitaIva": True})]
    assert right == ["7"]


@each_row("text", [CODE, "RSSMRA85T10A562S", "MRTMTT91D08F20RE"])
def test_valid_codici_fiscali_are_accepted(text: str) -> None:
    """Persons' codes, also one with a letter in place of a digit (omocodia)."""
    assert breaches(text, {"codiceFiscale": True}) == []


@each_row(
    "text",
    [
        "",
        CODE.lower(),
        CODE[:-1],
        CODE + "A",
        CODE[:-1] + "K",
        "MRTMTT91D08F206J",
        "MRTMTT91F08F205J",
        "MRTMTT91D00F205J",
        "MRTMTT91D32F205J",
        "MRTMTT91D08F20AJ",
    ],
)
def test_invalid_codici_fiscali_are_refused(text: str) -> None:
    """A wrong check character, month or day, small letters, a wrong length."""
    assert breaches(text, {"codiceFiscale": True}) == ["ATTRIBUTE_CODICE_FISCALE_PERSONA_FISICA"]


@each_row("text", ["07643520568", "1", "0" * 11])
def test_invalid_numeric_codici_fiscali_are_refused_as_such(text: str) -> None:
    """A code that begins with a digit is reported as the code of a legal entity."""
    assert breaches(text, {"codiceFiscale": True}) == ["ATTRIBUTE_CODICE_FISCALE_PERSONA_GIURIDICA"]
