"""The fields of a member: valid values, and their representations."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.model.model import Profile
from stratabase.members.fields import member_fields
from stratabase.members.member import MailedLink, Member
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import FORMATS_BY_NAME, Formats
from tests.rows import each_row

PROFILES = {"Boss": Profile("Boss", administrator=True), "Clerk": Profile("Clerk")}
FIELDS = member_fields(PROFILES)
ANNA = Member("1", "Anna", "anna@example.com", "Clerk", "notes", reset=MailedLink("x", 1))
TEXTS = [name for name, field in FIELDS.items() if field.type == "string"]


def mistakes(name: str, value: Any) -> str:
    return "; ".join(FIELDS[name].mistakes(value))


def test_the_fields_are_those_of_the_specification() -> None:
    named = "username email notes profile kind timeFormat dateFormat timeZone language disabled"
    assert list(FIELDS) == named.split()
    assert [name for name, field in FIELDS.items() if field.required] == ["username", "email", "profile"]
    assert [name for name, field in FIELDS.items() if field.administrators_only] == [
        "username",
        "profile",
        "disabled",
    ]
    assert all(field.name == name and field.description.endswith(".") for name, field in FIELDS.items())


@each_row(
    ("name", "value"),
    [
        ("username", "a"),
        ("username", "x" * 64),
        ("username", "Anna-Maria von Étienne 🙂"),
        ("username", "anna@example.com"),
        (
            "username",
            "\u05d3\u05d5\u05d3 \u0645\u0631\u064a\u0645 \u092a\u094d\u0930\u093f\u092f\u093e \ud55c",
        ),
        ("email", "anna@example.com"),
        ("email", "élan+tag@müller.example"),
        ("email", "élan@MÜLLER.example"),
        ("email", "max@xn--strae-oqa.example"),
        ("notes", "one\ntwo\r\nthree\tfour"),
        ("notes", "x" * 2000),
        ("notes", ""),
        ("notes", None),
        ("profile", "Boss"),
        ("timeFormat", "HH:mm:ss"),
        ("dateFormat", "EEEE d MMMM yyyy"),
        ("timeZone", "Europe/Rome"),
        ("timeZone", None),
        ("language", "pt-BR"),
        ("disabled", True),
    ],
)
def test_valid_values_of_member_fields_are_accepted(name: str, value: Any) -> None:
    assert mistakes(name, value) == ""


@each_row(
    ("name", "value", "result"),
    [
        ("username", "", "must not be empty"),
        ("username", "x" * 65, "must have at most 64 characters, not 65"),
        ("username", "a:b", '"username" must not contain a colon'),
        ("username", " a", "must not begin or end with a space"),
        ("username", "a\u00a0", '"username" contains the unsupported character U+00A0. Remove it.'),
        ("username", 5, "must be a string"),
        ("username", None, "must be a string"),
        ("email", "anna", "must be an email address, such as name@example.com"),
        ("email", "anna@localhost", "must be an email address"),
        ("email", "a b@example.com", "must be an email address"),
        ("email", "a@example.com\r\nBcc: b@example.com", "contains the unsupported character U+000D"),
        (
            "email",
            "max@straße.example",
            "or ambiguous in email addresses. For an internationalized domain, use its xn--… form.",
        ),
        ("email", "max@\N{FULLWIDTH LATIN SMALL LETTER E}xample.com", "ambiguous in email addresses"),
        ("email", "max@" + "ä" * 60 + ".example", "contains characters that are unsupported"),
        (
            "email",
            "\N{RIGHT-TO-LEFT OVERRIDE}max@example.com",
            '"email" contains the unsupported character U+202E. Remove it.',
        ),
        ("email", "x" * 255, "must have at most 254 characters"),
        ("notes", "x" * 2001, "must have at most 2,000 characters"),
        ("notes", ["x"], "must be a string"),
        ("profile", "boss", "must be a profile of the model, not "),
        ("timeFormat", "yyyy", '"timeFormat" is not valid. '),
        ("timeFormat", "", "must not be empty. Use null for the default, HH:mm"),
        ("timeZone", "", "must not be empty. Use null for the default, UTC"),
        ("dateFormat", "HH", '"dateFormat" is not valid. '),
        ("dateFormat", "y" * 50, "must have at most 49 characters"),
        ("timeZone", "Europe/Rom", "Europe/Rome"),
        ("timeZone", "../../etc/passwd", '"timeZone" is not valid. '),
        ("language", "klingon", '"language" is not valid. '),
        ("disabled", "true", "must be true or false"),
        ("disabled", 1, "must be true or false"),
        ("disabled", None, "must be true or false"),
    ],
)
def test_invalid_values_are_reported_with_advice(name: str, value: Any, result: str) -> None:
    assert result in mistakes(name, value)


INVISIBLE = {
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "soft hyphen": "\u00ad",
    "byte order mark": "\ufeff",
    "word joiner": "\u2060",
    "left-to-right mark": "\u200e",
    "right-to-left override": "\u202e",
    "first strong isolate": "\u2068",
    "Arabic letter mark": "\u061c",
    "tag": "\U000e0041",
    "no-break space": "\u00a0",
    "em space": "\u2003",
    "line separator": "\u2028",
    "combining grapheme joiner": "\u034f",
    "Hangul filler": "\u3164",
    "variation selector": "\ufe0f",
    "another variation selector": "\U000e0100",
    "blank Braille pattern": "\u2800",
    "unassigned": "\U000e0fff",
    "private": "\ue000",
}


@each_row("name", ["username", "email"])
@each_row("character", INVISIBLE.values())
def test_names_contain_no_invisible_characters(character: str, name: str) -> None:
    """Otherwise, the names of two members could look the same."""
    expected = f"contains the unsupported character U+{ord(character):04X}. Remove it."
    assert expected in mistakes(name, f"an{character}na@example.com")
    assert mistakes("notes", f"an{character}na") == ""


def test_an_address_is_normalized_and_other_texts_are_not() -> None:
    assert FIELDS["email"].normalized("e\u0301@example.com") == "é@example.com"
    assert FIELDS["notes"].normalized("e\u0301") == "e\u0301"
    endless = "e\u0301\u0323" * 100_000
    assert FIELDS["email"].normalized(endless) == endless
    assert FIELDS["email"].normalized(None) is None


STRAY = ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\x9f", "\ud800", "\udfff", "\ufffe", "\uffff"]


@each_row("name", TEXTS)
@each_row("stray", [*STRAY, "\n", "\t", "\r"])
def test_texts_with_unencodable_characters_are_refused(name: str, stray: str) -> None:
    if name == "notes" and stray in "\n\t":
        assert mistakes(name, f"a{stray}b") == ""
    else:
        assert f"U+{ord(stray):04X}" in mistakes(name, f"a{stray}b")


def xml_can_carry(text: str) -> bool:
    """Return whether XML 1.0 has all characters of a text, and none that readers change or dislike."""
    allowed = {0x9, 0xA, 0xD}
    return all(
        ord(c) in allowed or 0x20 <= ord(c) <= 0xD7FF or 0xE000 <= ord(c) <= 0xFFFD or ord(c) > 0xFFFF
        for c in text
    )


@given(st.text(alphabet=st.characters(), min_size=1, max_size=20))
def test_every_accepted_value_can_be_written_in_json_and_xml(text: str) -> None:
    for name in ("username", "notes"):
        if not mistakes(name, text):
            assert xml_can_carry(text)
            assert text.encode()


@each_row("name", FIELDS)
def test_a_value_that_is_set_can_be_read_back(name: str) -> None:
    values = {
        "username": "Bert",
        "email": "bert@example.com",
        "notes": "other",
        "profile": "Boss",
        "kind": "program",
        "timeFormat": "HH",
        "dateFormat": "yyyy",
        "timeZone": "Europe/Rome",
        "language": "it",
        "disabled": True,
    }
    field, value = FIELDS[name], values[name]
    after = field.set(ANNA, value)
    assert field.get(after) == value
    others = [other for other in FIELDS if other != name]
    assert [FIELDS[other].get(after) for other in others] == [FIELDS[other].get(ANNA) for other in others]


def test_null_clears_a_field_or_sets_its_default() -> None:
    nullable = [name for name, field in FIELDS.items() if field.nullable]
    changed = ANNA
    for name in nullable:
        changed = FIELDS[name].set(changed, None)
    assert nullable == ["notes", "timeFormat", "dateFormat", "timeZone", "language"]
    assert (changed.notes, changed.formats) == (None, Formats())


def test_null_sets_the_default_of_the_instance() -> None:
    fields = member_fields(PROFILES, FORMATS_BY_NAME["iso"])
    changed = replace(ANNA, formats=Formats("yyyy", "HH"))
    for name in ("timeFormat", "dateFormat"):
        changed = fields[name].set(changed, None)
    assert changed.formats == Formats("iso", "iso")
    fields["dateFormat"].check("iso")
    with pytest.raises(InvalidValue):
        fields["dateFormat"].check("ISO")
