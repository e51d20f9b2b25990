"""A CSV file is read whatever made it, and what can't be read is named with its line."""

from pathlib import Path

import pytest

from stratabase.transfer.csv.csv_file import CsvFile, UnreadableFile


def _file(folder: Path, content: bytes | str, encoding: str = "utf-8") -> Path:
    path = folder / "some.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def _rows(path: Path, **options: str) -> list[tuple[int, list[str]]]:
    return [(row.line, row.cells) for row in CsvFile(path, **options).rows()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_the_encoding_follows_from_the_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    file = CsvFile(_file(tmp_path, "näme,b\r\né,2\r\n", encoding))
    assert file.header == ("näme", "b")
    assert [row.cells for row in file.rows()] == [["é", "2"]]


def test_another_encoding_is_an_option(tmp_path: Path) -> None:
    path = _file(tmp_path, "a\né\n", "cp1252")
    assert _rows(path, encoding="cp1252") == [(2, ["é"])]


def test_a_byte_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = CsvFile(_file(tmp_path, "a\né\n", "cp1252"))
    (row,) = file.rows()
    assert "0xE9 isn't UTF-8" in str(file.undecodable(row.cells[0]))
    assert file.undecodable("ñ") is None


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_follows_from_the_header(tmp_path: Path, delimiter: str) -> None:
    path = _file(tmp_path, f'a{delimiter}"b,;"{delimiter}c\n1{delimiter}2{delimiter}3\n')
    assert CsvFile(path).delimiter == delimiter
    assert _rows(path) == [(2, ["1", "2", "3"])]


def test_the_delimiter_is_an_option(tmp_path: Path) -> None:
    assert _rows(_file(tmp_path, "a,b:c\n1,2:3\n"), delimiter=":") == [(2, ["1,2", "3"])]


def test_excel_can_name_the_delimiter_in_the_first_line(tmp_path: Path) -> None:
    path = _file(tmp_path, "\ufeffsep=;\r\na,x;b\r\n1;2\r\n")
    file = CsvFile(path)
    assert file.header == ("a,x", "b")
    assert _rows(path) == [(3, ["1", "2"])]


def test_a_quotation_mark_is_no_delimiter(tmp_path: Path) -> None:
    assert CsvFile(_file(tmp_path, 'sep="\na\n')).header == ('sep="',)


def test_cells_have_quotes_newlines_and_blank_lines_between(tmp_path: Path) -> None:
    path = _file(tmp_path, 'a,b\n"x ""y""","1\r\n2"\n\n3,4\n')
    assert _rows(path) == [(2, ['x "y"', "1\r\n2"]), (5, ["3", "4"])]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no header"),
        ("\n", "has no header"),
        ("a,a\n", 'two columns have the name "a"'),
        ('a\n1\n"x\n2\n', "line 3: A quoted cell starts here that does not end"),
        ('a\n"x"y\n', "line 2: A quotation mark inside a quoted cell must be doubled"),
        ("sep=;\na;a\n", 'line 2: two columns have the name "a"'),
        pytest.param(
            f"a\n{'x' * 4_000_001}\n", "line 2: A cell .* has more than 4,000,000 characters", id="large cell"
        ),
        (b"\xe9,b\n", "line 1, column 1: The byte 0xE9"),
        (b"\xff\xfea\x00\n", "isn't utf-16 text"),
    ],
)
def test_a_file_that_is_no_csv_is_refused(tmp_path: Path, content: bytes | str, message: str) -> None:
    with pytest.raises(UnreadableFile, match=message):
        _rows(_file(tmp_path, content))


def test_a_missing_file_and_an_unknown_encoding_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="can't be read"):
        CsvFile(tmp_path / "none.csv")
    with pytest.raises(UnreadableFile, match='encoding "klingon" does not exist'):
        CsvFile(_file(tmp_path, "a\n"), encoding="klingon")


def test_a_file_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "a\n1\n2\n")
    file = CsvFile(path)
    rows = file.rows()
    next(rows)
    path.write_text("a\n1\n2\n3\n")
    with pytest.raises(UnreadableFile, match="has changed"):
        list(rows)
