"""The schemas and common responses of the OpenAPI document.

Schemas are the JSON Schemas of shapes, with OpenAPI's annotations for XML. No operation has to describe the
common responses, such as 401 and 503.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stratabase.core.http.base.body import BodyFormat
from stratabase.core.http.base.endpoint import ErrorFormat, Operation, ResponseSpec
from stratabase.core.http.base.error_response import PROBLEM_SHAPE
from stratabase.core.http.base.shape import Field, ListShape, Shape

Schema = dict[str, Any]
MediaTypes = Mapping[str, Mapping[str, Schema]]
"""Media Type Objects of OpenAPI (`{"schema": …}`) by media type."""
_ByMedia = Mapping[str, Shape | ListShape]
BodySchema = Shape | ListShape | _ByMedia | tuple[str | _ByMedia, ...] | str | None
"""A body: a shape (in JSON and XML), shapes by media type, one or more media types without shape, or none."""


class Schemas:
    """A collection of the shapes that operations refer to. Each shape becomes one schema."""

    def __init__(self) -> None:
        self._shapes: dict[str, Shape] = {}
        self._request_names: set[str] = set()

    def content(self, body: BodySchema, *, is_request: bool = False) -> MediaTypes:
        """Return the Media Type Objects of a body, and collect its shapes.

        The schema of a request body forbids additional properties, because the service refuses them.
        """
        if body is None:
            return {}
        if isinstance(body, str):
            return {body: {"schema": {"type": "string"}} if body.startswith("text/") else {}}
        if isinstance(body, tuple):
            return {media: content for each in body for media, content in self.content(each).items()}
        if isinstance(body, Mapping):
            return {
                media: {"schema": self._reference(shape, is_request=is_request)}
                for media, shape in body.items()
            }
        schema = self._reference(body, is_request=is_request)
        return {f"application/{body_format.value}": {"schema": schema} for body_format in BodyFormat}

    def components(self) -> dict[str, Schema]:
        """Return all collected schemas by name."""
        return {
            name: _object_schema(shape, closed=name in self._request_names and not shape.open)
            for name, shape in sorted(self._shapes.items())
        }

    def _reference(self, body: Shape | ListShape, *, is_request: bool) -> Schema:
        if isinstance(body, ListShape):
            items = self._reference(body.item, is_request=is_request)
            return {"type": "array", "items": items, "xml": {"name": body.root, "wrapped": True}}
        name = _schema_name(body)
        if self._shapes.setdefault(name, body) != body:
            raise ValueError(f"two shapes are called {name}")
        if is_request:
            self._request_names.add(name)
        for field in body.fields.values():
            for shape in _inner_shapes(field):
                self._reference(shape, is_request=is_request)
        return {"$ref": f"#/components/schemas/{name}"}


def _schema_name(shape: Shape) -> str:
    return shape.name or shape.root.capitalize()


def _inner_shapes(field: Field) -> Iterator[Shape]:
    """Yield the shapes of which a field consists."""
    if field.shape is not None:
        yield field.shape
    if isinstance(field.items, Shape):
        yield field.items
    elif field.items is not None:
        yield from _inner_shapes(field.items)


def _object_schema(shape: Shape, *, closed: bool) -> Schema:
    fields = shape.fields
    required = [name for name, field in fields.items() if field.required]
    return {
        "type": "object",
        "properties": {name: dict(_field_schema(field)) for name, field in fields.items()},
        **({"required": required} if required else {}),
        **({"additionalProperties": False} if closed else {}),
        "xml": {"name": shape.root, **({"namespace": shape.namespace} if shape.namespace else {})},
    }


def _field_schema(field: Field) -> Iterator[tuple[str, object]]:
    if field.shape is not None:
        yield "$ref", f"#/components/schemas/{_schema_name(field.shape)}"
        yield "description", field.description
        return
    yield "type", [field.type, "null"] if field.nullable else field.type
    yield "description", field.description
    if field.format is not None:
        yield "format", field.format
    if field.format == "password":
        yield "writeOnly", True
    if field.max_length is not None:
        yield "maxLength", field.max_length
    if field.values:
        yield "enum", list(field.values)
    if isinstance(field.items, Shape):
        yield "items", {"$ref": f"#/components/schemas/{_schema_name(field.items)}"}
    elif field.items is not None:
        yield "items", dict(_field_schema(field.items))
    if field.example is not None:
        yield "examples", [field.example]


def render_response(spec: ResponseSpec, content: MediaTypes) -> dict[str, Any]:
    """Return the OpenAPI Response Object of a response. `content` has the Media Type Objects of its body."""
    headers = {
        name: {"description": about, "schema": {"type": "string"}} for name, about in spec.headers.items()
    }
    return {
        "description": spec.description,
        **({"headers": headers} if headers else {}),
        **({"content": content} if content else {}),
    }


class _CommonResponse(NamedTuple):
    """A response that many operations share.

    `name` is its name in the document. `applies(operation, protected)` tells whether an operation can return
    it. The response comes from the service (in the error format of the operation), from the gateway (always
    in JSON), or from both.
    """

    name: str
    spec: ResponseSpec
    applies: Callable[[Operation, bool], bool]
    by_service: bool = True
    by_gateway: bool = False


def _always(_: Operation, __: bool) -> bool:  # noqa: FBT001 - the table calls it by position
    return True


def _if_protected(_: Operation, protected: bool) -> bool:  # noqa: FBT001 - the table calls it by position
    return protected


def _if_body(operation: Operation, _: bool) -> bool:  # noqa: FBT001 - the table calls it by position
    return operation.body is not None


def _if_input(operation: Operation, _: bool) -> bool:  # noqa: FBT001 - the table calls it by position
    return operation.has_format or bool(operation.query) or operation.body is not None


_CHALLENGES = {
    "WWW-Authenticate": "The supported schemes. API Gateway calls it x-amzn-Remapped-WWW-Authenticate."
}
_RETRY_AFTER = {"Retry-After": "When to try again, in seconds."}
_ACCEPT_ENCODING = {"Accept-Encoding": "`identity`, if the request body had a content encoding."}

_COMMON_RESPONSES: Mapping[int, _CommonResponse] = {
    400: _CommonResponse("BadRequest", ResponseSpec("The request is not valid."), _if_input),
    401: _CommonResponse(
        "Unauthorized",
        ResponseSpec("The credentials are missing or wrong.", headers=_CHALLENGES),
        _if_protected,
    ),
    403: _CommonResponse("Forbidden", ResponseSpec("The member does not have permission."), _if_protected),
    413: _CommonResponse(
        "ContentTooLarge",
        ResponseSpec("The request body or the response is too large."),
        _always,
        by_gateway=True,
    ),
    415: _CommonResponse(
        "UnsupportedMediaType",
        ResponseSpec(
            "The media type or the content coding of the body is not supported.", headers=_ACCEPT_ENCODING
        ),
        _if_body,
    ),
    429: _CommonResponse(
        "TooManyRequests",
        ResponseSpec("Too many failed sign-in attempts or too many requests.", headers=_RETRY_AFTER),
        _always,
        by_gateway=True,
    ),
    431: _CommonResponse(
        "HeadersTooLarge",
        ResponseSpec("The request line and the headers are too large."),
        _always,
        by_service=False,
        by_gateway=True,
    ),
    500: _CommonResponse("Failure", ResponseSpec("The service failed."), _always, by_gateway=True),
    502: _CommonResponse(
        "BadGateway",
        ResponseSpec("The service did not respond."),
        _always,
        by_service=False,
        by_gateway=True,
    ),
    503: _CommonResponse(
        "Unavailable", ResponseSpec("The service is busy.", headers=_RETRY_AFTER), _always, by_gateway=True
    ),
    504: _CommonResponse(
        "GatewayTimeout",
        ResponseSpec("The service took too long."),
        _always,
        by_service=False,
        by_gateway=True,
    ),
}
_GATEWAY_BODY = {"application/problem+json": PROBLEM_SHAPE}
_SERVICE_BODIES: Mapping[ErrorFormat, Mapping[str, Shape] | str] = {
    ErrorFormat.PROBLEM: {**_GATEWAY_BODY, "application/problem+xml": PROBLEM_SHAPE},
    ErrorFormat.PROBLEM_JSON: _GATEWAY_BODY,
    ErrorFormat.TEXT: "text/plain",
}
_NAME_SUFFIXES = {ErrorFormat.PROBLEM: "", ErrorFormat.PROBLEM_JSON: "InJson", ErrorFormat.TEXT: "InText"}


class CommonResponses:
    """A collection of the common responses that operations refer to. Each becomes one component."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._components: dict[str, dict[str, Any]] = {}

    def references(self, operation: Operation, *, protected: bool) -> dict[int, dict[str, Any]]:
        """Return references to the common responses that an operation does not describe, by status."""
        return {
            status: self._reference(status, common, operation.error_format)
            for status, common in _COMMON_RESPONSES.items()
            if common.applies(operation, protected) and status not in operation.responses
        }

    def headers(self, status: int, operation: Operation, *, protected: bool) -> Mapping[str, str]:
        """Return the headers of the common response with a status: descriptions by header name.

        They apply even if the operation describes the response itself.
        """
        common = _COMMON_RESPONSES.get(status)
        return common.spec.headers if common is not None and common.applies(operation, protected) else {}

    def content(self, status: int, error_format: ErrorFormat) -> MediaTypes:
        """Return the Media Type Objects of an error response."""
        common = _COMMON_RESPONSES.get(status)
        by_service = common is None or common.by_service
        by_gateway = common is not None and common.by_gateway
        return {
            **(self._schemas.content(_SERVICE_BODIES[error_format]) if by_service else {}),
            **(self._schemas.content(_GATEWAY_BODY) if by_gateway else {}),
        }

    def components(self) -> dict[str, dict[str, Any]]:
        """Return all collected responses by name."""
        return dict(sorted(self._components.items()))

    def _reference(self, status: int, common: _CommonResponse, error_format: ErrorFormat) -> dict[str, Any]:
        name = common.name + (_NAME_SUFFIXES[error_format] if common.by_service else "")
        self._components[name] = render_response(common.spec, self.content(status, error_format))
        return {"$ref": f"#/components/responses/{name}"}
