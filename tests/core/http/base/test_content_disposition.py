"""Content-Disposition has a name in any alphabet, which old and new clients can read."""

import re
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.http.base.content_disposition import content_disposition
from tests.rows import each_row


@each_row(
    ("name", "value"),
    [
        ("photo.jpg", "filename=\"photo.jpg\"; filename*=UTF-8''photo.jpg"),
        ("my photo.jpg", "filename=\"my photo.jpg\"; filename*=UTF-8''my%20photo.jpg"),
        ("Perché.pdf", "filename=\"Perche.pdf\"; filename*=UTF-8''Perch%C3%A9.pdf"),
        ("写真.jpg", "filename=\"__.jpg\"; filename*=UTF-8''%E5%86%99%E7%9C%9F.jpg"),
        ('a"b\\c.txt', "filename=\"a_b_c.txt\"; filename*=UTF-8''a%22b%5Cc.txt"),
        ("50%41.txt", "filename=\"50_41.txt\"; filename*=UTF-8''50%2541.txt"),
        ("a;b=c'd.txt", "filename=\"a;b=c'd.txt\"; filename*=UTF-8''a%3Bb%3Dc%27d.txt"),
        ("half\ud83d.txt", "filename=\"half_.txt\"; filename*=UTF-8''half%3F.txt"),
    ],
)
def test_a_name_has_an_ascii_and_an_encoded_form(name: str, value: str) -> None:
    assert content_disposition(name, inline=False) == f"attachment; {value}"
    assert content_disposition(name, inline=True) == f"inline; {value}"


def test_without_a_name_there_is_only_the_disposition() -> None:
    assert content_disposition("", inline=False) == "attachment"


def test_a_long_name_keeps_its_extension() -> None:
    value = content_disposition("🎉" * 2000 + ".tar.gz", inline=False)

    assert len(value) < 4000
    assert unquote(value.rpartition("''")[2]).endswith("🎉.gz")


@given(st.text())
def test_any_name_makes_a_valid_header(name: str) -> None:
    value = content_disposition(name, inline=False)

    assert re.fullmatch(
        r"attachment(; filename=\"[ !#-\[\]-~]+\"; filename\*=UTF-8''[\w!#$&+.^`|~%-]*)?", value
    )
