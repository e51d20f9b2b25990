"""Resumable uploads over every blob store, with chunks and parts of their real size."""

import random

import pytest

from stratabase.core.domain.files.resumable_upload import MAX_CHUNK_SIZE, MAX_UPLOAD_DURATION
from stratabase.core.operations.file_ports import BlobStore
from tests import soak
from tests.core.operations.files.file_scenario import HOUR
from tests.core.operations.files.resumable_scenario import ResumableScenario

MEBIBYTE = 1024 * 1024


def scenario_over(blobs: BlobStore) -> ResumableScenario:
    return ResumableScenario(blobs=blobs)


@pytest.mark.parametrize("size", [0, 1, 3 * MEBIBYTE, 5 * MEBIBYTE, 5 * MEBIBYTE + 1, 13 * MEBIBYTE + 7])
@pytest.mark.parametrize("chunk", [MAX_CHUNK_SIZE, 3 * MEBIBYTE + 11])
def test_an_upload_has_all_its_bytes(blobs: BlobStore, size: int, chunk: int) -> None:
    scenario = scenario_over(blobs)
    content = random.Random(soak.seed()).randbytes(size)

    id_ = scenario.send(content, chunk)

    assert scenario.content_of(id_) == content
    assert scenario.stored_keys() == {f"pending/{id_}"}
    scenario.clock.instant += 2 * HOUR
    scenario.sweep()
    assert scenario.stored_keys() == set()


@pytest.mark.parametrize("is_terminated", [True, False])
def test_an_upload_that_is_given_up_leaves_nothing(blobs: BlobStore, *, is_terminated: bool) -> None:
    scenario = scenario_over(blobs)
    id_ = scenario.begin(13 * MEBIBYTE).id
    for offset in range(0, 12 * MEBIBYTE, MAX_CHUNK_SIZE):
        scenario.append(id_, offset, bytes(MAX_CHUNK_SIZE))
    if is_terminated:
        scenario.terminate(id_)

    scenario.clock.instant += MAX_UPLOAD_DURATION + HOUR
    scenario.sweep()

    assert scenario.stored_keys() == set()
