"""What uploads are accepted: by type, by size, and by the bytes that a member has pending."""

import pytest

from stratabase.core.domain.issues.refusals import (
    FileTooLarge,
    FileTypeNotAllowed,
    TooMuchPending,
    Unavailable,
)
from stratabase.values.messages import verbatim
from tests.core.operations.files.file_scenario import ADA, BEN, HOUR, LIMITS, FileScenario
from tests.in_memory_blobs import InMemoryBlobs

FULL = LIMITS.pending_bytes // 1024
"""How many uploads of up to 1 KiB a member can have pending."""


def test_a_file_of_another_type_is_refused() -> None:
    scenario = FileScenario()
    with pytest.raises(FileTypeNotAllowed):
        scenario.upload(name="a.gif")
    assert scenario.stored_keys() == set()


def test_a_file_is_refused_that_is_larger_than_its_attribute_or_the_instance_allows() -> None:
    scenario = FileScenario()
    assert scenario.upload(bytes(100))
    with pytest.raises(FileTooLarge, match="100"):
        scenario.upload(bytes(101))
    assert scenario.upload(bytes(1000), "thumbnail")
    with pytest.raises(FileTooLarge, match="1,000"):
        scenario.upload(bytes(1001), "thumbnail")


def test_a_member_cannot_have_too_many_files_pending() -> None:
    scenario = FileScenario()
    pending = [scenario.upload(b"", "thumbnail") for _ in range(FULL)]
    with pytest.raises(TooMuchPending):
        scenario.upload(bytes(1000), "thumbnail")

    assert scenario.upload(bytes(1000), "thumbnail", caller=ADA)
    scenario.create(thumbnail=pending[0])
    assert scenario.upload(b"", "thumbnail")


def test_a_member_cannot_have_too_many_files_pending_however_small() -> None:
    limits = LIMITS._replace(pending_files=3)
    scenario = FileScenario(limits=limits)
    pending = [scenario.upload(b"", "thumbnail") for _ in range(3)]
    with pytest.raises(TooMuchPending, match="You have 3 pending files already"):
        scenario.upload(b"", "thumbnail")

    assert scenario.upload(b"", "thumbnail", caller=ADA)
    scenario.create(thumbnail=pending[0])
    assert scenario.upload(b"", "thumbnail")


def test_expired_files_do_not_count() -> None:
    scenario = FileScenario()
    for _ in range(FULL):
        scenario.upload(b"", "thumbnail")
    scenario.clock.instant += HOUR
    assert scenario.upload(bytes(1000), "thumbnail")


def test_an_upload_that_failed_does_not_count() -> None:
    failing = True

    def fail(method: str) -> None:
        if failing and method == "put":
            raise Unavailable(verbatim("The disk is full."))

    scenario = FileScenario(blobs=InMemoryBlobs(fail))
    for _ in range(FULL + 1):
        with pytest.raises(Unavailable):
            scenario.upload(bytes(1000), "thumbnail", caller=BEN)
    failing = False
    assert scenario.upload(bytes(1000), "thumbnail", caller=BEN)
