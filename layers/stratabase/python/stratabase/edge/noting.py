"""What the log is told of a request that is refused, by the front door or by a page."""

from stratabase.domain.refusal import Refusal
from stratabase.edge.refusals import Headers, row
from stratabase.edge.request import Request
from stratabase.observe import Log


def note(log: Log, request: Request, refusal: Refusal) -> None:
    """Log a refusal, as loudly as the table of refusals says."""
    status, _, tell = row(refusal)
    tell(
        log,
        "Refused",
        trace_id=request.trace_id,
        status=status,
        address=request.source_address,
        resource=request.resource,
        reason=str(refusal),
        cause=repr(refusal.__cause__),
    )


def noted(log: Log, request: Request, refusal: Refusal) -> tuple[int, Headers]:
    """Log a refusal, and return the status and the headers of the page that tells of it."""
    note(log, request, refusal)
    status, headers, _ = row(refusal)
    return status, headers(refusal)
