"""The contract of every blob store for one caller."""

from collections.abc import Iterator

import pytest

from stratabase.core.domain.files.blob import CHUNK_SIZE, Blob, BlobNotFound
from stratabase.core.operations.file_ports import BlobStore
from tests.contract.blobs.blob_calls import close, pattern, put, read
from tests.contract.blobs.stores import BlobsImplementation
from tests.rows import each_row

SMALL = b"0123456789"
LARGE = 9 * 1024 * 1024 + 17
"""Bytes: more than what S3 gets in one request."""
STRANGE_KEYS = [
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "a/../b",
    "a/./b",
    ".a",
    "a.b",
    "a b",
    "a\0",
    "ä",
    "a\n",
]


@each_row("size", [0, 1, CHUNK_SIZE, CHUNK_SIZE + 1, LARGE])
def test_bytes_come_back_as_they_were_put(size: int, blobs: BlobStore) -> None:
    content = pattern(size)
    blobs.put("files/a", (content[at : at + 100_000] for at in range(0, size, 100_000)), size)
    assert read(blobs, "files/a") == content
    assert blobs.size("files/a") == size


def test_a_read_returns_chunks_of_limited_size(blobs: BlobStore) -> None:
    put(blobs, "files/a", pattern(3 * CHUNK_SIZE + 1))
    assert max(map(len, blobs.read("files/a"))) <= CHUNK_SIZE


def test_a_put_replaces_the_bytes_under_the_key(blobs: BlobStore) -> None:
    put(blobs, "files/a", b"a long content")
    put(blobs, "files/a", b"short")
    assert read(blobs, "files/a") == b"short"
    assert list(blobs.list("")) == [Blob("files/a", 5)]


@each_row("size", [9, 11, LARGE - 1, LARGE + 1])
def test_content_of_another_size_is_refused_and_stores_nothing(size: int, blobs: BlobStore) -> None:
    content = pattern(10 if size < LARGE - 1 else LARGE)
    put(blobs, "files/a", b"old")
    with pytest.raises(ValueError, match="bytes"):
        blobs.put("files/a", [content], size)
    assert read(blobs, "files/a") == b"old"


@each_row("size", [100, LARGE])
def test_content_that_fails_midway_stores_nothing(size: int, blobs: BlobStore) -> None:
    def broken() -> Iterator[bytes]:
        yield pattern(size - 1)
        raise ConnectionResetError("the client has gone")

    with pytest.raises(ConnectionResetError, match="the client has gone"):
        blobs.put("files/a", broken(), size)
    assert blobs.size("files/a") is None
    assert list(blobs.list("")) == []


@each_row(
    ("start", "end"),
    [(0, None), (0, 10), (0, 11), (3, 7), (3, None), (9, 10), (3, 3), (0, 0), (7, 3), (10, None), (10, 12)],
)
def test_a_read_can_be_limited_to_a_range(start: int, end: int | None, blobs: BlobStore) -> None:
    put(blobs, "files/a", SMALL)
    assert read(blobs, "files/a", start, end) == SMALL[start:end]


@each_row(("start", "end"), [(11, None), (100, 200), (2**40, None)])
def test_a_range_beyond_the_end_is_empty(start: int, end: int | None, blobs: BlobStore) -> None:
    put(blobs, "files/a", SMALL)
    assert read(blobs, "files/a", start, end) == b""


@each_row(("start", "end"), [(0, None), (0, 1), (0, 0), (1, None)])
def test_every_range_of_an_empty_blob_is_empty(start: int, end: int | None, blobs: BlobStore) -> None:
    put(blobs, "files/a", b"")
    assert read(blobs, "files/a", start, end) == b""


@each_row(("start", "end"), [(0, None), (0, 1), (0, 0), (5, 5)])
def test_a_read_of_a_missing_key_fails_at_once(start: int, end: int | None, blobs: BlobStore) -> None:
    with pytest.raises(BlobNotFound) as caught:
        blobs.read("files/a", start, end)
    assert caught.value.key == "files/a"


def test_a_range_across_chunks_is_whole(blobs: BlobStore) -> None:
    content = pattern(3 * CHUNK_SIZE)
    put(blobs, "files/a", content)
    assert (
        read(blobs, "files/a", CHUNK_SIZE - 1, 2 * CHUNK_SIZE + 1)
        == content[CHUNK_SIZE - 1 : 2 * CHUNK_SIZE + 1]
    )


