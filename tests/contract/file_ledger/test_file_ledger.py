"""The file ledger: uploads, what the sweep has to remove, and what objects take."""

from collections.abc import Callable

import pytest

from stratabase.core.domain.files.pending_file import SWEEP_DELAY, FileTarget, PendingFile, ReleasedFile
from stratabase.core.domain.files.stored_file import StoredFile
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import Action, Engine, ExpectationFailed
from stratabase.core.store.file_ledger import EngineFileLedger
from stratabase.core.store.layout import file_entries
from tests.contract.engine.engine_calls import commit, settle
from tests.core.store.failing import FailingEngine, Fault
from tests.fakes import NOON

HOUR = 3_600_000
PHOTO = FileTarget("Photo", "picture")


def upload(number: int = 1, *, member: str = "m1", size: int = 5, at: Instant = NOON) -> PendingFile:
    """Return an upload."""
    file = StoredFile(f"file{number}", "a ☃.png", "image/png", size, at)
    return PendingFile(f"upload{number}", PHOTO, member, file)


def due(engine: Engine, now: Instant) -> list[ReleasedFile]:
    """Return what the ledger lists for the sweep, after its indexes show all commits."""
    return [job.content for job in EngineFileLedger(settle(engine)).released.due(now)]


def condemn_all(engine: Engine, now: Instant) -> None:
    ledger = EngineFileLedger(engine)
    for released in due(engine, now):
        ledger.condemn(released, now)


def is_done(engine: Engine, action: Action) -> bool:
    """Return whether an action's expectation is met. If so, the action is done."""
    try:
        commit(engine, action)
    except ExpectationFailed:
        return False
    return True


def test_uploads_are_returned_in_the_order_of_the_ids(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    one, two = upload(1), upload(2, member="m2")
    ledger.add(one)
    ledger.add(two)

    assert ledger.pending(["upload2", "other", "upload1"]) == [two, None, one]
    assert ledger.pending([]) == []


def test_more_uploads_than_one_read_takes_are_returned(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    uploads = [upload(number) for number in (0, 99, 100, 204)]
    for each in uploads:
        ledger.add(each)
    ids = [f"upload{number}" for number in range(205)]

    found = ledger.pending(ids)

    assert [each for each in found if each is not None] == uploads
    assert ledger.knows(ids) == [each is not None for each in found]


def test_the_bytes_of_a_member_are_those_of_the_uploads_that_no_object_has(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    for number, size in enumerate([1, 20, 300, 4000, 50000]):
        ledger.add(upload(number, size=size))
    ledger.add(upload(9, member="m2", size=7))
    commit(engine, file_entries.take("upload1", NOON))
    ledger.withdraw("upload2")
    settle(engine)

    assert sum(ledger.pending_sizes("m1", "upload3", NOON)) == 1024 + 50000
    assert sum(ledger.pending_sizes("m1", "other", NOON)) == 1024 + 4000 + 50000
    assert sum(ledger.pending_sizes("m2", "upload9", NOON)) == 0
    assert sum(ledger.pending_sizes("m", "", NOON)) == 0
    assert sum(ledger.pending_sizes("m1", "", upload().expires - 1)) == 1024 + 4000 + 50000
    assert sum(ledger.pending_sizes("m1", "", upload().expires)) == 0


@pytest.mark.parametrize(("late", "is_taken"), [(-1, True), (0, False), (SWEEP_DELAY, False)])
def test_an_object_takes_an_upload_once_before_it_expires(engine: Engine, late: int, is_taken: bool) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)
    now = pending.expires + late

    assert is_done(engine, file_entries.take(pending.id, now)) == is_taken
    assert not is_done(engine, file_entries.take(pending.id, now))
    assert ledger.knows([pending.id]) == [not is_taken]


def test_an_upload_that_is_not_in_the_ledger_cannot_be_taken(engine: Engine) -> None:
    assert not is_done(engine, file_entries.take("upload1", NOON))


def test_an_upload_is_due_some_time_after_it_has_expired(engine: Engine) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)
    hour = pending.expires + SWEEP_DELAY

    assert due(engine, hour - 1) == []
    assert due(engine, hour) == [ReleasedFile("upload1", "upload1", "file1")]


def test_a_released_file_is_due_at_once(engine: Engine) -> None:
    commit(engine, file_entries.release("file1"))

    assert due(engine, 0) == [ReleasedFile("file1", None, "file1")]


def test_a_withdrawn_upload_is_due_at_once(engine: Engine) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)

    ledger.withdraw(pending.id)

    assert ledger.pending([pending.id]) == [None]
    assert ledger.knows([pending.id]) == [True]
    assert not is_done(engine, file_entries.take(pending.id, NOON))
    assert due(engine, 0) == [ReleasedFile("upload1", "upload1", "file1")]


