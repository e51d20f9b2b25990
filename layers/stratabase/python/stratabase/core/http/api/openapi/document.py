"""The OpenAPI 3.1 document of a set of endpoints, and the endpoint that serves it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.http.api.openapi.paths import FORMAT_PARAMETER, PathItems
from stratabase.core.http.api.openapi.responses import CommonResponses
from stratabase.core.http.api.openapi.schemas import Schemas
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, ResponseSpec
from stratabase.core.http.base.etag import cacheable_response
from stratabase.core.http.base.messages import Request, Response

_SECURITY_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token from /public/token/getJwtToken.",
    },
    "basic": {"type": "http", "scheme": "basic", "description": "The username and the password, in UTF-8."},
}
_DESCRIPTION = """\
Every address supports OPTIONS without credentials: the response is 204 with the supported methods in Allow. \
Every address whose GET only reads also supports HEAD. This document omits both methods. The response to an \
unsupported method is 405 with Allow.

XML uses the names of JSON as elements. An empty element stands for null. Bodies are in UTF-8 and have at \
most 64 KB, except for GraphQL and uploads. Each field occurs only once. XML has neither a DOCTYPE nor \
attributes."""


@dataclass(frozen=True, slots=True)
class ServiceInfo:
    """The facts about the service that the document states: its name, version and authentication schemes.

    `schemes` has the names of the authentication schemes, in lower case.
    """

    application: str
    version: str
    schemes: tuple[str, ...]


def openapi_document(service: ServiceInfo, endpoints: Mapping[str, Endpoint]) -> dict[str, Any]:
    """Return the OpenAPI document of a service, without its URL. `endpoints` has the endpoints by address.

    Raises ValueError if two different shapes have the same name, or if a path parameter has no description.
    """
    schemas = Schemas()
    common_responses = CommonResponses(schemas)
    path_items = PathItems(service.schemes, schemas, common_responses)
    paths = {address: path_items.render(address, endpoint) for address, endpoint in endpoints.items()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"Stratabase: {service.application}",
            "version": service.version,
            "description": _DESCRIPTION,
        },
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": schemas.components(),
            "responses": common_responses.components(),
            "parameters": {"format": FORMAT_PARAMETER},
            "securitySchemes": {name: _SECURITY_SCHEMES[name.lower()] for name in service.schemes},
        },
    }


def openapi_endpoint(service: ServiceInfo, endpoints: Callable[[], Mapping[str, Endpoint]]) -> Endpoint:
    """Return the endpoint that serves the OpenAPI document.

    `endpoints()` returns the endpoints by address. It is called once, on the first request.
    """

    @lru_cache(maxsize=1)
    def document() -> dict[str, Any]:
        return openapi_document(service, endpoints())

    @lru_cache(maxsize=8)
    def render(base_url: str) -> bytes:
        return orjson.dumps({**document(), "servers": [{"url": base_url}]})

    def read_openapi(request: Request, _: Caller | None) -> Response:
        return cacheable_response(request, "application/json", render(request.base_url))

    tag = {"ETag": "Changes with the document."}
    operation = Operation(
        read_openapi,
        "readOpenApi",
        "The API of this service as an OpenAPI document.",
        {
            200: ResponseSpec("This document.", "application/json", tag),
            304: ResponseSpec("The document has not changed.", headers=tag),
        },
        error_format=ErrorFormat.PROBLEM_JSON,
        has_format=False,
    )
    return Endpoint({"GET": operation})
