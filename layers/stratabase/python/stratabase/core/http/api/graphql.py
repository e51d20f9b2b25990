"""The GraphQL endpoint, according to the GraphQL-over-HTTP specification.

Each request takes four steps: negotiate the media type, read the GraphQL request (from the body of a POST or
the query string of a GET), execute it, and render the result.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.idempotency_key import (
    EXAMPLE_KEY,
    IDEMPOTENCY_KEY,
    REPLAYED_HEADER,
    idempotency_key,
)
from stratabase.core.http.base.media_type import best_match, parse_media_type
from stratabase.core.http.base.messages import Headers, Request, Response, last_value
from stratabase.core.http.base.refusals import (
    Malformed,
    MethodNotAllowed,
    NotAcceptable,
    UnknownAddress,
    UnsupportedMediaType,
)
from stratabase.core.http.base.shape import Field, Shape
from stratabase.core.http.base.strict_json import (
    MAX_JSON_DEPTH,
    NumberOutOfRange,
    TooDeep,
    check_charset,
    is_nested_too_deeply,
    json_type_name,
    parse_exact_json,
    require_object,
)
from stratabase.core.operations.graphql_port import Executor, GraphQLResponse, QueriesOnly
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _, or_list
from stratabase.values.text_cache import cache_short_texts

GRAPHQL_RESPONSE_JSON = "application/graphql-response+json"
PLAIN_JSON = "application/json"
"""The legacy media type of GraphQL responses, in which even invalid documents get status 200."""

_REQUEST = Shape(
    "request",
    {
        "query": Field("A GraphQL document.", required=True, example="{ __typename }"),
        "variables": Field("Values for its variables.", "object", nullable=True),
        "operationName": Field("The name of the operation to execute.", nullable=True),
        "extensions": Field("Not used.", "object", nullable=True),
    },
    open=True,
)
_RESULT = Shape(
    "response",
    {
        "data": Field("The requested data.", "object", nullable=True),
        "errors": Field("What went wrong.", "array"),
        "extensions": Field("Additional information.", "object"),
    },
)
_QUERY_STRING = {
    "query": Parameter("A GraphQL document with queries only.", required=True, example="{ __typename }"),
    "variables": Parameter("Values for its variables, a JSON object."),
    "operationName": Parameter("The name of the operation to execute."),
    "extensions": Parameter("A JSON object. Not used."),
}
_HEADERS = {
    IDEMPOTENCY_KEY: Parameter(
        "For mutations: 1 to 255 visible ASCII characters, with or without quotation marks. If your member "
        "repeats the request with this key within 24 hours, it gets the first answer, and nothing is "
        "written.",
        example=EXAMPLE_KEY,
    )
}
_REPLAYED = "`true` if the response is the answer to an earlier request with the same Idempotency-Key."
UNKNOWN_APPLICATION = ResponseSpec("The application does not exist.")
_RESPONSES: Mapping[int, ResponseSpec] = {
    200: ResponseSpec(
        "The document is valid. The response can have errors as well as data.",
        {GRAPHQL_RESPONSE_JSON: _RESULT, PLAIN_JSON: _RESULT},
    ),
    400: ResponseSpec("The document or the request is not valid.", {GRAPHQL_RESPONSE_JSON: _RESULT}),
    404: UNKNOWN_APPLICATION,
    406: ResponseSpec("The client accepts none of the media types of the response."),
    413: ResponseSpec("The response is too large. Request smaller pages."),
}

_OBJECT = (dict, _("a JSON object"))
_TEXT = (str, _("a string"))
_FIELD_TYPES: Mapping[str, tuple[type, Message]] = {
    "query": _TEXT,
    "variables": _OBJECT,
    "operationName": _TEXT,
    "extensions": _OBJECT,
}
"""The Python type of each field of a GraphQL request, and the name of the type in messages."""


def graphql_endpoint(application: str, executor: Executor) -> Endpoint:
    """Return the GraphQL endpoint of an application."""

    def query(request: Request, caller: Caller | None) -> Response:
        require_application(request, application)
        media_type = request.of_headers(_negotiate)
        graphql_request = graphql_request_from_query(request)
        try:
            graphql_response = _execute(executor, request, caller, graphql_request, queries_only=True)
        except QueriesOnly:
            raise MethodNotAllowed(_("Mutations require the POST method."), ("POST",)) from None
        return _render(graphql_response, media_type)

    def execute(request: Request, caller: Caller | None) -> Response:
        require_application(request, application)
        media_type = request.of_headers(_negotiate_with_body)
        graphql_request = graphql_request_from_body(request.body)
        return _render(_execute(executor, request, caller, graphql_request), media_type)

    get = Operation(
        query,
        "query",
        "Query the data of an application.",
        {**_RESPONSES, 405: ResponseSpec("Mutations require the POST method.", headers={"Allow": "POST."})},
        query=_QUERY_STRING,
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
        max_body_size=None,
    )
    post = Operation(
        execute,
        "execute",
        "Query and change the data of an application.",
        {
            **_RESPONSES,
            200: replace(_RESPONSES[200], headers={REPLAYED_HEADER[0]: _REPLAYED}),
            415: ResponseSpec("The request body is not JSON in UTF-8."),
            422: ResponseSpec("The Idempotency-Key was used for another request in the last 24 hours."),
        },
        {"application/json": _REQUEST},
        headers=_HEADERS,
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
        max_body_size=None,
    )
    return Endpoint({"GET": get, "POST": post}, application_parameter(application))


def application_parameter(application: str) -> Mapping[str, Parameter]:
    """Return the definition of the path parameter `application`, by its name."""
    return {
        "application": Parameter(
            "The name of the application, in uppercase or lowercase.", example=application
        )
    }


def require_application(request: Request, application: str) -> None:
    """Raise UnknownAddress unless the path of a request names the application. Case does not matter."""
    name = request.parameters.get("application", "")
    if name != application and name.casefold() != application.casefold():
        message = _(
            'The application "{name}" does not exist. Use "{application}".',
            name=name,
            application=application,
        )
        raise UnknownAddress(message)


def _negotiate(headers: Mapping[str, tuple[str, ...]]) -> str:
    """Return the media type of the response. Raises NotAcceptable."""
    media_type = _best_media_type(",".join(headers.get("accept", ())))
    if media_type is None:
        message = _(
            "The Accept header must allow {media_types}.",
            media_types=or_list([GRAPHQL_RESPONSE_JSON, PLAIN_JSON]),
        )
        raise NotAcceptable(message)
    return media_type


def _negotiate_with_body(headers: Mapping[str, tuple[str, ...]]) -> str:
    """Return the media type of the response, if that of the body is JSON.

    Raises NotAcceptable, UnsupportedMediaType.
    """
    media_type = _negotiate(headers)
    content_type = parse_media_type(last_value(headers, "content-type") or "")
    if content_type.name != "application/json":
        message = _("The request body must be JSON, and the Content-Type header must be application/json.")
        raise UnsupportedMediaType(message)
    check_charset(content_type)
    return media_type


@cache_short_texts(256)
def _best_media_type(accept: str) -> str | None:
    # A client that does not name the modern type may rely on status 200 for errors, so it gets plain JSON.
    accepts_modern = GRAPHQL_RESPONSE_JSON in accept.lower()
    offered = (GRAPHQL_RESPONSE_JSON, PLAIN_JSON) if accepts_modern else (PLAIN_JSON, GRAPHQL_RESPONSE_JSON)
    return best_match(accept, offered)


@frozen
class GraphQLRequest:
    """A GraphQL document, the values of its variables, and the name of the operation to execute."""

    query: str
    variables: Mapping[str, Any] | None
    operation_name: str | None


_BODY = _("The request body")


def graphql_request_from_body(content: bytes) -> GraphQLRequest:
    """Return the GraphQL request in the body of a POST. Raises Malformed."""
    body = _parse_json(content, _BODY)
    if isinstance(body, list):
        raise Malformed(_("Batches are not supported. Send each operation in its own request."))
    return _check_fields(body if isinstance(body, dict) else require_object(body))


def graphql_request_from_query(request: Request) -> GraphQLRequest:
    """Return the GraphQL request in the query string of a GET. Raises Malformed.

    The parameters `variables` and `extensions` contain JSON. An empty parameter counts as missing.
    """
    parameters = {name: text for name in _FIELD_TYPES if (text := _single_value(request, name))}
    fields = {
        name: _parse_json(text, _('The parameter "{name}"', name=name))
        if _FIELD_TYPES[name] is _OBJECT
        else text
        for name, text in parameters.items()
    }
    return _check_fields(fields)


def _single_value(request: Request, name: str) -> str:
    values = request.query.get(name, ("",))
    if len(values) != 1:
        message = _('Specify the parameter "{name}" only once.', name=name)
        raise Malformed(message)
    return values[0]


def _parse_json(text: str | bytes, place: Message) -> Any:
    """Return the value of a JSON text. Raises Malformed.

    `place` is the subject of error messages: "The body", or the name of a parameter.
    """
    try:
        return parse_exact_json(text, place)
    except NumberOutOfRange as error:
        raise Malformed(error.describe(place)) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, TooDeep | RecursionError) or is_nested_too_deeply(text):
            message = _(
                "{place} is nested too deeply. Use at most {limit} levels.", place=place, limit=MAX_JSON_DEPTH
            )
            raise Malformed(message) from None
        raise Malformed(_("{place} is not valid JSON: {error}.", place=place, error=str(error))) from None


def _check_fields(fields: Mapping[str, Any]) -> GraphQLRequest:
    for name, (type_, type_name) in _FIELD_TYPES.items():
        value = fields.get(name)
        if value is not None and not isinstance(value, type_):
            message = _(
                '"{field}" must be {expected}, not {actual}.',
                field=name,
                expected=type_name,
                actual=json_type_name(value),
            )
            raise Malformed(message)
    if fields.get("query") is None:
        raise Malformed(_('"query" is required. It must be a string that contains a GraphQL document.'))
    return GraphQLRequest(fields["query"], fields.get("variables"), fields.get("operationName"))


def _execute(
    executor: Executor,
    request: Request,
    caller: Caller | None,
    graphql_request: GraphQLRequest,
    *,
    queries_only: bool = False,
) -> GraphQLResponse:
    """Execute a GraphQL request. Raises QueriesOnly for a mutation if `queries_only` is set."""
    return executor.execute(
        graphql_request.query,
        graphql_request.variables,
        graphql_request.operation_name,
        require_caller(caller),
        request.trace_id,
        base_url=request.base_url,
        queries_only=queries_only,
        read_key=_key_reader(request, graphql_request) if _KEY_HEADER in request.headers else None,
    )


_KEY_HEADER = IDEMPOTENCY_KEY.lower()


def _key_reader(request: Request, graphql_request: GraphQLRequest) -> Callable[[], IdempotencyKey]:
    """Return the function that reads the idempotency key of a request which has one."""
    query, variables, operation_name = (
        graphql_request.query,
        graphql_request.variables,
        graphql_request.operation_name,
    )
    return lambda: idempotency_key(request, query, variables, operation_name)


_CONTENT_TYPES: Mapping[str, Headers] = {
    each: (("Content-Type", f"{each}; charset=utf-8"),) for each in (GRAPHQL_RESPONSE_JSON, PLAIN_JSON)
}


def _render(graphql_response: GraphQLResponse, media_type: str) -> Response:
    # The specification requires 200 in the legacy media type, even if the response has only errors.
    status = 200 if graphql_response.began or media_type == PLAIN_JSON else 400
    headers = _CONTENT_TYPES[media_type]
    if graphql_response.replayed:
        headers = (*headers, REPLAYED_HEADER)
    compressed = graphql_response.gzipped
    return Response(
        status,
        headers,
        graphql_response.body,
        may_have_written=graphql_response.mutated,
        gzipped=None if compressed is None else lambda: compressed,
    )
