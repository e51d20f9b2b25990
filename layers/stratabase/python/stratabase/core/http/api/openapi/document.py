"""The OpenAPI 3.1 document of a set of endpoints, and the endpoint that serves it."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.http.api.openapi.responses import CommonResponses, Schemas, render_response
from stratabase.core.http.base.endpoint import (
    Endpoint,
    ErrorFormat,
    Operation,
    Parameter,
    ResponseSpec,
    is_protected,
)
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.base.preconditions import cacheable_response
from stratabase.values.frozen import frozen

FORMAT_PARAMETER = {
    "name": "format",
    "in": "query",
    "description": "The format of the bodies of the request and of the response.",
    "schema": {"type": "string", "enum": ["json", "xml"], "default": "json"},
}
_PATH_PARAMETER = re.compile(r"{(\w+)\+?}")
"""Matches a parameter of an address. OpenAPI has no way to say that one takes several segments."""


@frozen
class PathItems:
    """Renders path items, and adds the schemas and responses that they share to the given collections."""

    schemes: tuple[str, ...]
    schemas: Schemas
    common_responses: CommonResponses

    def render(self, address: str, endpoint: Endpoint) -> dict[str, Any]:
        """Return the path item of an endpoint. Raises ValueError if a path parameter has no description."""
        parameters = [*_path_parameters(address, endpoint.parameters)]
        operations = {
            method.lower(): self._operation(address, operation)
            for method, operation in endpoint.operations.items()
        }
        return {**({"parameters": parameters} if parameters else {}), **operations}

    def _operation(self, address: str, operation: Operation) -> dict[str, Any]:
        parameters: list[object] = (
            [{"$ref": "#/components/parameters/format"}] if operation.has_format else []
        )
        parameters += [_parameter(name, "query", each) for name, each in operation.query.items()]
        parameters += [_parameter(name, "header", each) for name, each in operation.headers.items()]
        body = self.schemas.content(operation.body, is_request=True)
        protected = is_protected(address)
        return {
            "operationId": operation.id,
            "summary": operation.summary,
            "tags": [_tag(address)],
            "security": [{name: []} for name in self.schemes] if protected else [],
            **({"parameters": parameters} if parameters else {}),
            **({"requestBody": {"required": True, "content": body}} if body else {}),
            "responses": self._responses(operation, protected=protected),
        }

    def _responses(self, operation: Operation, *, protected: bool) -> dict[str, Any]:
        common = self.common_responses.references(operation, protected=protected)
        own = {
            status: self._response(status, spec, operation, protected=protected)
            for status, spec in operation.responses.items()
        }
        return {str(status): response for status, response in sorted({**common, **own}.items())}

    def _response(
        self, status: int, spec: ResponseSpec, operation: Operation, *, protected: bool
    ) -> dict[str, Any]:
        content = self.schemas.content(spec.body)
        if status < 400:
            return render_response(spec, content)
        headers = {**self.common_responses.headers(status, operation, protected=protected), **spec.headers}
        refusal_content = self.common_responses.content(status, operation.error_format)
        return render_response(replace(spec, headers=headers), {**content, **refusal_content})


def _path_parameters(address: str, parameters: Mapping[str, Parameter]) -> Iterator[dict[str, Any]]:
    for name in _PATH_PARAMETER.findall(address):
        if name not in parameters:
            raise ValueError(f"{address} does not say what {name} is")
        yield _parameter(name, "path", parameters[name])


def _parameter(name: str, place: str, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "description": parameter.description,
        **({"required": True} if parameter.required or place == "path" else {}),
        "schema": {"type": "string"},
        **({"example": parameter.example} if parameter.example else {}),
    }


def _tag(address: str) -> str:
    """Return the name under which the document groups an address: its second segment, without a suffix."""
    _, *segments = address.split("/")
    return segments[1].partition(".")[0] if len(segments) > 1 else "start"


_SECURITY_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token from /public/token/getJwtToken, or an API key.",
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


@frozen
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
    paths = {
        documented_address(address): path_items.render(address, endpoint)
        for address, endpoint in endpoints.items()
    }
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


def documented_address(address: str) -> str:
    """Return an address as the document has it: `/a/{rest}` for `/a/{rest+}`."""
    return address.replace("+}", "}")


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