def test_withdrawing_what_is_not_pending_changes_nothing(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    commit(engine, file_entries.release("file1"))
    ledger.add(upload(at=0))
    condemn_all(engine, HOUR + SWEEP_DELAY)

    before = due(engine, NOON)

    for id_ in ("file1", "upload1", "other"):
        ledger.withdraw(id_)

    assert due(engine, NOON) == before
    assert ledger.knows(["file1", "upload1", "other"]) == [True, True, False]


def test_a_condemned_entry_is_due_with_the_instant_of_its_removal(engine: Engine) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)
    commit(engine, file_entries.release("file2"))
    now = pending.expires + SWEEP_DELAY

    condemn_all(engine, now)

    assert not is_done(engine, file_entries.take(pending.id, NOON))
    assert ledger.pending([pending.id]) == [None]
    assert due(engine, 0) == [
        ReleasedFile("file2", None, "file2", now + SWEEP_DELAY),
        ReleasedFile("upload1", "upload1", "file1", now + SWEEP_DELAY),
    ]
    assert sum(ledger.pending_sizes("m1", "", NOON)) == 0


def test_an_entry_that_a_wrong_clock_has_condemned_is_condemned_again(engine: Engine) -> None:
    commit(engine, file_entries.release("file1"))
    condemn_all(engine, 2 * NOON)

    condemn_all(engine, NOON)

    assert due(engine, 0) == [ReleasedFile("file1", None, "file1", NOON + SWEEP_DELAY)]


def test_an_entry_that_is_not_due_is_not_condemned(engine: Engine) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)
    released = ReleasedFile(pending.id, pending.id, pending.file.file_id)

    ledger.condemn(released, pending.expires + SWEEP_DELAY - 1)

    assert ledger.pending([pending.id]) == [pending]
    assert is_done(engine, file_entries.take(pending.id, NOON))


def test_an_upload_that_an_object_has_taken_is_not_condemned(engine: Engine) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)
    (released,) = due(engine, NOON + 2 * HOUR)
    commit(engine, file_entries.take(pending.id, NOON))

    ledger.condemn(released, NOON + 2 * HOUR)

    assert ledger.knows([pending.id]) == [False]
    assert due(engine, NOON + 9 * HOUR) == []


def test_a_forgotten_entry_is_gone(engine: Engine) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)
    commit(engine, file_entries.release("file2"))
    now = NOON + 2 * HOUR
    condemn_all(engine, now)

    for released in due(engine, now + SWEEP_DELAY):
        ledger.forget(released)
        ledger.forget(released)

    assert ledger.knows([pending.id, "file2"]) == [False, False]
    assert due(engine, now + HOUR) == []


def test_an_entry_that_is_not_condemned_is_not_forgotten(engine: Engine) -> None:
    ledger, pending = EngineFileLedger(engine), upload()
    ledger.add(pending)

    ledger.forget(ReleasedFile(pending.id, pending.id, pending.file.file_id))

    assert ledger.pending([pending.id]) == [pending]


def test_the_sweep_gets_what_is_due_in_the_order_of_its_time(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    ledger.add(upload(3, at=NOON))
    commit(engine, file_entries.release("file2"))
    ledger.add(upload(1, at=9))
    ledger.add(upload(4, at=NOON - 1))
    ledger.withdraw("upload4")

    assert [each.file_id for each in due(engine, NOON + 2 * HOUR)] == ["file2", "file4", "file1", "file3"]


def test_more_entries_than_a_page_has_are_due(engine: Engine) -> None:
    for number in range(150):
        commit(engine, file_entries.release(f"file{number:03}"))

    assert [each.file_id for each in due(engine, NOON)] == [f"file{number:03}" for number in range(150)]


@pytest.mark.parametrize("is_answer_lost", [False, True])
@pytest.mark.parametrize(
    "method", ["add", "pending", "pending_sizes", "withdraw", "due", "condemn", "forget"]
)
def test_a_store_that_fails_is_unavailable_and_the_call_can_be_repeated(
    engine: Engine, method: str, is_answer_lost: bool
) -> None:
    pending, now = upload(), NOON + 2 * HOUR
    released = ReleasedFile(pending.id, pending.id, pending.file.file_id)
    sound = EngineFileLedger(engine)
    if method != "add":
        sound.add(pending)
    if method == "forget":
        sound.condemn(released, now)

    def call(ledger: EngineFileLedger) -> object:
        calls: dict[str, Callable[[], object]] = {
            "add": lambda: ledger.add(pending),
            "pending": lambda: ledger.pending([pending.id]),
            "pending_sizes": lambda: ledger.pending_sizes("m1", "", NOON),
            "withdraw": lambda: ledger.withdraw(pending.id),
            "due": lambda: list(ledger.released.due(now)),
            "condemn": lambda: ledger.condemn(released, now),
            "forget": lambda: ledger.forget(released),
        }
        return calls[method]()

    with pytest.raises(Unavailable):
        call(EngineFileLedger(FailingEngine(engine, Fault(0, after=is_answer_lost))))
    call(sound)

    expected = {
        "withdraw": [ReleasedFile(pending.id, pending.id, pending.file.file_id)],
        "condemn": [released._replace(removal=now + SWEEP_DELAY)],
        "forget": [],
    }
    assert due(engine, now) == expected.get(method, [released])
    assert sound.knows([pending.id]) == [method != "forget"]


def test_a_hold_lasts_until_its_end_and_is_never_shortened(engine: Engine) -> None:
    ledger = EngineFileLedger(engine)
    assert not ledger.is_held(NOON)

    ledger.hold(NOON + HOUR)
    ledger.hold(NOON + 1)

    assert [ledger.is_held(NOON + each) for each in (0, HOUR - 1, HOUR)] == [True, True, False]
