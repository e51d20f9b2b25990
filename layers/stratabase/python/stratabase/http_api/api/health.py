"""The health endpoint: reports whether the service can reach its store."""

from collections.abc import Callable

from stratabase.domain.members.member import Caller
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


def health_endpoint(version: str, is_store_reachable: Callable[[], bool]) -> Endpoint:
    """Return the endpoint that reports the version of the service and whether the store responds."""

    def read_health(request: Request, _: Caller | None) -> Response:
        status, store = (200, "reachable") if is_store_reachable() else (503, "unreachable")
        return body_response(request, status, _HEALTH, {"version": version, "store": store})

    operation = Operation(
        read_health,
        "readHealth",
        "The version of the service, and whether it is available.",
        {
            200: ResponseSpec("The service is available.", _HEALTH),
            503: ResponseSpec("The store is not available.", _HEALTH),
        },
    )
    return Endpoint({"GET": operation})
