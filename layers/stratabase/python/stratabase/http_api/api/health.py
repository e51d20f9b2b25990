"""Whether the service can serve."""

from collections.abc import Callable

from stratabase.domain.member import Caller
from stratabase.http_api.http.body import body_response
from stratabase.http_api.http.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.http_api.http.messages import Request, Response
from stratabase.http_api.http.shape import Field, Shape

_HEALTH = Shape(
    "health",
    {
        "version": Field("The version of the service.", required=True, example="0.1.0"),
        "store": Field("`reachable` or `unreachable`.", required=True, example="reachable"),
    },
)
_ANSWERS = {
    200: ResponseSpec("The service can serve.", _HEALTH),
    503: ResponseSpec("The store does not answer.", _HEALTH),
}


def health_endpoint(version: str, reachable: Callable[[], bool]) -> Endpoint:
    """Return the endpoint that tells the version, and whether the store is `reachable`."""

    def tell(request: Request, _: Caller | None) -> Response:
        status, store = (200, "reachable") if reachable() else (503, "unreachable")
        return body_response(request, status, _HEALTH, {"version": version, "store": store})

    about = "Whether the service can serve, and its version."
    return Endpoint("/public/health", {"GET": Operation(tell, "readHealth", about, _ANSWERS)})
