"""Bodies of uploads: what is accepted, and that anything else is refused clearly and quickly."""

import random
from collections.abc import Mapping
from unittest.mock import patch

import multipart as package
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import BodyTooLarge, Malformed, UnsupportedMediaType, status_row
from stratabase.core.http.files.upload import MAX_FORM_PARTS, MAX_HEADERS_SIZE, read_sent_file
from stratabase.core.operations.files.upload import SentFile
from tests.core.http.files.forms import BOUNDARY, CONTENT, CONTENT_TYPE, FILE, form, part
from tests.rows import each_row

MEGABYTE = 1024 * 1024
ADDRESS = "/auth/file/{class}/{name}"


def read(body: bytes, content_type: str | None = CONTENT_TYPE) -> SentFile:
    headers: Mapping[str, tuple[str, ...]] = {} if content_type is None else {"content-type": (content_type,)}
    return read_sent_file(Request("POST", ADDRESS, ADDRESS, headers=headers, body=body))


def name_of(disposition: str | bytes) -> str:
    return read(form(part(disposition))).name


def test_the_file_has_its_name_type_and_bytes() -> None:
    sent = read(form(part(headers=[b"Content-Type: image/jpeg"])))
    assert sent == SentFile("photo.jpg", "image/jpeg", CONTENT)


def test_the_type_keeps_its_parameters() -> None:
    assert read(form(part(headers=[b"content-type:Text/Plain; charset=utf-8"]))).mime_type == (
        "Text/Plain; charset=utf-8"
    )


def test_the_type_is_optional() -> None:
    assert read(form(part('form-data; name="file"; filename="a"'))) == SentFile("a", "", CONTENT)


@each_row(
    ("headers", "type_"),
    [
        ([], "image/png"),
        ([b"Content-Type: "], "image/png"),
        ([b"Content-Type: application/octet-stream"], "application/octet-stream"),
        ([b"Content-Type: text/plain"], "text/plain"),
    ],
)
def test_without_a_type_the_name_says_it(headers: list[bytes], type_: str) -> None:
    """Python's requests sends no type for a file."""
    disposition = 'form-data; name="file"; filename="a.PNG"'
    assert read(form(part(disposition, headers=headers))).mime_type == type_


@each_row(
    "content",
    [
        b"",
        b"\r\n",
        b"\n\r",
        b"\r\n\r\n",
        b"--",
        b"\0" * 1000,
        f"\n--{BOUNDARY}--".encode(),
        f"\r\n--{BOUNDARY[:-1]}".encode(),
        bytes(range(256)) * 1000,
    ],
)
def test_any_bytes_arrive_unchanged(content: bytes) -> None:
    assert read(form(part(content=content))).content == content


def test_other_parts_are_ignored() -> None:
    others = [
        part('form-data; name="notes"', b"text"),
        part('form-data; name="File"; filename="x"', b"other"),
    ]
    assert read(form(others[0], part(), others[1])).content == CONTENT


def test_a_preamble_and_an_epilogue_are_ignored() -> None:
    assert read(b"This is MIME.\r\n" + form(part()) + b"ignored").content == CONTENT


@each_row(
    "content_type",
    [
        f'multipart/form-data; boundary="{BOUNDARY}"',
        f"Multipart/Form-Data;boundary={BOUNDARY}; charset=utf-8",
        f"multipart/form-data; charset=utf-8; Boundary={BOUNDARY}",
    ],
)
def test_the_boundary_may_be_quoted_and_anywhere(content_type: str) -> None:
    assert read(form(part()), content_type).content == CONTENT


@each_row("boundary", ["x", "a b'()+_,-./:=?z", "x" * 70, "=_{}@*"])
def test_a_boundary_has_up_to_70_characters(boundary: str) -> None:
    content_type = f'multipart/form-data; boundary="{boundary}"'
    assert read(form(part(), boundary=boundary), content_type).content == CONTENT


