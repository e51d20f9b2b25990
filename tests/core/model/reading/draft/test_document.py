"""Syntax errors are reported like other errors, and do not hide those of other definitions."""

from pathlib import Path

import pytest

from stratabase.core.model.reading import InvalidModel, read_model, read_model_file
from tests.rows import each_row

HEAD = 'extend schema @application(name: "Hr")\n'


def _mistakes(text: str) -> list[str]:
    with pytest.raises(InvalidModel) as caught:
        read_model(text, "m")
    return [str(one) for one in caught.value.errors]


NO_APPLICATION = 'm:1:1: The model has no application. Add: extend schema @application(name: "…").'


@each_row("text", ["", " \n\t,", "# nothing yet\n", "\ufeff", "\r\n\r\n"])
def test_an_empty_file_lacks_an_application(text: str) -> None:
    assert _mistakes(text) == [NO_APPLICATION]


def test_places_account_for_a_byte_order_mark_and_any_newlines() -> None:
    expected = ["m:3:13: Unknown type X. Use an attribute type, or a class or enum of the model."]
    for newline in ("\n", "\r\n", "\r"):
        text = f"\ufeff{HEAD}type A {{\n  x: Int y: X\n}}"
        assert _mistakes(text.replace("\n", newline)) == expected


def test_places_count_characters_not_bytes() -> None:
    text = HEAD + 'type A { "é𝄞" x: Strng }'
    assert _mistakes(text)[0].startswith("m:2:18: Unknown type Strng")


def test_a_broken_definition_does_not_hide_errors_of_others() -> None:
    text = HEAD + "type A {\n  x Int\n}\n\ntype B {\n  x: Itn\n  a: A\n}\n"
    assert _mistakes(text) == [
        "m:3:5: Syntax error: Expected ':', found Name 'Int'.",
        (
            "m:7:6: Unknown type Itn. Use an attribute type, or a class or enum of the model. "
            'Did you mean "Int"?'
        ),
    ]


def test_a_missing_bracket_is_found_where_its_definition_ends() -> None:
    text = HEAD + "type A {\n  x: Int\n\ntype B {\n  x: Itn\n}\n"
    assert _mistakes(text)[0] == "m:3:9: Syntax error: Expected Name, found the end of the definition."
    assert len(_mistakes(text)) == 2


def test_a_broken_schema_extension_is_not_reported_as_a_missing_application() -> None:
    text = 'extend schema @application(name "Hr")\ntype A { x: Int @grant(profile: "P", allow: []) }\n'
    assert _mistakes(text)[0] == "m:1:33: Syntax error: Expected ':', found String 'Hr'."
    assert len(_mistakes(text)) == 2  # a grant on an attribute needs one on the class


def test_an_unexpected_text_of_several_lines_is_shown_by_its_first() -> None:
    text = 'extend schema @application(name """\n  Human\n  resources\n""")'
    assert _mistakes(text)[0] == "m:1:33: Syntax error: Expected ':', found BlockString 'Human …'."


def test_names_of_broken_definitions_count_as_known() -> None:
    text = HEAD + '"""\nMany\nlines.\n"""\ntype A {\n  x Int\n}\n' + "enum E { null }\n"
    text += 'type B { a: A e: E size: Int @derived(path: "a.x") back: A @association(opposite: "b") }\n'
    assert [one.split(": ")[1] for one in _mistakes(text)] == ["Syntax error", "Syntax error"]


def test_a_misspelt_keyword_is_recognised() -> None:
    assert _mistakes(HEAD + "type A { x: Int }\n\nenm E { A }\n") == [
        "m:4:1: Syntax error: Unexpected Name 'enm'. Did you mean \"enum\"?"
    ]


@each_row("opening", ["[", "{", "("])
@each_row("text", ["", "type A { x: ", "type A { x: Int @derived(path: ", "query "])
def test_endless_nesting_is_refused(opening: str, text: str) -> None:
    assert any(
        "Brackets can be nested at most 32 levels deep." in one
        for one in _mistakes(HEAD + text + opening * 5000)
    )


@each_row("half", ["\ud83d", "\ud83d\ude00"])
def test_surrogates_are_refused_even_in_pairs(half: str) -> None:
    found = _mistakes(HEAD + f'"{half}"\ntype A {{ x: Int }}')
    assert found == ["m:2:2: Syntax error: A lone surrogate is not a character. Use both halves of the pair."]


def test_invalid_utf_8_is_refused_at_its_position(tmp_path: Path) -> None:
    path = tmp_path / "model.graphql"
    path.write_bytes(b"# \xc3\xa9\n# \xe8 latin")
    with pytest.raises(InvalidModel) as caught:
        read_model_file(path)
    assert str(caught.value) == f"{path}:2:3: The model is not valid UTF-8. Save the file as UTF-8."


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel) as caught:
        read_model_file(str(tmp_path / "none.graphql"))
    assert "Can't read the model: No such file or directory." in str(caught.value)
