"""A process that stops at any call loses no uploaded bytes, and leaves none that stay after the sweep."""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratabase.core.domain.files.resumable_upload import MAX_UPLOAD_DURATION, ResumableUpload
from stratabase.core.domain.issues.refusals import OffsetConflict, PendingFileGone
from stratabase.core.operations.files.resumable import Progress
from tests import soak
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.files.file_scenario import HOUR
from tests.core.operations.files.interrupted_stores import (
    Calls,
    InterruptedEngine,
    Interruption,
    ProcessStopped,
)
from tests.core.operations.files.resumable_scenario import CHUNK, PartBlobs, ResumableScenario, small_parts

CONTENT = bytes(range(256)) * 2


@pytest.fixture(autouse=True, scope="module")
def _small_parts() -> Iterator[None]:
    with small_parts():
        yield


class Client:
    """A client that uploads a file, and resumes after the service has stopped."""

    def __init__(self, content: bytes, chunk: int = CHUNK) -> None:
        self.calls = Calls()
        self.scenario = ResumableScenario(
            InterruptedEngine(ReferenceEngine(), self.calls),
            PartBlobs(lambda _: self.calls.run(lambda: None)),
        )
        self.content = content
        self.chunk = chunk
        self.id: str | None = None

    def begin(self) -> Progress:
        """Begin the upload, with the first bytes."""
        begun = self.scenario.begin(len(self.content), self.content[: self.chunk])
        self.id = begun.id
        return begun

    def resume(self) -> None:
        """Send what the service does not have yet."""
        present = self.begin() if self.id is None else self.scenario.progress(self.id)
        while present.offset < present.size:
            present = self.send_next(present)

    def send_next(self, present: Progress) -> Progress:
        """Send the next chunk."""
        chunk = self.content[present.offset : present.offset + self.chunk]
        return self.scenario.append(present.id, present.offset, chunk)

    def stop_before(self, number: int | None) -> None:
        """Let the process stop before the call with a number, counted from now. None: it goes on."""
        if number is None:
            self.calls.go_on()
        else:
            self.calls.interrupt(number, Interruption.STOP)

    def assert_nothing_is_left(self) -> None:
        """After the sweep, no bytes are there, and no entries."""
        self.scenario.clock.instant += MAX_UPLOAD_DURATION + HOUR
        self.scenario.sweep()
        assert self.scenario.stored_keys() == set()
        assert self.scenario.part_blobs.open_uploads() == 0
        assert list(self.scenario.ledger.released.due(10**14)) == []


def _upload(client: Client) -> None:
    client.resume()


def _terminate(client: Client) -> None:
    client.scenario.terminate(client.begin().id)
    client.id = None


def _expire(client: Client) -> None:
    client.send_next(client.begin())
    client.scenario.clock.instant += MAX_UPLOAD_DURATION + HOUR
    client.scenario.sweep()
    client.id = None


@pytest.mark.parametrize(
    ("operation", "size"),
    [
        (_upload, 0),
        (_upload, 40),
        (_upload, 80),
        (_upload, 200),
        (_terminate, 40),
        (_terminate, 200),
        (_expire, 80),
        (_expire, 200),
    ],
)
@pytest.mark.parametrize("is_resumed", [True, False])
def test_a_stop_at_any_call_loses_nothing_and_leaves_nothing(
    operation: Callable[[Client], None], size: int, *, is_resumed: bool
) -> None:
    complete = Client(CONTENT[:size])
    operation(complete)

    for number in range(complete.calls.number + 1):
        client = Client(CONTENT[:size])
        client.stop_before(number)
        with suppress(ProcessStopped):
            operation(client)
        client.stop_before(None)

        if is_resumed and operation is _upload:
            client.resume()
            assert client.scenario.content_of(client.id or "") == client.content
        client.assert_nothing_is_left()


def test_an_upload_that_was_interrupted_at_its_end_is_completed_when_the_client_asks() -> None:
    stops = 0
    for number in range(100):
        client = Client(CONTENT[:80])
        id_ = client.begin().id
        client.stop_before(number)
        with suppress(ProcessStopped):
            client.resume()
        client.stop_before(None)
        found = client.scenario.ledger.find(id_)
        if isinstance(found, ResumableUpload) and found.is_complete:
            stops += 1
            with pytest.raises(PendingFileGone, match="80 of 80"):
                client.scenario.content_of(id_)
            assert client.scenario.progress(id_).offset == 80
            assert client.scenario.content_of(id_) == client.content
    assert stops > 1


@given(
    size=st.integers(0, 400),
    steps=st.lists(st.tuples(st.integers(1, CHUNK), st.integers(0, 12), st.booleans()), max_size=30),
)
@settings(max_examples=soak.count(100, 2000), deadline=None)
def test_random_chunks_stops_and_repetitions_give_the_same_bytes(
    size: int, steps: list[tuple[int, int, bool]]
) -> None:
    client = Client(CONTENT[:size])
    for chunk, number, is_repeated in steps:
        client.chunk = chunk
        client.stop_before(number)
        with suppress(ProcessStopped):
            before = client.begin() if client.id is None else client.scenario.progress(client.id)
            client.send_next(before)
            if is_repeated and before.offset < size:
                with pytest.raises(OffsetConflict):
                    client.send_next(before)
        client.stop_before(None)
    client.chunk = CHUNK

    client.resume()

    assert client.scenario.content_of(client.id or "") == client.content
    client.assert_nothing_is_left()
