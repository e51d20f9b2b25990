"""The headers of tus: what clients send is understood, or refused."""

import base64
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import Malformed
from stratabase.core.http.files import tus
from tests.rows import each_row

NAMES = (
    "tus-resumable",
    "upload-length",
    "upload-offset",
    "upload-metadata",
    "upload-checksum",
    "content-type",
)
READERS = (
    tus.check_version,
    tus.read_size,
    tus.read_offset,
    tus.read_metadata,
    tus.check_chunk_type,
    tus.check_checksum,
)


def with_header(name: str, value: str) -> Request:
    return Request("POST", "/", "/", headers={name: (value,)})


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@given(name=st.sampled_from(NAMES), value=st.text())
@example("upload-length", "9" * 5000)
@example("upload-metadata", "filename \ud800")
@example("upload-checksum", "sha1 \ud800")
def test_any_text_is_understood_or_refused(name: str, value: str) -> None:
    for read in READERS:
        with suppress(Refusal):
            read(with_header(name, value))


@given(name=st.text(), mime_type=st.text(min_size=1))
def test_the_name_and_the_type_of_a_file_may_be_any_text(name: str, mime_type: str) -> None:
    text = f"filename {encoded(name)}, filetype {encoded(mime_type)},relativePath bnVsbA==,empty"

    metadata = tus.read_metadata(with_header("upload-metadata", text))

    assert metadata == (name, mime_type, text)


def test_without_a_type_the_name_says_it() -> None:
    text = f"filename {encoded('a.png')}"

    assert tus.read_metadata(with_header("upload-metadata", text)) == ("a.png", "image/png", text)


def test_metadata_may_be_missing() -> None:
    assert tus.read_metadata(Request("POST", "/", "/")) == ("", "", "")
    assert tus.read_metadata(with_header("upload-metadata", "")) == ("", "", "")


@each_row("value", ["0", "10", "999999999999999999"])
def test_numbers_are_read(value: str) -> None:
    assert tus.read_size(with_header("upload-length", value)) == int(value)


@each_row("value", ["", " 1", "+1", "-1", "1e3", "1.0", "0x1", "1_000", "1" * 19])
def test_other_texts_are_no_numbers(value: str) -> None:
    with pytest.raises(Malformed, match="number of bytes"):
        tus.read_offset(with_header("upload-offset", value))
