"""Positions within strings are mapped to positions in the file, for every kind of string."""

from graphql.language import Source, StringValueNode, parse_value
from graphql.language.print_string import print_string
from hypothesis import assume, given
from hypothesis import strategies as st

from stratabase.core.model.reading.draft.errors import position_in_text

BEFORE = " " * 6
LETTERS = 'ab \t\n\\"è😀'


def node(written: str) -> StringValueNode:
    """Return a text that is written in quotes, after some blanks."""
    value = parse_value(Source(BEFORE + written, "m"))
    assert isinstance(value, StringValueNode)
    return value


def character(written: str, index: int) -> str:
    """Return the character of the file at the reported position of a character of the text."""
    line, column = position_in_text(node(written), index)
    return (BEFORE + written).split("\n")[line - 1][column - 1 :]


def test_an_error_in_a_string_is_reported_at_its_character() -> None:
    assert position_in_text(node('"abc"'), 0) == (1, len(BEFORE) + 2)
    assert position_in_text(node('"abc"'), 3) == (1, len(BEFORE) + 5)
    assert position_in_text(node('""'), 0) == (1, len(BEFORE) + 2)


def test_an_escape_sequence_counts_as_one_character() -> None:
    written = r'"\"\\\u0041\u{1F600}\uD83D\uDE00x\nz"'
    assert node(written).value == '"\\A😀😀x\nz'
    starts = ['\\"', "\\\\", "\\u0041", "\\u{1F600}", "\\uD83D\\uDE00", "x", "\\n", "z", '"']
    for index, start in enumerate(starts):
        assert character(written, index).startswith(start)


def test_positions_in_a_block_string_are_found() -> None:
    written = '"""\n\n    one\n      two \\""" three\n   \n    four\n  """'
    text = node(written).value
    assert text == 'one\n  two """ three\n\nfour'
    assert position_in_text(node(written), 0) == (3, 5)
    for word in ("one", "two", "three", "four"):
        assert character(written, text.index(word)).startswith(word)
    assert character(written, text.index('"')).startswith('"""')
    assert position_in_text(node(written), len(text)) == (6, 9)


def test_positions_in_a_one_line_block_string_are_found() -> None:
    assert character('"""  a == b"""', 2).startswith("a ==")
    assert position_in_text(node('""""""'), 0) == (1, len(BEFORE) + 4)


@given(st.text(LETTERS), st.data())
def test_positions_in_any_string_are_found(text: str, data: st.DataObject) -> None:
    written = print_string(text)
    index = data.draw(st.integers(0, len(text)))
    rest = character(written, index)
    assert node(f'"{rest}' if index < len(text) else written).value == (
        text[index:] if index < len(text) else text
    )


@given(st.text('ab \t\n"'), st.data())
def test_positions_in_any_block_string_are_found(body: str, data: st.DataObject) -> None:
    written = '"""' + body.replace('"""', '\\"""') + '\n"""'
    assume(not body.endswith('"'))
    text = node(written).value
    assume(text)
    index = data.draw(st.integers(0, len(text) - 1))
    if text[index] in "ab":
        assert character(written, index).startswith(text[index])
