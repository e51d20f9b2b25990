"""The stored name of a file: one path component, without control characters, in any script."""

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.files.file_name import DEFAULT_FILE_NAME, MAX_FILE_NAME_LENGTH, clean_file_name
from tests.rows import each_row


@each_row(
    "name",
    [
        "photo.jpg",
        "a b (1).tar.gz",
        ".htaccess",
        "no extension",
        "été 東京 שלום 😀👩\u200d👧.txt",
        "e\u0301.txt",
        "é.txt",
        "...a",
        "a..b",
        "CON",
        "a:b*c?<d>|\"e'",
        "x" * MAX_FILE_NAME_LENGTH,
        " a ",
        "%2e%2e%2fa",
        "a\u2215b",
    ],
)
def test_an_ordinary_name_stays_as_it_is(name: str) -> None:
    assert clean_file_name(name) == name


@each_row(
    ("sent", "name"),
    [
        ("/etc/passwd", "passwd"),
        ("../../../etc/passwd", "passwd"),
        (r"C:\Users\anna\photo.jpg", "photo.jpg"),
        (r"..\..\photo.jpg", "photo.jpg"),
        (r"a/b\c.txt", "c.txt"),
        (r"a\b/c.txt", "c.txt"),
        ("//server/share/x.txt", "x.txt"),
        ("a\0/b\0.txt", "b.txt"),
        ("photo.jpg\0.exe", "photo.jpg.exe"),
        ("a\r\nSet-Cookie: b.txt", "aSet-Cookie: b.txt"),
        ("a\tb\x7f\x80\x9f\u0085.txt", "ab.txt"),
        ("a\u2028b\u2029.txt", "ab.txt"),
        ("gpj\u202eexe.jpg", "gpjexe.jpg"),
        ("\u2066a\u2069\u200f\u200e\u061c.txt", "a.txt"),
        ("\ud83da\udcff.txt", "a.txt"),
        ("\ufeffa\uffff.txt", "a.txt"),
    ],
)
def test_paths_and_control_characters_are_removed(sent: str, name: str) -> None:
    assert clean_file_name(sent) == name


@each_row(
    "sent",
    ["", ".", "..", "...", "a/", "a\\", "/", "../", "a/..", " ", ". .", "\u00a0", "\0", "..\0", "\u202e"],
)
def test_a_name_that_is_none_becomes_the_default(sent: str) -> None:
    assert clean_file_name(sent) == DEFAULT_FILE_NAME


@each_row(
    ("sent", "name"),
    [
        ("x" * 256, "x" * 255),
        ("x" * 300 + ".jpg", "x" * 251 + ".jpg"),
        ("東" * 16_000 + ".docx", "東" * 250 + ".docx"),
        ("x" * 300 + ".tar.gz", "x" * 252 + ".gz"),
        ("a." + "x" * 300, "a." + "x" * 253),
        ("." + "x" * 300, "." + "x" * 254),
        ("x" * 300 + ".", "x" * 254 + "."),
    ],
)
def test_a_long_name_is_shortened_and_keeps_its_extension(sent: str, name: str) -> None:
    assert clean_file_name(sent) == name


@given(st.text(st.characters(exclude_categories=[]), max_size=400))
def test_a_stored_name_is_one_safe_path_component(sent: str) -> None:
    name = clean_file_name(sent)
    assert 1 <= len(name) <= MAX_FILE_NAME_LENGTH
    assert not {"/", "\\", "\0", "\r", "\n", "\u202e"} & set(name)
    assert name not in (".", "..")
    assert name.encode().decode() == name
    assert clean_file_name(name) == name
