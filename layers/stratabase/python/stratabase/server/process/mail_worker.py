"""A background thread that mails the links of queued requests for as long as the service runs."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Thread
from typing import Self

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import Log, causes
from stratabase.core.operations.ports import Clock
from stratabase.members.app.member_services import MemberServices
from stratabase.members.forgotten_password import ForgottenPassword
from stratabase.members.mailers.sqlite_queue import SqliteMailQueue, TakenRequest
from stratabase.server.process.sweeper import STOP_TIMEOUT
from stratabase.values.clock import SystemClock

MAIL_PERIOD = 60.0
"""The seconds after which the thread looks for requests of processes that ended."""
SendLinks = Callable[[ForgottenPassword], None]
"""Mails the links of a request. Raises Unavailable if a mail cannot be sent."""


class MailWorker:
    """A thread that takes requests from a queue, and repeats those that fail. Use it as a context manager."""

    def __init__(self, queue: SqliteMailQueue, send: SendLinks, clock: Clock, log: Log) -> None:
        self._queue = queue
        self._send = send
        self._clock = clock
        self._log = log
        self._is_ending = False
        self._wake = Event()
        self._thread = Thread(target=self._run, name="mail", daemon=True)

    def __enter__(self) -> Self:
        self._queue.on_put(self._wake.set)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop after the current mail. The queue keeps what is left until the next start."""
        self._is_ending = True
        self._wake.set()
        self._thread.join(STOP_TIMEOUT)  # a mail that takes longer is sent again by the next process

    @property
    def is_running(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def _run(self) -> None:
        while not self._is_ending:
            self._wake.clear()
            try:
                self._mail_all()
                pause = self._pause()
            except Exception as error:  # noqa: BLE001 - the thread must survive; the queue keeps the request
                if not self._is_ending:  # otherwise the queue may be closed by now
                    self._log.error("Queue of emails failed", error=error)
                pause = MAIL_PERIOD
            self._wake.wait(pause)

    def _mail_all(self) -> None:
        """Mail all requests that are due."""
        while not self._is_ending:
            taken = self._queue.take()
            if taken is None:
                return
            self._mail(taken)

    def _mail(self, taken: TakenRequest) -> None:
        try:
            self._send(taken.request)
        except Exception as error:  # noqa: BLE001 - one request must not stop the others
            will_retry = self._queue.postpone(taken)
            # Not the name, which somebody typed: it may be anything, even a password.
            text = "Link not sent yet" if will_retry else "Link not sent, and given up"
            if isinstance(error, Unavailable):
                self._log.warning(text, reason=str(error), causes=causes(error), attempt=taken.failures + 1)
            else:
                self._log.error(text, error=error, attempt=taken.failures + 1)
            return
        self._queue.finish(taken)

    def _pause(self) -> float:
        """Return the seconds until the next request is due, at most MAIL_PERIOD."""
        due = self._queue.next_due()
        return MAIL_PERIOD if due is None else min(MAIL_PERIOD, max(0.0, (due - self._clock.now()) / 1000))


def mail_worker(instance: App) -> AbstractContextManager[object]:
    """Return the worker for the queue of an instance. Without a queue on this machine, it does nothing.

    Raises UnusableStore.
    """
    services = instance.part(MemberServices)
    queue = services.mail_queue
    if not isinstance(queue, SqliteMailQueue):
        return nullcontext()
    return MailWorker(queue, services.mail_forgotten_password, SystemClock(), instance.log)
