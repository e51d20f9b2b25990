"""What a provider publishes, such as its keys: read again from time to time, and kept while that fails."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import Clock
from stratabase.members.providers.refusals import ProviderFault, ProviderUnavailable
from stratabase.members.sign_in.cache import SingleFlight

PUBLISHED_FRESHNESS = 3_600_000
"""Milliseconds for which a value counts as current."""
PUBLISHED_STALENESS = 24 * 3_600_000
"""Milliseconds since it was read for which a value is used while it can't be read again."""
REREAD_INTERVAL = 60_000
"""Milliseconds between two attempts to read a value again."""
FIRST_READ_INTERVAL = 10_000
"""Milliseconds between two attempts as long as none has succeeded, or the value is too old to use."""
_ALL = b"all"

P = TypeVar("P")
ReportFault = Callable[[ProviderUnavailable], None]


class _Failure(NamedTuple):
    fault: ProviderFault
    detail: str


class _Read(NamedTuple, Generic[P]):
    value: P
    at: Instant


class Published(Generic[P]):
    """A value that `read` gets from a provider, which several threads can use.

    `read` raises ProviderUnavailable, which `report` gets, also if an earlier value is used instead.
    """

    def __init__(self, read: Callable[[], P], clock: Clock, report: ReportFault) -> None:
        self._read = read
        self._clock = clock
        self._report = report
        self._last: _Read[P] | None = None
        self._tried: Instant | None = None
        self._failure: _Failure | None = None
        self._single_flight: SingleFlight[P] = SingleFlight()

    def current(self) -> P:
        """Return the value, which was read at most an hour ago, or a day if it can't be read.

        Raises ProviderUnavailable.
        """
        last = self._last
        if last is not None and self._is_within(last.at, PUBLISHED_FRESHNESS):
            return last.value
        interval = FIRST_READ_INTERVAL if self._usable() is None else REREAD_INTERVAL
        return self._read_unless_tried_within(interval)

    def newest(self) -> P:
        """Return the value, which is read again unless that was tried in the last minute.

        It is for those who look for something that the present value lacks. Raises ProviderUnavailable.
        """
        self.current()
        return self._read_unless_tried_within(REREAD_INTERVAL)

    def _read_unless_tried_within(self, interval: int) -> P:
        if self._is_within(self._tried, interval):
            return self._kept()
        return self._single_flight(_ALL, lambda: self._read_now(interval))

    def _read_now(self, interval: int) -> P:
        # Another thread may have read after this one has looked.
        if not self._is_within(self._tried, interval):
            try:
                self._last = _Read(self._read(), self._clock.now())
                self._failure = None
            except ProviderUnavailable as error:
                self._failure = _Failure(error.fault, error.detail)
                self._report(error)
            finally:
                self._tried = self._clock.now()
        return self._kept()

    def _kept(self) -> P:
        """Return the last value if it is not too old. Raises ProviderUnavailable with the last failure."""
        last, failure = self._usable(), self._failure
        if last is not None:
            return last.value
        raise ProviderUnavailable(*(failure or _Failure(ProviderFault.UNREACHABLE, "nothing was read yet")))

    def _usable(self) -> _Read[P] | None:
        last = self._last
        return last if last is not None and self._is_within(last.at, PUBLISHED_STALENESS) else None

    def _is_within(self, instant: Instant | None, interval: int) -> bool:
        # If the clock was set back, an instant in the future counts as long ago.
        return instant is not None and 0 <= self._clock.now() - instant < interval
