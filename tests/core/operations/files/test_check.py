"""A check of all files finds missing and unknown bytes, also while other requests write."""

from collections.abc import Callable, Iterator

from stratabase.core.domain.files.stored_file import FileReference, file_key
from stratabase.core.operations.files.check import check_files
from tests.in_memory_blobs import InMemoryBlobs


class BlobsWithBin(InMemoryBlobs):
    """A blob store with recoverable bytes."""

    def __init__(self, **bin_: bytes) -> None:
        super().__init__()
        self.bin = bin_

    def recover(self, key: str) -> bool:
        found = self.bin.get(key.removeprefix("files/"))
        if found is not None:
            self.stored[key] = found
        return found is not None


class References:
    """References in memory. `during` runs in the middle of each scan."""

    def __init__(self, *references: FileReference) -> None:
        self.references = [*references]
        self.during: Callable[[], None] = lambda: None

    def all(self) -> Iterator[FileReference]:
        found = [*self.references]
        self.during()
        yield from found

    def still_holds(self, reference: FileReference) -> bool:
        return reference in self.references


def of(file_id: str, size: int | None = 3, *, needs_bytes: bool = True) -> FileReference:
    return FileReference(("Note#1", "V#~"), file_id, size, "Note 1", needs_bytes)


def stored(**sizes: int) -> BlobsWithBin:
    blobs = BlobsWithBin(gone=b"abc")
    blobs.stored = {file_key(file_id): b"x" * size for file_id, size in sizes.items()}
    return blobs


def test_files_that_are_complete_are_not_reported() -> None:
    blobs = stored(a=3, b=3)
    blobs.stored |= {"pending/p": b"upload", "meta/mark": b"{}"}
    found = check_files(References(of("a"), of("b"), of("a")), blobs)
    assert found == (2, (), ())


def test_missing_and_shortened_bytes_are_reported_and_the_former_recovered() -> None:
    blobs, references = stored(a=3, short=2), References(of("a"), of("gone"), of("short"), of("lost"))
    found = check_files(references, blobs)
    assert [(each.reference.file_id, each.found) for each in found.missing] == [
        ("gone", None),
        ("short", 2),
        ("lost", None),
    ]
    found = check_files(references, blobs, recover=True)
    assert [each.is_recovered for each in found.missing] == [True, False, False]
    assert blobs.stored[file_key("gone")] == b"abc"
    assert len(check_files(references, blobs).missing) == 2


def test_bytes_that_only_the_ledger_knows_are_neither_missing_nor_unknown() -> None:
    references = References(of("released", None, needs_bytes=False), of("swept", None, needs_bytes=False))
    assert check_files(references, stored(released=3)) == (0, (), ())


def test_unknown_bytes_are_reported() -> None:
    found = check_files(References(of("a")), stored(a=3, b=7))
    assert [(blob.key, blob.size) for blob in found.unknown] == [("files/b", 7)]


def test_a_file_that_is_released_and_removed_meanwhile_is_not_missing() -> None:
    references, blobs = References(of("a")), stored()

    def release() -> None:
        references.references.clear()

    references.during = release
    assert check_files(references, blobs).missing == ()


def test_a_file_that_an_object_gets_during_the_first_scan_is_not_unknown() -> None:
    references, blobs = References(), stored(new=3)

    def bind() -> None:
        references.during = lambda: None
        references.references.append(of("new"))

    references.during = bind
    assert check_files(references, blobs).unknown == ()
