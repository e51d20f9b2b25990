"""How many large files a member downloads at the same time."""

from collections.abc import Iterator

import pytest

from stratabase.core.domain.attempts import attempt_key
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.http.base.messages import BodyStream
from stratabase.core.operations.files.open_downloads import DOWNLOAD_LEASE, UNCOUNTED_BYTES, OpenDownloads
from tests.fakes import FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.rows import each_row

LARGE = UNCOUNTED_BYTES + 1


class Chunks:
    """The chunks of a file, which note that they were closed."""

    def __init__(self, *chunks: bytes) -> None:
        self._chunks = iter(chunks)
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._chunks)

    def close(self) -> None:
        self.is_closed = True


class Downloads:
    """Open downloads with a limit of 2."""

    def __init__(self, limit: int = 2) -> None:
        self.attempts = InMemoryAttempts()
        self.clock = FrozenClock()
        self.opened = 0
        self._downloads = OpenDownloads(self.attempts, self.clock, limit)

    def open(
        self, member: str = "rosa", size: int = LARGE, chunks: Iterator[bytes] | None = None
    ) -> Iterator[bytes]:
        def start() -> Iterator[bytes]:
            self.opened += 1
            return chunks if chunks is not None else Chunks(b"1", b"2")

        return self._downloads.read(member, size, start)

    def count(self, member: str = "rosa") -> int:
        return self.attempts.count(attempt_key("download", member), self.clock.now() - DOWNLOAD_LEASE)


def test_a_member_gets_as_many_downloads_as_the_limit_says() -> None:
    downloads = Downloads()
    for _ in range(2):
        downloads.open()
    for _ in range(3):
        with pytest.raises(Unavailable, match="You already download 2 large files") as refused:
            downloads.open()
        assert refused.value.retry_after == 30
    assert downloads.opened == 2
    downloads.open("anna")


def test_a_download_counts_until_it_is_read() -> None:
    downloads = Downloads()
    chunks = downloads.open()
    assert next(chunks) == b"1"
    assert downloads.count() == 1
    assert list(chunks) == [b"2"]
    assert downloads.count() == 0


def test_a_download_counts_until_the_client_is_gone() -> None:
    downloads, source = Downloads(), Chunks(b"1", b"2")
    chunks = downloads.open(chunks=source)
    BodyStream(chunks, 2).close()
    assert source.is_closed
    assert downloads.count() == 0


def test_a_download_that_fails_does_not_count() -> None:
    def failing() -> Iterator[bytes]:
        yield b"1"
        raise ConnectionError

    downloads = Downloads()
    chunks = downloads.open(chunks=failing())
    with pytest.raises(ConnectionError):
        list(chunks)
    assert downloads.count() == 0

    def gone() -> Iterator[bytes]:
        raise FileNotFoundError

    with pytest.raises(FileNotFoundError):
        downloads._downloads.read("rosa", LARGE, gone)
    assert downloads.count() == 0


def test_what_a_killed_process_has_left_ends_with_the_lease() -> None:
    downloads = Downloads()
    for _ in range(2):
        downloads.open()
    downloads.clock.instant += DOWNLOAD_LEASE + 1
    downloads.open()


@each_row(("limit", "size"), [(2, UNCOUNTED_BYTES), (0, LARGE)])
def test_small_files_and_instances_without_a_limit_count_nothing(limit: int, size: int) -> None:
    downloads = Downloads(limit)
    for _ in range(5):
        downloads.open(size=size)
    assert downloads.opened == 5
    assert downloads.count() == 0
