"""The part of the file ledger for resumable uploads."""

import pytest

from stratabase.core.domain.files.blob import UploadedPart
from stratabase.core.domain.files.pending_file import SWEEP_DELAY, FileTarget, PendingFile, ReleasedFile
from stratabase.core.domain.files.resumable_upload import MAX_IDLE_DURATION, ResumableUpload, Tail
from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.file_ledger import EngineFileLedger
from tests.contract.engine.engine_calls import settle
from tests.core.store.failing import FailingEngine, Fault
from tests.fakes import NOON
from tests.rows import each_row

SIZE = 20_000_000


def due(engine: Engine, now: Instant) -> list[ReleasedFile]:
    """Return what the ledger lists for the sweep, after its indexes show all commits."""
    return [job.content for job in EngineFileLedger(settle(engine)).released.due(now)]


BEGUN = ResumableUpload(
    "upload1",
    FileTarget("Photo", "picture"),
    "m1",
    StoredFile("file1", "a ☃.png", "image/png", SIZE, NOON),
    "image/png; q=1",
    "filename eA==",
    "multipart1",
    last_write=NOON,
)
CONTINUED = BEGUN._replace(
    offset=12_000_000,
    last_write=NOON + 1000,
    parts=(UploadedPart(1, "token one"), UploadedPart(3, "two")),
    tail=Tail("pending/upload1-t", 1_000_000),
)


@each_row("upload", [BEGUN, CONTINUED, BEGUN._replace(multipart_id=None, metadata="")])
def test_an_upload_is_returned_as_it_was_added(engine: Engine, upload: ResumableUpload) -> None:
    ledger = EngineFileLedger(engine)
    ledger.begin(upload)

    assert ledger.find("upload1") == upload
    assert ledger.find("other") is None
    assert ledger.pending(["upload1"]) == [None]
    assert ledger.knows(["upload1"]) == [True]
    assert sum(EngineFileLedger(settle(engine)).pending_sizes("m1", "", NOON)) == SIZE


def test_an_upload_advances_only_from_its_present_offset(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    ledger.begin(BEGUN)

    assert ledger.advance(BEGUN, CONTINUED)
    assert not ledger.advance(BEGUN, CONTINUED._replace(offset=5))
    assert not ledger.claim_part(BEGUN)

    assert ledger.find("upload1") == CONTINUED


def test_a_part_number_is_claimed_once(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    ledger.begin(BEGUN)

    assert ledger.claim_part(BEGUN)
    assert not ledger.claim_part(BEGUN)

    assert ledger.find("upload1") == BEGUN._replace(next_part=2)
    assert ledger.advance(BEGUN, CONTINUED)  # the request that claimed the number
    assert ledger.find("upload1") == CONTINUED._replace(next_part=2)


def test_a_complete_upload_becomes_an_ordinary_pending_file(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    complete = CONTINUED._replace(offset=SIZE)
    ledger.begin(complete)
    pending = complete.pending_file(NOON + 5000)

    assert not ledger.finish(CONTINUED, pending)
    assert ledger.finish(complete, pending)
    assert not ledger.finish(complete, pending)

    assert ledger.find("upload1") == pending
    assert ledger.pending(["upload1"]) == [pending]
    assert not ledger.claim_part(complete)
    assert not ledger.advance(complete, complete)
    (listed,) = due(engine, pending.expires + SWEEP_DELAY)
    assert listed == ReleasedFile("upload1", "upload1", "file1")
    other = EngineFileLedger(engine)
    other.add(PendingFile("upload2", pending.target, "m1", pending.file))
    ordinary, finished = other._read(["upload2", "upload1"])
    assert ordinary
    assert finished
    assert {**ordinary.attributes, "metadata": complete.metadata} == finished.attributes
    assert ledger.metadata("upload1") == complete.metadata
    assert ledger.metadata("upload2") == ledger.metadata("other") == ""
    assert ordinary.state == finished.state


def test_an_upload_is_due_after_its_last_write(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    ledger.begin(BEGUN)
    ledger.advance(BEGUN, CONTINUED)
    end = NOON + 1000 + MAX_IDLE_DURATION + SWEEP_DELAY

    assert due(engine, end - 1) == []
    (released,) = due(engine, end)
    assert released == ReleasedFile("upload1", "upload1", "file1", None, "multipart1")
    ledger.condemn(released, end - 1)
    assert ledger.find("upload1") == CONTINUED
    ledger.condemn(released, end)
    assert ledger.find("upload1") is None
    assert not ledger.advance(CONTINUED, CONTINUED)
    assert not ledger.finish(CONTINUED, CONTINUED.pending_file(end))
    (condemned,) = due(engine, end)
    assert condemned.multipart_id == "multipart1"


def test_an_upload_can_be_withdrawn(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    ledger.begin(BEGUN)

    ledger.withdraw("upload1")

    assert ledger.find("upload1") is None
    settled = EngineFileLedger(settle(engine))
    assert sum(settled.pending_sizes("m1", "", NOON)) == 0
    (released,) = due(engine, NOON)
    assert released.multipart_id == "multipart1"


@each_row("fault", [Fault(0), Fault(0, after=True)])
def test_a_change_whose_outcome_is_unknown_is_neither_done_nor_refused(engine: Engine, fault: Fault) -> None:
    EngineFileLedger(engine).begin(BEGUN)
    failing = EngineFileLedger(FailingEngine(engine, fault))

    with pytest.raises(Unavailable):
        failing.advance(BEGUN, CONTINUED)
