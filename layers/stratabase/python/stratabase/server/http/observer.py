"""The observer of requests: makes the record of each request for the access log and the metrics.

Without any of them there is no observer, so requests have no cost for it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from stratabase.core.domain.query.taken_plan import TakenPlan
from stratabase.core.observe import Log
from stratabase.core.request_log import RequestRecord, RequestUsage, record_usage
from stratabase.core.store.query.planner import record_plans
from stratabase.server.http.request import HttpRequest

CLIENT_LEFT = 499
"""The status in records of requests whose client has left before the response, as in nginx."""
NO_ROUTE = "-"
"""The route in records of requests that the server refuses before it knows the route."""

WriteRecord = Callable[[RequestRecord], None]


class ObservedWork:
    """What the endpoint has done for a request so far."""

    __slots__ = ("plans", "usage")

    def __init__(self) -> None:
        self.usage = RequestUsage()
        self.plans: dict[str, None] = {}
        """The query plans in the order of their first use. They are descriptions without values."""


class RequestObserver:
    """Makes records of requests, and passes them on.

    `slow_milliseconds`: the duration from which on a request is logged with its query plans; 0 means never.
    """

    def __init__(self, writers: Sequence[WriteRecord], log: Log, slow_milliseconds: float = 0) -> None:
        self._writers = writers
        self._log = log
        self._slow_milliseconds = slow_milliseconds

    @contextmanager
    def observe_work(self, work: ObservedWork) -> Iterator[None]:
        """Record in `work` what happens inside the `with` block."""

        def note_plan(plan: TakenPlan) -> None:
            work.plans[f"{plan.class_name}: {plan.description}"] = None

        with ExitStack() as stack:
            work.usage = stack.enter_context(record_usage())
            if self._slow_milliseconds:
                stack.enter_context(record_plans(note_plan))
            yield

    def observe(
        self,
        request: HttpRequest,
        trace_id: str,
        status: int,
        milliseconds: float,
        work: ObservedWork,
    ) -> None:
        """Record a request that was answered."""
        route = NO_ROUTE if request.match is None else request.match.resource
        client = request.addresses.client
        record = RequestRecord(route, request.method, trace_id, status, milliseconds, work.usage, client)
        for write in self._writers:
            write(record)
        if self._slow_milliseconds and milliseconds >= self._slow_milliseconds:
            fields = record.fields()
            del fields["traceId"]
            self._log.warning(
                "Slow request",
                trace_id=trace_id,
                **fields,
                milliseconds=round(milliseconds, 3),
                plans=list(work.plans),
            )

    def observe_refusal(self, request: HttpRequest, trace_id: str, status: int) -> None:
        """Record a request that the server refused."""
        self.observe(request, trace_id, status, 0.0, ObservedWork())