def test_a_reader_can_stop_early(blobs: BlobStore) -> None:
    put(blobs, "files/a", pattern(3 * CHUNK_SIZE))
    chunks = blobs.read("files/a")
    next(chunks)
    close(chunks)
    assert list(chunks) == []
    close(blobs.read("files/a"))
    assert read(blobs, "files/a", 0, 3) == pattern(3)


def test_a_copy_has_the_same_bytes_and_outlives_its_source(blobs: BlobStore) -> None:
    put(blobs, "pending/a", SMALL)
    blobs.copy("pending/a", "files/b", len(SMALL))
    put(blobs, "pending/a", b"other")
    assert (read(blobs, "pending/a"), read(blobs, "files/b")) == (b"other", SMALL)
    blobs.delete(["pending/a"])
    assert read(blobs, "files/b") == SMALL


def test_a_copy_replaces_and_can_be_repeated(blobs: BlobStore) -> None:
    put(blobs, "pending/a", SMALL)
    put(blobs, "files/b", b"old")
    for _ in range(3):
        blobs.copy("pending/a", "files/b", len(SMALL))
    assert read(blobs, "files/b") == SMALL
    assert [blob.key for blob in blobs.list("")] == ["files/b", "pending/a"]


def test_an_empty_blob_can_be_copied(blobs: BlobStore) -> None:
    put(blobs, "pending/a", b"")
    blobs.copy("pending/a", "files/b", 0)
    assert blobs.size("files/b") == 0


def test_a_copy_of_a_missing_key_fails_and_changes_nothing(blobs: BlobStore) -> None:
    put(blobs, "files/b", SMALL)
    with pytest.raises(BlobNotFound) as caught:
        blobs.copy("pending/a", "files/b", 10)
    assert caught.value.key == "pending/a"
    assert read(blobs, "files/b") == SMALL


def test_a_missing_key_has_no_size(blobs: BlobStore) -> None:
    put(blobs, "files/a", b"")
    assert [blobs.size(key) for key in ("files/a", "files/b", "files", "files/a/b")] == [0, None, None, None]


def test_a_delete_removes_keys_and_ignores_missing_ones(blobs: BlobStore) -> None:
    for name in "abc":
        put(blobs, f"files/{name}", b"x")
    blobs.delete([])
    blobs.delete(["files/a", "files/x", "files/c", "other/y"])
    blobs.delete(["files/a"])
    assert list(blobs.list("")) == [Blob("files/b", 1)]


def test_many_keys_are_deleted_and_listed(kind: BlobsImplementation, blobs: BlobStore) -> None:
    keys = [f"files/{number:04}" for number in range(kind.many)]
    for key in keys:
        put(blobs, key, b"")
    assert [blob.key for blob in blobs.list("files/")] == keys
    blobs.delete(keys)
    assert list(blobs.list("")) == []


def test_a_list_has_the_keys_with_a_prefix_in_order(blobs: BlobStore) -> None:
    keys = ["a", "b-1", "b/1", "b/1-", "b/10", "b/2", "b0", "b_1", "bB", "ba/1", "c/d/e"]
    for key in reversed(keys):
        put(blobs, key, key.encode())
    assert [blob.key for blob in blobs.list("")] == sorted(keys)
    for prefix in ("a", "b", "b/", "b/1", "ba", "c/d", "c/d/e", "c/d/e/", "x", "x/y"):
        expected = [Blob(key, len(key)) for key in sorted(keys) if key.startswith(prefix)]
        assert list(blobs.list(prefix)) == expected, prefix


@each_row("key", STRANGE_KEYS)
def test_a_strange_key_is_refused(key: str, blobs: BlobStore) -> None:
    for call in (
        lambda: put(blobs, key, b"x"),
        lambda: blobs.copy(key, "files/b", 1),
        lambda: blobs.copy("files/a", key, 1),
        lambda: blobs.read(key),
        lambda: blobs.size(key),
        lambda: blobs.delete(["files/a", key]),
        lambda: blobs.begin_upload(key),
    ):
        with pytest.raises(ValueError, match="is not a key"):
            call()


@each_row("prefix", ["/", "/etc", "../", "a/../", ".uploads", "a//", "*"])
def test_a_strange_prefix_is_refused(prefix: str, blobs: BlobStore) -> None:
    with pytest.raises(ValueError, match="No key can begin with"):
        list(blobs.list(prefix))
