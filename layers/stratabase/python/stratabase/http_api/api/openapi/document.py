"""The OpenAPI 3.1 document of a set of endpoints."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from stratabase.domain.member import Caller
from stratabase.http_api.api.openapi.paths import FORMAT, PathItems
from stratabase.http_api.api.openapi.responses import CommonResponses
from stratabase.http_api.api.openapi.schemas import Schemas
from stratabase.http_api.http import etag
from stratabase.http_api.http.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.http_api.http.messages import Request, Response

_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token from /public/token/getJwtToken.",
    },
    "basic": {"type": "http", "scheme": "basic", "description": "The username and the password, in UTF-8."},
}
_ABOUT = """\
Every address answers OPTIONS, without credentials, with 204 and the methods that it knows in Allow, and \
HEAD wherever a GET does nothing but read; both are left out here, since they are the same everywhere. A \
method that an address does not know is answered with 405 and Allow.

XML has the names of JSON as elements; a field that is null is an empty element. Bodies are in UTF-8 and \
have at most 64 KB (but for GraphQL); each field comes once; XML has neither a DOCTYPE nor attributes."""


@dataclass(frozen=True, slots=True)
class ServiceInfo:
    """What a document says of the service as a whole."""

    application: str
    version: str
    schemes: tuple[str, ...]
    """How callers are known, as the Authorization header names it."""


def openapi_document(service: ServiceInfo, endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Return the document, but for the service's address. Raises ValueError when endpoints contradict."""
    schemas = Schemas()
    refusals = CommonResponses(schemas)
    paths = PathItems(service.schemes, schemas, refusals)
    made = {endpoint.resource: paths.of(endpoint) for endpoint in endpoints}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"Stratabase: {service.application}",
            "version": service.version,
            "description": _ABOUT,
        },
        "paths": dict(sorted(made.items())),
        "components": {
            "schemas": schemas.components(),
            "responses": refusals.components(),
            "parameters": {"format": FORMAT},
            "securitySchemes": {name: _SCHEMES[name.lower()] for name in service.schemes},
        },
    }


_TAG = {"ETag": "Changes with the document."}
_ANSWERS = {
    200: ResponseSpec("This document.", "application/json", _TAG),
    304: ResponseSpec("The document is the one that the client has.", headers=_TAG),
}
_SUMMARY = "What this service answers where, as an OpenAPI document."


def openapi_endpoint(service: ServiceInfo, others: Callable[[], Iterable[Endpoint]]) -> Endpoint:
    """Return the endpoint that describes itself and the others, which are asked for when it is first read."""

    @lru_cache(maxsize=8)
    def written(base_url: str) -> bytes:
        return orjson.dumps({**described(), "servers": [{"url": base_url}]})

    @lru_cache(maxsize=1)
    def described() -> dict[str, Any]:
        return openapi_document(service, (*others(), endpoint))

    def show(request: Request, _: Caller | None) -> Response:
        return etag.cacheable_response(request, "application/json", written(request.base_url))

    operation = Operation(
        show, "readOpenApi", _SUMMARY, _ANSWERS, error_format=ErrorFormat.PROBLEM_JSON, has_format=False
    )
    endpoint = Endpoint("/public/openapi.json", {"GET": operation})
    return endpoint
