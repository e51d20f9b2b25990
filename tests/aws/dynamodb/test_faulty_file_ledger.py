"""The file ledger over a faulty connection: no entry is lost, and none stays."""

from collections.abc import Callable, Sequence

import pytest

from stratabase.core.domain.files.pending_file import SWEEP_DELAY, FileTarget, PendingFile
from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.file_ledger import EngineFileLedger
from tests.aws.dynamodb.faults import PAIRS, Fault, FaultyClient
from tests.fakes import NOON

NOW = NOON + 7_200_000


def _name(functions: Sequence[Callable[..., object]]) -> str:
    return "-".join(each.__name__ for each in functions)


@pytest.mark.parametrize("faults", PAIRS, ids=_name)
def test_each_call_takes_effect_despite_any_fault(
    engine: Engine, client: object, over: Callable[..., Engine], faults: Sequence[Fault]
) -> None:
    def faulty() -> EngineFileLedger:
        return EngineFileLedger(over(FaultyClient(client, faults)))  # type: ignore[arg-type]

    file = StoredFile("file1", "a.png", "image/png", 5, NOON)
    uploads = [PendingFile(f"upload{n}", FileTarget("Photo", "picture"), "m1", file) for n in (1, 2)]
    sound = EngineFileLedger(engine)

    for pending in uploads:
        faulty().add(pending)
    assert faulty().pending(["upload1", "upload2"]) == uploads
    assert sum(faulty().pending_sizes("m1", "", NOON)) == 2 * 1024
    faulty().withdraw("upload2")
    assert sound.pending(["upload1", "upload2"]) == [uploads[0], None]
    for job in list(faulty().released.due(NOW)):
        faulty().condemn(job.content, NOW)
    assert sound.pending(["upload1"]) == [None]
    assert sound.knows(["upload1", "upload2"]) == [True, True]
    for job in list(faulty().released.due(NOW + SWEEP_DELAY)):
        assert job.content.removal == NOW + SWEEP_DELAY
        faulty().forget(job.content)
    assert faulty().knows(["upload1", "upload2"]) == [False, False]
