"""The local server mails links in a separate thread, and repeats what fails."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import Log
from stratabase.members.forgotten_password import ForgottenPassword
from stratabase.members.mailers.sqlite_queue import RETRY_DELAYS, SqliteMailQueue
from stratabase.server.process.mail_worker import MailWorker
from stratabase.values.messages import verbatim
from tests.fakes import FrozenClock

PATIENCE = 30
"""Seconds that a test waits for what must come."""
ANNA, BERT = (ForgottenPassword(name, "https://example.com") for name in ("anna", "bert"))


class Sending:
    """Records what is mailed. Each of the first mails may fail."""

    def __init__(self, *failures: Exception, last: int = 1) -> None:
        self.sent: list[ForgottenPassword] = []
        self.done = Event()
        """Set at the last attempt that a test waits for."""
        self._failures = list(failures)
        self._attempts = 0
        self._last = last

    def __call__(self, request: ForgottenPassword) -> None:
        self._attempts += 1
        try:
            if self._failures:
                raise self._failures.pop(0)
            self.sent.append(request)
        finally:
            if self._attempts == self._last:
                self.done.set()


class Worker:
    """The thread over a queue in a file, with a clock that stands still."""

    def __init__(self, folder: Path, name: str) -> None:
        self.clock = FrozenClock()
        self.queue = SqliteMailQueue(folder / "mail-queue.db", self.clock.now, (0, 0))
        self.logged = io.StringIO()
        self._log = Log(stream=self.logged, service=name)

    def run(self, sending: Callable[[ForgottenPassword], None]) -> MailWorker:
        return MailWorker(self.queue, sending, self.clock, self._log)


@pytest.fixture
def worker(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Worker]:
    made = Worker(tmp_path, request.node.name)
    yield made
    made.queue.close()


def test_a_request_is_mailed_at_once(worker: Worker) -> None:
    sending = Sending()
    with worker.run(sending):
        worker.queue.put(ANNA)
        assert sending.done.wait(PATIENCE)
    assert sending.sent == [ANNA]
    assert worker.queue.next_due() is None
    assert worker.logged.getvalue() == ""


def test_what_an_earlier_process_has_left_is_mailed_at_the_start(worker: Worker) -> None:
    worker.queue.put(ANNA)
    sending = Sending()
    with worker.run(sending):
        assert sending.done.wait(PATIENCE)
    assert sending.sent == [ANNA]


@pytest.mark.parametrize(
    "failure", [Unavailable(verbatim("The email couldn't be sent.")), KeyError("a bug")], ids=["mail", "bug"]
)
def test_a_failed_mail_waits_and_others_go_on(failure: Exception, worker: Worker) -> None:
    sending = Sending(failure, last=2)
    worker.queue.put(ANNA)
    worker.queue.put(BERT)
    with worker.run(sending):
        assert sending.done.wait(PATIENCE)
    assert sending.sent == [BERT]
    assert worker.queue.next_due() == worker.clock.instant + RETRY_DELAYS[0]
    assert "Link not sent yet" in worker.logged.getvalue()
    assert "anna" not in worker.logged.getvalue()

    worker.clock.instant += RETRY_DELAYS[0]
    again = Sending()
    with worker.run(again):
        assert again.done.wait(PATIENCE)
    assert again.sent == [ANNA]


def test_after_the_last_attempt_a_request_is_given_up(worker: Worker) -> None:
    worker.queue.put(ANNA)
    for _ in range(len(RETRY_DELAYS) + 1):
        sending = Sending(Unavailable(verbatim("The email couldn't be sent.")))
        with worker.run(sending):
            assert sending.done.wait(PATIENCE)
        worker.clock.instant += max(RETRY_DELAYS)
    assert worker.queue.next_due() is None
    assert worker.logged.getvalue().count("given up") == 1


def test_the_thread_ends_while_it_waits(worker: Worker) -> None:
    with worker.run(Sending()) as running:
        pass
    assert not running.is_running
