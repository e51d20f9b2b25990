"""A GraphQL request as it comes over HTTP: in a JSON body, or in the query."""

from collections.abc import Mapping
from typing import Any

from stratabase.edge import media_type
from stratabase.edge.exact_json import exact_json
from stratabase.edge.kind import kind
from stratabase.edge.refusals import Malformed, UnsupportedMediaType
from stratabase.edge.request import Request
from stratabase.edge.strict_json import check_keys
from stratabase.frozen import frozen

_OBJECT = (dict, "a JSON object")
_TEXT = (str, "a string")
_FIELDS: Mapping[str, tuple[type, str]] = {
    "query": _TEXT,
    "variables": _OBJECT,
    "operationName": _TEXT,
    "extensions": _OBJECT,
}


@frozen
class GraphQLRequest:
    """A document, values for its variables, and which of its operations is meant."""

    query: str
    variables: Mapping[str, Any] | None
    operation_name: str | None


def from_body(request: Request) -> GraphQLRequest:
    """Read the body of a POST. Raises Malformed, UnsupportedMediaType."""
    _require_json(request)
    body = _json(request.body, "body")
    if isinstance(body, list):
        raise Malformed("Batches are not answered here; send one request for each operation.")
    if not isinstance(body, dict):
        raise Malformed(f"The body must be a JSON object, not {kind(body)}.")
    return _checked(body)


def from_query(request: Request) -> GraphQLRequest:
    """Read the query of a GET; `variables` and `extensions` are JSON there. Raises Malformed."""
    given = {name: text for name in _FIELDS if (text := _single(request, name))}
    return _checked(
        {name: _json(text, name) if _FIELDS[name] is _OBJECT else text for name, text in given.items()}
    )


def _require_json(request: Request) -> None:
    content_type = media_type.parse(request.header("content-type") or "")
    if content_type.name != "application/json":
        raise UnsupportedMediaType("The body must be JSON, and Content-Type must say application/json.")
    if content_type.parameters.get("charset", "utf-8") != "utf-8":
        raise UnsupportedMediaType("The body must be in UTF-8, and the charset of Content-Type utf-8.")


def _single(request: Request, name: str) -> str:
    values = request.query.get(name, ("",))
    if len(values) != 1:
        raise Malformed(f'The parameter "{name}" is given {len(values)} times; give it once.')
    return values[0]


def _json(text: str | bytes, place: str) -> Any:
    try:
        read = exact_json(text)
        check_keys(text, read, place if place == "body" else f'parameter "{place}"')
    except ValueError as error:
        raise Malformed(f'The request\'s "{place}" is not JSON: {error}.') from None
    except RecursionError:
        raise Malformed(f'The request\'s "{place}" is not JSON: it is nested too deeply.') from None
    return read


def _checked(fields: Mapping[str, Any]) -> GraphQLRequest:
    for name, (type_, wanted) in _FIELDS.items():
        value = fields.get(name)
        if value is not None and not isinstance(value, type_):
            raise Malformed(f'"{name}" must be {wanted}, not {kind(value)}.')
    if fields.get("query") is None:
        raise Malformed('"query" is missing; it must be a string that holds a GraphQL document.')
    return GraphQLRequest(fields["query"], fields.get("variables"), fields.get("operationName"))
