"""Syntax that RE2 does not support is refused with advice."""

import re

import pytest

from stratabase.core.model.reading import read_model
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.regex import compile_regex
from tests.rows import each_row

ADVICE = {
    "(?=a)b": "no lookahead or lookbehind",
    "(?!a)b": "no lookahead or lookbehind",
    "a(?<=a)": "no lookahead or lookbehind",
    "a(?<!b)": "no lookahead or lookbehind",
    r"(a)\1": "list the alternatives",
    r"(?<n>a)\k<n>": "list the alternatives",
    "(?P<n>a)(?P=n)": "list the alternatives",
    "a++b": "write one repetition sign",
    "a{2}+": "write one repetition sign",
    "(?>a|b)c": "write (?:…)",
    "(a)?(?(1)b|c)": "write both cases as alternatives",
    "(?#a comment)a": "remove this one",
    "(?x) a": "RE2 only has the flags i, m, s and U",
    "(?a)a": "RE2 only has the flags i, m, s and U",
    r"a\Z": r"the end of a text is \z",
    r"\u00e8": r"\x{20AC}",
    r"\U0001F600": r"\x{20AC}",
    r"\N{EURO SIGN}": r"\x{20AC}",
    r"[\b]": r"\x08",
    r"\è": "remove the backslash",
    "a{1001}": "up to 1000",
    "(a{50}){50}": "up to 1000",
    "a{3,2}": "write {min,max}",
    r"\p{L}{1,100}": r"such as \p{L}+",
    "\ud800": "write both halves",
    "a" * 1001: "more than 1000 characters",
    "(": "missing )",
    "a)": "unexpected )",
    "[a": "missing ]",
    "*a": "no argument for repetition operator",
    "[b-a]": "invalid character class range",
    r"\p{Latn}": "invalid character class range",
    "a\\": "trailing \\",
}


@each_row("pattern", ADVICE)
def test_unsupported_syntax_is_refused_with_advice(pattern: str) -> None:
    with pytest.raises(InvalidValue, match=re.escape(ADVICE[pattern])):
        compile_regex(pattern)


INSTEAD = {
    r"(?:a{2})+": "aaaa",
    r"(?:a|b)c": "bc",
    r"ab|c": "c",
    r"a\z": "a",
    r"\x{20AC}": "€",
    r"\x08": "\b",
    r"è": "è",
    r"\p{L}+": "è",
}


@each_row("pattern", INSTEAD)
def test_the_advised_syntax_is_supported(pattern: str) -> None:
    assert compile_regex(pattern).fullmatch(INSTEAD[pattern])


def test_a_condition_replaces_a_lookahead() -> None:
    """A blocking @warning says what `(?=.*[A-Z])(?!.*admin).+` said."""
    model = read_model(
        """
        extend schema @application(name: "Hr")
        type Door @warning(
          name: "code"
          condition: "!(code.matches('[A-Z]') && !code.matches('admin'))"
          message: "A code has a capital letter, and no admin in it."
          blocking: true
        ) { code: String! }
        """,
        "model.graphql",
    )
    assert model.classes["Door"].warnings
