"""Files are uploaded in several requests, and resumed after interruptions."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.resumable_upload import MAX_IDLE_DURATION, MAX_UPLOAD_DURATION
from stratabase.core.domain.issues.refusals import (
    FileNotFound,
    FileTooLarge,
    FileTypeNotAllowed,
    Forbidden,
    OffsetConflict,
    PendingFileGone,
    TooMuchPending,
    Unavailable,
)
from stratabase.core.operations.files import resumable
from stratabase.core.operations.files.resumable import Progress
from stratabase.values.messages import verbatim
from tests import soak
from tests.core.operations.files.file_scenario import ADA, BEN, CLEO, GUEST, HOUR
from tests.core.operations.files.resumable_scenario import (
    CHUNK,
    LARGE,
    PART,
    PartBlobs,
    ResumableScenario,
    address,
    small_parts,
)

CONTENT = bytes(range(256)) * 2


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    with small_parts():
        yield


@pytest.fixture
def scenario() -> ResumableScenario:
    return ResumableScenario()


@pytest.mark.parametrize("size", [0, 1, CHUNK, CHUNK + 1, PART - 1, PART, PART + 1, 2 * PART, 512])
@pytest.mark.parametrize("chunk", [7, CHUNK])
def test_a_complete_upload_is_an_ordinary_pending_file(
    scenario: ResumableScenario, size: int, chunk: int
) -> None:
    id_ = scenario.send(CONTENT[:size], chunk)

    (pending,) = scenario.ledger.pending([id_])
    assert pending
    assert pending.file.size == size
    assert scenario.download_pending(pending) == CONTENT[:size]
    photo = scenario.create(thumbnail=pending)
    assert scenario.download(photo.reference, "thumbnail") == CONTENT[:size]
    scenario.clock.instant += 2 * HOUR
    scenario.sweep()
    assert scenario.stored_keys() == {f"files/{pending.file.file_id}"}


def test_an_upload_cannot_be_downloaded_or_bound_before_it_is_complete(scenario: ResumableScenario) -> None:
    id_ = scenario.begin(100, CONTENT[:40]).id

    with pytest.raises(PendingFileGone):
        scenario.content_of(id_)
    assert scenario.ledger.pending([id_]) == [None]


def test_the_hour_begins_when_the_upload_is_complete(scenario: ResumableScenario) -> None:
    id_ = scenario.begin(80, CONTENT[:40]).id
    scenario.clock.instant += 5 * HOUR

    done = scenario.append(id_, 40, CONTENT[40:80])

    assert done.expires == scenario.clock.instant + HOUR
    (pending,) = scenario.ledger.pending([id_])
    assert pending
    assert pending.file.uploaded_on == scenario.clock.instant
    scenario.clock.instant += HOUR - 1
    scenario.sweep_once()
    assert scenario.content_of(id_) == CONTENT[:80]
    scenario.clock.instant += 1
    with pytest.raises(PendingFileGone):
        scenario.content_of(id_)


@pytest.mark.parametrize("offset", [0, 39, 41, 100, 10**9])
def test_bytes_for_another_offset_are_refused(scenario: ResumableScenario, offset: int) -> None:
    id_ = scenario.begin(100, CONTENT[:40]).id

    with pytest.raises(OffsetConflict):
        scenario.append(id_, offset, b"x")

    assert scenario.progress(id_).offset == 40


def test_a_complete_upload_takes_no_more_bytes(scenario: ResumableScenario) -> None:
    id_ = scenario.send(CONTENT[:60])

    assert scenario.append(id_, 60, b"").offset == 60
    with pytest.raises(FileTooLarge):
        scenario.append(id_, 60, b"x")
    with pytest.raises(OffsetConflict):
        scenario.append(id_, 40, CONTENT[40:60])
    assert scenario.content_of(id_) == CONTENT[:60]


def test_a_chunk_without_bytes_changes_nothing(scenario: ResumableScenario) -> None:
    begun = scenario.begin(100, CONTENT[:40])

    assert scenario.append(begun.id, 40, b"") == begun


def test_the_limits_of_the_attribute_and_the_instance_are_checked_first(scenario: ResumableScenario) -> None:
    with pytest.raises(FileTooLarge):
        scenario.begin(101, attribute="picture")
    with pytest.raises(FileTooLarge):
        scenario.begin(LARGE.file_size + 1)
    with pytest.raises(FileTypeNotAllowed):
        scenario.begin(50, attribute="picture", name="a.exe")
    with pytest.raises(FileNotFound):
        scenario.begin(50, attribute="secret")
    with pytest.raises(Forbidden):
        scenario.begin(50, caller=GUEST)
    assert list(scenario.ledger.released.due(10**14)) == []


def test_declared_sizes_count_as_pending(scenario: ResumableScenario) -> None:
    first = scenario.begin(LARGE.pending_bytes // 2).id
    scenario.begin(LARGE.pending_bytes // 2)
    with pytest.raises(TooMuchPending):
        scenario.begin(1)
    scenario.begin(1, caller=CLEO)

    scenario.terminate(first)

    scenario.begin(1)


@pytest.mark.parametrize(("caller", "is_allowed"), [(ADA, True), (BEN, True), (CLEO, False)])
def test_only_the_uploader_or_an_administrator_can_continue(
    scenario: ResumableScenario, caller: Caller, is_allowed: bool
) -> None:
    id_ = scenario.begin(100, CONTENT[:40]).id

    if is_allowed:
        assert scenario.append(id_, 40, CONTENT[40:50], caller).offset == 50
        scenario.terminate(id_, caller)
    else:
        with pytest.raises(PendingFileGone):
            scenario.append(id_, 40, CONTENT[40:50], caller)
        with pytest.raises(PendingFileGone):
            scenario.progress(id_, caller)
        with pytest.raises(PendingFileGone):
            scenario.terminate(id_, caller)


def test_an_address_must_be_that_of_the_upload(scenario: ResumableScenario) -> None:
    id_ = scenario.begin(100).id

    with pytest.raises(PendingFileGone):
        scenario.resumable.progress(BEN, address(id_, "picture"))
    with pytest.raises(PendingFileGone):
        scenario.progress("0" * 26)
    with pytest.raises(FileNotFound):
        scenario.progress("../x")


@pytest.mark.parametrize("size", [80, 40])
def test_a_terminated_upload_is_removed(scenario: ResumableScenario, size: int) -> None:
    id_ = scenario.begin(size, CONTENT[:40]).id

    scenario.terminate(id_)

    for action in (scenario.progress, scenario.terminate, scenario.content_of):
        with pytest.raises(PendingFileGone):
            action(id_)
    scenario.sweep()
    assert scenario.stored_keys() == set()
    assert list(scenario.ledger.released.due(10**14)) == []


def test_an_upload_expires_a_day_after_its_last_bytes(scenario: ResumableScenario) -> None:
    id_ = scenario.send(CONTENT[:120])
    id_ = scenario.begin(200, CONTENT[:40]).id
    scenario.clock.instant += MAX_IDLE_DURATION - 1
    scenario.append(id_, 40, CONTENT[40:80])
    scenario.clock.instant += MAX_IDLE_DURATION - 1
    scenario.sweep_once()
    assert scenario.progress(id_).offset == 80

    scenario.clock.instant += 1

    with pytest.raises(PendingFileGone):
        scenario.append(id_, 80, CONTENT[80:100])
    scenario.clock.instant += HOUR
    scenario.sweep()
    assert scenario.stored_keys() == set()
    assert scenario.part_blobs.open_uploads() == 0
    assert list(scenario.ledger.released.due(10**14)) == []


def test_an_upload_expires_after_six_days_at_most(scenario: ResumableScenario) -> None:
    begun = scenario.begin(200)
    start = scenario.clock.instant
    for offset in range(20):
        scenario.clock.instant += 7 * HOUR
        done = scenario.append(begun.id, offset, b"x")

    assert begun.expires == start + MAX_IDLE_DURATION
    assert done.expires == start + MAX_UPLOAD_DURATION
    scenario.clock.instant = start + MAX_UPLOAD_DURATION
    with pytest.raises(PendingFileGone):
        scenario.append(begun.id, 20, b"x")


def test_the_sweep_keeps_the_bytes_of_uploads_that_go_on(scenario: ResumableScenario) -> None:
    id_ = scenario.begin(200, CONTENT[:40]).id
    scenario.sweep()
    scenario.append(id_, 40, CONTENT[40:80])
    scenario.append(id_, 80, CONTENT[80:90])
    scenario.sweep()

    for offset in range(90, 200, 10):
        scenario.append(id_, offset, CONTENT[offset : offset + 10])

    assert scenario.content_of(id_) == CONTENT[:200]


def test_a_tail_that_could_not_be_deleted_goes_with_the_upload(scenario: ResumableScenario) -> None:
    id_ = scenario.begin(40, CONTENT[:20]).id
    scenario.part_blobs.before = _refuse_deletions

    scenario.append(id_, 20, CONTENT[20:40])

    scenario.part_blobs.before = lambda _method: None
    assert len(scenario.stored_keys()) == 3
    scenario.sweep()
    assert scenario.content_of(id_) == CONTENT[:40]
    scenario.clock.instant += 2 * HOUR
    scenario.sweep()
    assert scenario.stored_keys() == set()


def _refuse_deletions(method: str) -> None:
    if method == "delete":
        raise Unavailable(verbatim("busy"))


@pytest.mark.parametrize("size", [40, 200])
def test_an_upload_whose_bytes_are_lost_is_gone(scenario: ResumableScenario, size: int) -> None:
    id_ = scenario.begin(size, CONTENT[:20]).id
    scenario.blobs.delete([key for key in scenario.stored_keys() if key.startswith(f"pending/{id_}")])

    with pytest.raises(PendingFileGone):
        scenario.append(id_, 20, CONTENT[20:40])
    with pytest.raises(PendingFileGone):
        scenario.progress(id_)


def test_an_upload_that_needs_too_many_attempts_is_given_up(
    scenario: ResumableScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resumable, "MAX_PARTS", 1)
    id_ = scenario.begin(200, CONTENT[:40]).id
    scenario.append(id_, 40, CONTENT[40:80])
    scenario.append(id_, 80, CONTENT[80:120])

    with pytest.raises(PendingFileGone, match="Begin a new one"):
        scenario.append(id_, 120, CONTENT[120:160])
    with pytest.raises(PendingFileGone):
        scenario.progress(id_)


def test_the_first_bytes_decide_about_the_media_type(
    scenario: ResumableScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        resumable,
        "stored_media_type",
        lambda sent, content: "application/octet-stream" if content.startswith(b"<svg") else sent,
    )
    id_ = scenario.begin(6).id
    scenario.append(id_, 0, b"<s")
    scenario.append(id_, 2, b"vg")
    scenario.append(id_, 4, b"/>")

    (pending,) = scenario.ledger.pending([id_])
    assert pending
    assert pending.file.mime_type == "application/octet-stream"


@pytest.mark.parametrize("size", [100, 45])
def test_of_two_requests_at_one_offset_one_succeeds(size: int) -> None:
    for _ in range(soak.count(25, 500)):
        scenario = ResumableScenario()
        id_ = scenario.begin(size, CONTENT[:30]).id
        both = Barrier(2)

        def append(fill: bytes) -> Progress | OffsetConflict:
            both.wait()  # noqa: B023 - it ends in this iteration
            try:
                return scenario.append(id_, 30, fill * 15)  # noqa: B023
            except OffsetConflict as refusal:
                return refusal

        with ThreadPoolExecutor(2) as pool:
            outcomes = dict(zip((b"a", b"b"), pool.map(append, (b"a", b"b")), strict=True))

        won = [fill for fill, outcome in outcomes.items() if isinstance(outcome, Progress)]
        assert len(won) == 1
        for offset in range(45, size, 40):
            scenario.append(id_, offset, CONTENT[offset : min(offset + 40, size)])
        assert scenario.content_of(id_) == CONTENT[:30] + won[0] * 15 + CONTENT[45:size]
        scenario.clock.instant += 2 * HOUR
        scenario.sweep()
        assert scenario.stored_keys() == set()


def test_a_slow_request_loses_against_its_repetition() -> None:
    """The client repeats a request after its connection was lost, while the service works on it."""
    blobs = PartBlobs()
    scenario = ResumableScenario(blobs=blobs)
    id_ = scenario.begin(100, CONTENT[:30]).id

    def repeat(method: str) -> None:
        if method == "put_part":
            blobs.before = lambda _method: None
            scenario.append(id_, 30, CONTENT[30:70])

    blobs.before = repeat
    with pytest.raises(OffsetConflict):
        scenario.append(id_, 30, b"x" * 40)
    scenario.append(id_, 70, CONTENT[70:100])

    assert scenario.content_of(id_) == CONTENT[:100]
