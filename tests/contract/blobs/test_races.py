"""The contract of blob stores for concurrent callers."""

from functools import partial

from stratabase.core.domain.files.blob import CHUNK_SIZE, BlobNotFound, MultipartUpload, UploadedPart
from stratabase.core.operations.file_ports import BlobStore
from tests.contract.blobs.blob_calls import pattern, put, read
from tests.contract.engine.engine_calls import run_concurrently
from tests.soak import count

TIMES = count(3, 100)
RIVALS = 4
SIZE = 2 * CHUNK_SIZE + 3


def test_one_of_several_concurrent_puts_wins_whole(concurrent: BlobStore) -> None:
    contents = [pattern(SIZE, number) for number in range(RIVALS)]
    for _ in range(TIMES):
        run_concurrently(*(partial(put, concurrent, "files/a", content) for content in contents))
        assert read(concurrent, "files/a") in contents
    assert [blob.key for blob in concurrent.list("")] == ["files/a"]


def test_a_reader_sees_the_bytes_that_were_there_when_it_began(concurrent: BlobStore) -> None:
    old, new = pattern(20 * CHUNK_SIZE, 1), pattern(20 * CHUNK_SIZE, 2)
    put(concurrent, "files/a", old)
    chunks = concurrent.read("files/a")
    found = next(chunks)
    put(concurrent, "files/a", new)
    concurrent.delete(["files/a"])
    assert found + b"".join(chunks) == old


def test_concurrent_readers_see_one_of_the_puts(concurrent: BlobStore) -> None:
    contents = [pattern(SIZE, number) for number in range(2)]
    put(concurrent, "files/a", contents[0])
    for turn in range(TIMES):
        found = run_concurrently(
            partial(put, concurrent, "files/a", contents[turn % 2]),
            *[partial(read, concurrent, "files/a")] * 3,
        )
        assert set(found[1:]) <= set(contents)


def test_concurrent_copies_of_one_source_are_whole(concurrent: BlobStore) -> None:
    content = pattern(SIZE)
    put(concurrent, "pending/a", content)
    for _ in range(TIMES):
        targets = [f"files/{number // 2}" for number in range(RIVALS)]
        run_concurrently(*(partial(concurrent.copy, "pending/a", target, SIZE) for target in targets))
        assert {read(concurrent, target) for target in targets} == {content}


def completes(blobs: BlobStore, upload: MultipartUpload, part: UploadedPart) -> bool:
    try:
        blobs.complete_upload(upload, [part])
    except BlobNotFound:
        return False
    return True


def test_an_upload_that_is_completed_and_aborted_is_there_whole_or_not_at_all(concurrent: BlobStore) -> None:
    content = pattern(SIZE)
    for turn in range(TIMES):
        key = f"pending/{turn}"
        upload = concurrent.begin_upload(key)
        part = concurrent.put_part(upload, 1, content)
        completed, _ = run_concurrently(
            partial(completes, concurrent, upload, part), partial(concurrent.abort_upload, upload)
        )
        assert completed == (concurrent.size(key) is not None)
        assert not completed or read(concurrent, key) == content
