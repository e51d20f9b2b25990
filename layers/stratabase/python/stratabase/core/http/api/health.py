"""The health endpoints: whether the process runs, and whether it is ready for requests."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.body import body_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.shape import Field, Shape

_RETRY_AFTER = (("Retry-After", "5"),)
"""The header that tells monitors and clients when to ask again, in seconds."""
_VERSION = Field("The version of the service.", required=True, example="0.1.0")
_LIVENESS = Shape("liveness", {"version": _VERSION})
_HEALTH = Shape(
    "health",
    {
        "version": _VERSION,
        "store": Field("`reachable` or `unreachable`.", required=True, example="reachable"),
        "keys": Field(
            "`unreadable` if the keys that sign tokens can't be read. Otherwise, it is left out.",
            example="unreadable",
        ),
        "stopping": Field("True if the service is about to stop. Otherwise, it is left out.", "boolean"),
    },
)


def liveness_endpoint(version: str) -> Endpoint:
    """Return the endpoint that responds as long as the process runs. It does not use the store."""

    def read_liveness(request: Request, _: Caller | None) -> Response:
        return body_response(request, 200, _LIVENESS, {"version": version})

    operation = Operation(
        read_liveness,
        "readLiveness",
        "The version of the service. It responds as long as the process runs, also without its store.",
        {200: ResponseSpec("The process runs.", _LIVENESS)},
    )
    return Endpoint({"GET": operation})


def health_endpoint(
    version: str,
    is_store_reachable: Callable[[], bool],
    find_problems: Callable[[], Mapping[str, str]],
    is_stopping: Callable[[], bool],
) -> Endpoint:
    """Return the endpoint that reports the version of the service and whether it is ready for requests.

    It is ready if the store responds and there are no other problems, unless the service is about to stop.
    `find_problems` returns problems by the field that says so.
    """

    def read_health(request: Request, _: Caller | None) -> Response:
        is_reachable = is_store_reachable()
        content: dict[str, Any] = {
            "version": version,
            "store": "reachable" if is_reachable else "unreachable",
        }
        problems = find_problems()
        content |= problems
        if stopping := is_stopping():
            content["stopping"] = True
        if is_reachable and not problems and not stopping:
            return body_response(request, 200, _HEALTH, content)
        response = body_response(request, 503, _HEALTH, content)
        return response.with_headers((*response.headers, *_RETRY_AFTER))

    operation = Operation(
        read_health,
        "readHealth",
        "The version of the service, and whether it is ready for requests.",
        {
            200: ResponseSpec("The service is ready.", _HEALTH),
            503: ResponseSpec(
                "The store or the keys that sign tokens are not available, or the service is about to stop.",
                _HEALTH,
            ),
        },
    )
    return Endpoint({"GET": operation})
