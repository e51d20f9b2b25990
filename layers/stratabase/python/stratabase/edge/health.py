"""Whether the service can serve."""

from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.format import asked, written
from stratabase.edge.request import Request
from stratabase.edge.response import Response


def health_endpoint(version: str, reachable: Callable[[], bool]) -> Endpoint:
    """Return the endpoint that tells the version, and whether the store is `reachable`."""

    def tell(request: Request, _: Caller | None) -> Response:
        form = asked(request)
        status, store = (200, "reachable") if reachable() else (503, "unreachable")
        body = written(form, "health", {"version": version, "store": store})
        return Response(status, (("Content-Type", f"application/{form.value}"),), body)

    return Endpoint("/public/health", {"GET": tell})
