"""A hold keeps the sweep from removing bytes, until it ends."""

from functools import partial
from pathlib import Path

from stratabase.core.domain.files.pending_file import SWEEP_DELAY
from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.files.folder import FolderBlobs
from stratabase.core.jobs.runner import Runner
from stratabase.core.observe import Log
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.files.sweep import HOLD_DURATION, file_jobs, hold_files
from stratabase.core.store.engine.port import Batch
from stratabase.core.store.file_ledger import EngineFileLedger
from stratabase.core.store.layout import file_entries
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import FrozenClock


def test_released_bytes_stay_while_they_are_held(tmp_path: Path) -> None:
    engine, blobs, clock = ReferenceEngine(), FolderBlobs(tmp_path), FrozenClock()
    files = FileStores(lambda: blobs, EngineFileLedger(engine))
    blobs.put(file_key("released"), [b"x"], 1)
    blobs.put("pending/taken", [b"x"], 1)
    engine.commit(Batch("release", (file_entries.release("released"),)))
    sweep = partial(Runner(clock.now, Log()).steps, file_jobs(files, clock))
    list(sweep())
    blobs.put("pending/taken", [b"x"], 1)
    clock.instant += SWEEP_DELAY

    with hold_files(files.ledger, clock):
        assert list(sweep()) == []
        assert (blobs.size(file_key("released")), blobs.size("pending/taken")) == (1, 1)

    clock.instant += HOLD_DURATION
    list(sweep())
    assert (blobs.size(file_key("released")), blobs.size("pending/taken")) == (None, None)
    blobs.close()


def test_a_hold_that_begins_during_a_sweep_stops_it_after_the_current_step(tmp_path: Path) -> None:
    blobs, clock = FolderBlobs(tmp_path), FrozenClock()
    files = FileStores(lambda: blobs, EngineFileLedger(ReferenceEngine()))
    for number in range(150):
        blobs.put(f"pending/taken{number}", [b"x"], 1)
    steps = Runner(clock.now, Log()).steps(file_jobs(files, clock))
    next(steps)
    left = len(list(blobs.list("")))
    assert 0 < left < 150

    with hold_files(files.ledger, clock):
        assert list(steps) == []
        assert len(list(blobs.list(""))) == left
    blobs.close()