@each_row(
    ("disposition", "name"),
    [
        ('form-data; name="file"; filename="été 東京 😀.txt"', "été 東京 😀.txt"),
        ('form-data; name="file"; filename="a%22b%0D%0Ac%25.txt"', 'a"b\r\nc%25.txt'),
        (r'form-data; name="file"; filename="a\"b.txt"', 'a"b.txt'),
        ('form-data; name="file"; filename="a;b=c.txt"', "a;b=c.txt"),
        ("form-data; name=file; filename=plain.txt", "plain.txt"),
        ('form-data; filename="first.txt"; name="file"', "first.txt"),
        ('form-data; name="file"; filename="x.txt"; filename*=UTF-8\'\'caf%C3%A9.txt', "café.txt"),
        ("form-data; name=file; filename*=utf-8'en'a%2Fb.txt", "a/b.txt"),
        ("form-data; name=file; filename*=ISO-8859-1''caf%E9.txt", "café.txt"),
        ('form-data; name="file"; filename="kept.txt"; filename*=UTF-8\'\'%FF', "kept.txt"),
        ('form-data; name="file"; filename="kept.txt"; filename*=utf-16\'\'x', "kept.txt"),
        ('form-data; name="file"; filename="a; filename*=UTF-8\'\'b"', "a; filename*=UTF-8''b"),
        (r'form-data; name="file"; filename="C:\dir\photo.jpg"', "photo.jpg"),
        ('form-data; name="file"; filename="../../etc/passwd"', "../../etc/passwd"),
    ],
)
def test_the_name_is_decoded(disposition: str, name: str) -> None:
    assert name_of(disposition) == name


def refused(body: bytes, content_type: str | None = CONTENT_TYPE) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read(body, content_type)
    assert 400 <= status_row(caught.value).status < 500
    return caught.value


@each_row(
    "content_type", [None, "", "application/json", "multipart/mixed; boundary=x", "application/octet-stream"]
)
def test_another_media_type_is_unsupported(content_type: str | None) -> None:
    refusal = refused(form(part()), content_type)
    assert isinstance(refusal, UnsupportedMediaType)
    assert "multipart/form-data" in str(refusal)


@each_row(
    "parameters",
    [
        "",
        "; boundary",
        "; boundary=",
        '; boundary=""',
        '; boundary=" "',
        '; boundary="x "',
        '; boundary="a\nb"',
        '; boundary="é"',
        f"; boundary={'x' * 71}",
        f"; boundary={'x' * MEGABYTE}",
    ],
)
def test_an_invalid_boundary_is_refused(parameters: str) -> None:
    refusal = refused(form(part()), f"multipart/form-data{parameters}")
    assert isinstance(refusal, Malformed)
    assert "boundary" in str(refusal)


WHOLE = form(part())


