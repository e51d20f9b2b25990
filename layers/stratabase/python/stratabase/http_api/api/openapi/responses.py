"""The statuses that no operation need name, since every one of its kind may answer them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from stratabase.http_api.api.openapi.schemas import Content, Schemas, response
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.http_api.http.error_response import PROBLEM_SHAPE
from stratabase.http_api.http.shape import Shape


class _Common(NamedTuple):
    """A status that may come, and where."""

    name: str
    told: ResponseSpec
    where: Callable[[Endpoint, Operation], bool]
    service: bool = True
    gateway: bool = False
    """Who answers it: the service, in the operation's manner; the gateway, which knows only one."""


def _everywhere(_: Endpoint, __: Operation) -> bool:
    return True


def _for_members(endpoint: Endpoint, _: Operation) -> bool:
    return endpoint.protected


def _with_body(_: Endpoint, operation: Operation) -> bool:
    return operation.body is not None


def _with_parameters(_: Endpoint, operation: Operation) -> bool:
    return operation.has_format or bool(operation.query) or operation.body is not None


_WHO = {"WWW-Authenticate": "The schemes on offer. API Gateway calls it x-amzn-Remapped-WWW-Authenticate."}
_WHEN = {"Retry-After": "When to try again, in seconds."}
_PLAIN = {"Accept-Encoding": "`identity`, where the body came in a coding."}
_TABLE: Mapping[int, _Common] = {
    400: _Common("BadRequest", ResponseSpec("The request cannot be understood."), _with_parameters),
    401: _Common(
        "Unauthorized", ResponseSpec("There are no credentials, or wrong ones.", headers=_WHO), _for_members
    ),
    403: _Common("Forbidden", ResponseSpec("The member may not do this."), _for_members),
    413: _Common(
        "ContentTooLarge", ResponseSpec("The body, or the answer, is too large."), _everywhere, gateway=True
    ),
    415: _Common(
        "UnsupportedMediaType",
        ResponseSpec("The body is in a type or a coding that is not read.", headers=_PLAIN),
        _with_body,
    ),
    429: _Common(
        "TooManyRequests",
        ResponseSpec("Too many wrong passwords, or too many requests.", headers=_WHEN),
        _everywhere,
        gateway=True,
    ),
    431: _Common(
        "HeadersTooLarge",
        ResponseSpec("Request line and headers are too large."),
        _everywhere,
        service=False,
        gateway=True,
    ),
    500: _Common(
        "Failure", ResponseSpec("Something went wrong inside the service."), _everywhere, gateway=True
    ),
    502: _Common(
        "BadGateway", ResponseSpec("The service failed to answer."), _everywhere, service=False, gateway=True
    ),
    503: _Common(
        "Unavailable", ResponseSpec("The service is busy.", headers=_WHEN), _everywhere, gateway=True
    ),
    504: _Common(
        "GatewayTimeout", ResponseSpec("The service took too long."), _everywhere, service=False, gateway=True
    ),
}
_BY_GATEWAY = {"application/problem+json": PROBLEM_SHAPE}
_MANNERS: Mapping[ErrorFormat, Mapping[str, Shape] | str] = {
    ErrorFormat.PROBLEM: {**_BY_GATEWAY, "application/problem+xml": PROBLEM_SHAPE},
    ErrorFormat.PROBLEM_JSON: _BY_GATEWAY,
    ErrorFormat.TEXT: "text/plain",
}
_NAMES = {ErrorFormat.PROBLEM: "", ErrorFormat.PROBLEM_JSON: "InJson", ErrorFormat.TEXT: "InText"}


class CommonResponses:
    """What refusals look like; those that are the same everywhere stand in the document once."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._used: dict[str, dict[str, Any]] = {}

    def of(self, endpoint: Endpoint, operation: Operation) -> dict[int, dict[str, Any]]:
        """Return what an operation may answer though it need not name it, by status."""
        return {
            status: self._reference(status, common, operation.error_format)
            for status, common in _TABLE.items()
            if common.where(endpoint, operation) and status not in operation.responses
        }

    def headers(self, status: int, endpoint: Endpoint, operation: Operation) -> Mapping[str, str]:
        """Return the headers that come with a status, whatever else an operation says of it."""
        common = _TABLE.get(status)
        return common.told.headers if common is not None and common.where(endpoint, operation) else {}

    def content(self, status: int, manner: ErrorFormat) -> Content:
        """Return what the body of a refusal may be."""
        common = _TABLE.get(status)
        by_service = self._schemas.content(_MANNERS[manner]) if common is None or common.service else {}
        by_gateway = self._schemas.content(_BY_GATEWAY) if common is not None and common.gateway else {}
        return {**by_service, **by_gateway}

    def components(self) -> dict[str, dict[str, Any]]:
        """Return those that are referred to, by their names."""
        return dict(sorted(self._used.items()))

    def _reference(self, status: int, common: _Common, manner: ErrorFormat) -> dict[str, Any]:
        name = common.name + (_NAMES[manner] if common.service else "")
        self._used[name] = response(common.told, self.content(status, manner))
        return {"$ref": f"#/components/responses/{name}"}
