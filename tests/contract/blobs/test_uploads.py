"""The contract of multipart uploads."""

import pytest

from stratabase.core.domain.files.blob import Blob, BlobNotFound, MultipartUpload, UploadedPart
from stratabase.core.operations.file_ports import BlobStore
from tests.contract.blobs.blob_calls import pattern, put, read
from tests.contract.blobs.stores import BlobsImplementation

KEY = "pending/a"


def test_parts_are_joined_in_the_order_of_their_numbers(kind: BlobsImplementation, blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    contents = {3: pattern(kind.min_part, 1), 7: pattern(kind.min_part, 2), 10_000: b"the last one"}
    parts = [blobs.put_part(upload, number, contents[number]) for number in (10_000, 3, 7)]
    assert blobs.size(KEY) is None
    blobs.complete_upload(upload, parts)
    assert read(blobs, KEY) == b"".join(contents.values())
    assert list(blobs.list("")) == [Blob(KEY, 2 * kind.min_part + 12)]


@pytest.mark.parametrize("content", [b"", b"x"])
def test_a_single_part_can_be_small_or_empty(content: bytes, blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    blobs.complete_upload(upload, [blobs.put_part(upload, 1, content)])
    assert read(blobs, KEY) == content


def test_a_part_with_the_same_number_is_replaced(kind: BlobsImplementation, blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    blobs.put_part(upload, 1, pattern(kind.min_part, 1))
    first = blobs.put_part(upload, 1, pattern(kind.min_part, 2))
    blobs.complete_upload(upload, [first, blobs.put_part(upload, 2, b"end")])
    assert read(blobs, KEY) == pattern(kind.min_part, 2) + b"end"


def test_a_replaced_part_cannot_be_joined(blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    replaced = blobs.put_part(upload, 1, b"first")
    current = blobs.put_part(upload, 1, b"second")
    with pytest.raises(BlobNotFound):
        blobs.complete_upload(upload, [replaced])
    assert blobs.size(KEY) is None
    blobs.complete_upload(upload, [current])
    assert read(blobs, KEY) == b"second"


def test_parts_that_are_not_named_are_left_out(blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    blobs.put_part(upload, 1, b"left out")
    blobs.complete_upload(upload, [blobs.put_part(upload, 2, b"kept")])
    assert read(blobs, KEY) == b"kept"


def test_a_completed_upload_replaces_the_bytes_under_the_key(blobs: BlobStore) -> None:
    put(blobs, KEY, b"old")
    upload = blobs.begin_upload(KEY)
    part = blobs.put_part(upload, 1, b"new")
    assert read(blobs, KEY) == b"old"
    blobs.complete_upload(upload, [part])
    assert read(blobs, KEY) == b"new"


def test_uploads_with_one_key_are_independent(blobs: BlobStore) -> None:
    one, other = blobs.begin_upload(KEY), blobs.begin_upload(KEY)
    assert one.id != other.id
    part = blobs.put_part(one, 1, b"one")
    blobs.put_part(other, 1, b"other")
    blobs.abort_upload(other)
    blobs.complete_upload(one, [part])
    assert read(blobs, KEY) == b"one"


def test_an_aborted_upload_leaves_nothing(blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    blobs.put_part(upload, 1, b"x")
    blobs.abort_upload(upload)
    blobs.abort_upload(upload)
    assert list(blobs.list("")) == []


def refuse(blobs: BlobStore, upload: MultipartUpload, part: UploadedPart) -> None:
    """Check that an upload has ended."""
    for call in (lambda: blobs.put_part(upload, 2, b"y"), lambda: blobs.complete_upload(upload, [part])):
        with pytest.raises(BlobNotFound) as caught:
            call()
        assert caught.value.key == KEY


def test_an_upload_that_has_ended_takes_no_parts(kind: BlobsImplementation, blobs: BlobStore) -> None:
    aborted, completed = blobs.begin_upload(KEY), blobs.begin_upload(KEY)
    late = blobs.put_part(aborted, 1, b"late")
    blobs.abort_upload(aborted)
    blobs.complete_upload(completed, [blobs.put_part(completed, 1, b"x")])
    blobs.abort_upload(completed)
    if kind.remembers_ended_uploads:
        refuse(blobs, aborted, late)
        with pytest.raises(BlobNotFound):
            blobs.put_part(completed, 2, b"y")
    assert read(blobs, KEY) == b"x"


@pytest.mark.parametrize("id_", ["unknown", "../../files", "0" * 32])
def test_an_unknown_upload_has_ended(id_: str, kind: BlobsImplementation, blobs: BlobStore) -> None:
    upload = MultipartUpload(KEY, id_)
    blobs.abort_upload(upload)
    if kind.remembers_ended_uploads:
        refuse(blobs, upload, UploadedPart(1, "x"))


@pytest.mark.parametrize("number", [-1, 0, 10_001])
def test_a_part_number_has_limits(number: int, blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    with pytest.raises(ValueError, match="from 1 to 10000"):
        blobs.put_part(upload, number, b"x")
    blobs.abort_upload(upload)


def test_an_upload_needs_parts_with_different_numbers(blobs: BlobStore) -> None:
    upload = blobs.begin_upload(KEY)
    part = blobs.put_part(upload, 1, b"x")
    for parts in ([], [part, part]):
        with pytest.raises(ValueError, match="at least one part"):
            blobs.complete_upload(upload, parts)
    blobs.complete_upload(upload, [part])
    assert read(blobs, KEY) == b"x"
