"""The name of a received file leads to no other folder, and is a name on every system."""

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.http.base.content_disposition import content_disposition
from stratabase.transfer.client.download import download_name
from tests.rows import each_row


@each_row(
    ("header", "name"),
    [
        ("attachment; filename=a.png", "a.png"),
        ('attachment; filename="a b.png"', "a b.png"),
        ("inline; filename=\"a.png\"; filename*=UTF-8''%C3%A4.png", "ä.png"),
        ("attachment; filename*=utf-8''%E6%97%A5.txt; filename=x", "日.txt"),
        ("attachment; filename=\"; filename*=UTF-8''evil.png\"", "; filename_=UTF-8''evil.png"),
        ("attachment; filename*=UTF-8''%FF%FE.txt", "\ufffd\ufffd.txt"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("attachment; filename*=UTF-8''..%5C..%5Cboot.ini", "boot.ini"),
        ("attachment; filename*=UTF-8''C%3A%5Cx.txt", "x.txt"),
        ("attachment; filename*=UTF-8''a%00b%0Ac%1B.txt", "abc.txt"),
        ("attachment; filename*=UTF-8''evil%E2%80%AEgpj.exe", "evilgpj.exe"),
        ('attachment; filename=".bashrc"', "_bashrc"),
        ('attachment; filename="a:b*?.txt"', "a_b__.txt"),
        ('attachment; filename="a. . "', "a"),
        ('attachment; filename=".."', "file"),
        ('attachment; filename=""', "photo"),
        ("attachment", "photo"),
        ("", "photo"),
        (';;;="', "photo"),
    ],
)
def test_a_name_is_safe(header: str, name: str) -> None:
    assert download_name(header, "photo") == name


@each_row("name", ["ä.png", "日本.txt", "a b.pdf", "it's 100%.txt", "Ünïcode (1).tar.gz"])
def test_a_usual_name_is_kept(name: str) -> None:
    assert download_name(content_disposition(name, inline=False), "photo") == name


def test_a_long_name_keeps_its_extension() -> None:
    name = download_name(content_disposition("日" * 250 + ".txt", inline=True), "photo")
    assert name == "日" * 65 + ".txt"


@each_row("name", ["a\u00a0.", "a. \u2003.", "a" + " " * 250 + "b"])
def test_a_name_ends_with_no_space_of_any_kind(name: str) -> None:
    assert download_name(content_disposition(name, inline=False), "photo") == "a"


@given(st.text())
def test_any_name_is_safe(sent: str) -> None:
    for header in (content_disposition(sent, inline=False), f'attachment; filename="{sent}"', sent):
        name = download_name(header, "photo")
        assert 0 < len(name.encode()) <= 200
        assert not set(name) & set('/\\\0\n\r:*?"<>|')
        assert not name.startswith(".")
        assert name == name.strip()
        assert not name.endswith(".")
