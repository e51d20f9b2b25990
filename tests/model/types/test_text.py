"""String, Text and enums."""

from typing import Any

import pytest

from stratabase.model.attribute import Domain
from stratabase.model.formats import DEFAULT_FORMATS
from stratabase.model.malformed import Malformed
from stratabase.model.model import Enumeration
from stratabase.model.types import TYPES, enumeration
from stratabase.model.types.base import Breach

COLOUR = enumeration(Enumeration("Colour", {"RED": None, "GREEN": "Like grass."}))


@pytest.mark.parametrize("name", ["String", "Text"])
@pytest.mark.parametrize("given", ["", " a ", "\0\x1b\r\n", "e\u0301 é 😀", "\ufeff\u202e"])
def test_kept_as_given(name: str, given: str) -> None:
    """Every character is kept, and nothing is trimmed or normalised."""
    assert TYPES[name].read(given, DEFAULT_FORMATS) == given
    assert TYPES[name].writer("default", DEFAULT_FORMATS)(given) == given


@pytest.mark.parametrize(("given", "at"), [("\ud800", 0), ("ab\udc00c", 2), ("😀\udfff", 1)])
def test_half_characters(given: str, at: int) -> None:
    """A lone surrogate is refused with its place: no other program could read it."""
    with pytest.raises(Malformed, match=f"the character at {at} is a lone surrogate"):
        TYPES["Text"].read(given, DEFAULT_FORMATS)


@pytest.mark.parametrize("given", [1, 1.5, True, [], {}])
def test_no_text(given: Any) -> None:
    """Nothing else is made into text."""
    with pytest.raises(Malformed, match="is not a String: give a text"):
        TYPES["String"].read(given, DEFAULT_FORMATS)


@pytest.mark.parametrize(
    ("name", "length", "domain", "mistakes"),
    [
        ("String", 255, Domain(), 0),
        ("String", 256, Domain(), 1),
        ("String", 256, Domain(max_length=300), 0),
        ("String", 11, Domain(max_length=10), 1),
        ("String", 2, Domain(min_length=3), 1),
        ("Text", 100_000, Domain(), 0),
        ("Text", 11, Domain(max_length=10), 1),
    ],
)
def test_length(name: str, length: int, domain: Domain, mistakes: int) -> None:
    """Characters count, not bytes; a String has at most 255 unless its domain says otherwise."""
    found = TYPES[name].domain_mistakes("😀" * length, domain)
    assert [mistake.breach for mistake in found] == [Breach.LENGTH] * mistakes


def test_enums() -> None:
    """A value of an enum is one of those listed, in their spelling."""
    assert COLOUR.read("GREEN", DEFAULT_FORMATS) == "GREEN"
    for given in ("green", "", 1, None, ["RED"]):
        with pytest.raises(Malformed, match="is not a value of Colour: give RED or GREEN"):
            COLOUR.read(given, DEFAULT_FORMATS)