@each_row(
    ("body", "reason"),
    [
        (form(part('form-data; name="file"')), "no file name"),
        (form(part('form-data; name="file"; filename=""')), "no file name"),
        (b"", "does not contain the boundary"),
        (b"photo", "does not contain the boundary"),
        (form(part(), boundary="another"), "does not contain the boundary"),
        (form(), "no part named file"),
        (form(part('form-data; name="photo"; filename="a"')), "no part named file"),
        (form(part("form-data; name=File")), "no part named file"),
        (form(part(), part()), "several parts named file"),
        (form(part(), end=b""), "incomplete"),
        (form(part(), end=f"--{BOUNDARY}".encode()), "incomplete"),
        (form(part(), end=f"--{BOUNDARY}\r\n".encode()), "incomplete"),
        (WHOLE[: len(WHOLE) // 2], "incomplete"),
        (WHOLE.replace(b"\r\n", b"\n"), "not valid"),
        (b"x" + WHOLE, "not valid"),
        (WHOLE.replace(b"--\r\n", b"xx\r\n"), "not valid"),
        (form(part(None)), "Missing Content-Disposition"),
        (form(part("attachment; name=file")), "Wrong type"),
        (form(part("form-data")), "Missing name"),
        (form(part(headers=[b"no colon"])), "Malformed segment header"),
        (form(part(headers=[b"a b: c"])), "Invalid segment header name"),
        (form(part(headers=[b"X: a", b" folded"])), "continuation"),
        (form(part(b'form-data; name="file"; filename="caf\xe9"')), "failed to decode"),
        (form(part(headers=[b"Content-Length: 3"])), "Content-Length"),
        (form(part(headers=[b"Content-Length: " + b"9" * 5000])), "Content-Length"),
        (form(part(headers=[b"Content-Transfer-Encoding: base64"])), 'encoding "base64"'),
    ],
)
def test_a_broken_body_is_malformed(body: bytes, reason: str) -> None:
    refusal = refused(body)
    assert isinstance(refusal, Malformed)
    assert reason in str(refusal)


@each_row("encoding", [b"binary", b"8bit", b"7BIT "])
def test_an_encoding_that_changes_nothing_is_allowed(encoding: bytes) -> None:
    assert read(form(part(headers=[b"Content-Transfer-Encoding: " + encoding]))).content == CONTENT


def other(number: int) -> bytes:
    return part(f'form-data; name="p{number}"', b"x")


def test_sixteen_parts_are_allowed() -> None:
    assert read(form(*map(other, range(MAX_FORM_PARTS - 1)), part())).content == CONTENT


@each_row("count", [MAX_FORM_PARTS, 10_000])
def test_too_many_parts_are_refused_before_they_are_read(count: int) -> None:
    body = form(part(), *map(other, range(count)))
    with patch.object(package, "MultipartSegment", wraps=package.MultipartSegment) as segments:
        refusal = refused(body)
    assert isinstance(refusal, BodyTooLarge)
    assert "16 parts" in str(refusal)
    assert segments.call_count <= MAX_FORM_PARTS


@each_row(
    "headers",
    [
        [b"X: " + b"x" * MEGABYTE],
        [b"x" * MEGABYTE],
        [b"X-%d: y" % number for number in range(100_000)],
        [b"X: " + b"x" * MAX_HEADERS_SIZE],
        [b"X-%d: " % number + b"x" * (MAX_HEADERS_SIZE // 4) for number in range(5)],
        [b"X: " + "é".encode() * (MAX_HEADERS_SIZE // 4), b"Y: " + b"x" * (MAX_HEADERS_SIZE // 2)],
    ],
)
@each_row("before", [0, MAX_FORM_PARTS - 1])
def test_headers_that_are_too_large_are_refused(headers: list[bytes], before: int) -> None:
    refusal = refused(form(*map(other, range(before)), part(headers=headers)))
    assert isinstance(refusal, BodyTooLarge)
    assert "16,384 bytes" in str(refusal)


def test_headers_may_have_almost_16_kilobytes() -> None:
    headers = [b"X-%d: " % number + b"x" * (MAX_HEADERS_SIZE // 4) for number in range(3)]
    assert read(form(part(headers=headers))).content == CONTENT


@each_row(
    "tail",
    [
        '"' + r"\"" * 8000,
        ' a="' * 4000,
        "; filename*" * 1400,
        ";" + " " * 16000,
        "; filename*=utf-8''" + "%" * 16000,
        "; a" + " " * 16000 + "b",
        "\\" * 16000,
    ],
)
def test_hostile_dispositions_take_linear_time(tail: str) -> None:
    """With quadratic time, each part would take a second, and the test minutes."""
    disposition = ("form-data; name=file; filename=x" + tail)[:16_000]
    others = [part(disposition.replace("name=file", "name=file2", 1), b"") for _ in range(MAX_FORM_PARTS - 1)]
    assert read(form(part(FILE), *others)).name == "photo.jpg"
    assert isinstance(name_of(disposition), str)


DELIMITER = f"--{BOUNDARY}".encode()
PIECES = [
    DELIMITER,
    DELIMITER + b"--",
    DELIMITER + b"\r\n",
    b"\r\n",
    b"\n",
    b"--",
    b"Content-Disposition: form-data; name=file",
    b'; filename="',
    b"; filename*=UTF-8''%",
    b'"',
    b"\\",
    b"Content-Type: ",
    b"Content-Length: 0",
    b"Content-Transfer-Encoding: ",
    b": ",
    b" ",
    b"\0",
    b"\xff",
    "é".encode(),
]
bodies = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=20)), max_size=30).map(b"".join)


def accepts_or_refuses(body: bytes, content_type: str) -> None:
    try:
        sent = read(body, content_type)
    except (Malformed, UnsupportedMediaType, BodyTooLarge):
        return
    assert sent.content in body


@given(bodies)
def test_any_pieces_are_accepted_or_refused(body: bytes) -> None:
    accepts_or_refuses(body, CONTENT_TYPE)
    accepts_or_refuses(DELIMITER + b"\r\n" + body, CONTENT_TYPE)


@given(st.text(max_size=100), st.binary(max_size=100))
def test_any_content_type_is_accepted_or_refused(content_type: str, body: bytes) -> None:
    accepts_or_refuses(body, content_type)
    accepts_or_refuses(form(part()), f"multipart/form-data; boundary={content_type}")


VALID = form(other(1), part(headers=[b"Content-Type: image/jpeg"]), other(2))


@given(st.randoms(use_true_random=False), st.integers(1, 5))
def test_any_mutation_is_accepted_or_refused(chance: random.Random, count: int) -> None:
    body = bytearray(VALID)
    for _ in range(count):
        start = chance.randrange(len(body))
        end = min(len(body), start + chance.choice([0, 1, 2, 10, 50]))
        body[start:end] = chance.choice([b"", *PIECES, body[end : end + 30]])
        if not body:
            break
    accepts_or_refuses(bytes(body), CONTENT_TYPE)


@given(
    st.binary(max_size=2000), st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)
)
def test_what_a_browser_sends_arrives(content: bytes, name: str) -> None:
    escaped = name.replace('"', "%22")
    sent = read(form(part(f'form-data; name="file"; filename="{escaped}"', content)))
    assert sent.content == content
    if "\\" not in name and "%" not in name:
        assert sent.name == name
