"""What the OpenAPI document says of an address and its methods."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from stratabase.http_api.api.openapi.responses import CommonResponses
from stratabase.http_api.api.openapi.schemas import Schemas, response
from stratabase.http_api.http.endpoint import Endpoint, Operation, Parameter, ResponseSpec

FORMAT = {
    "name": "format",
    "in": "query",
    "description": "The form of the bodies, of the request and of the answer.",
    "schema": {"type": "string", "enum": ["json", "xml"], "default": "json"},
}
_IN_ADDRESS = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class PathItems:
    """Describes endpoints; what several of them share is left to the schemas and the refusals."""

    schemes: tuple[str, ...]
    schemas: Schemas
    refusals: CommonResponses

    def of(self, endpoint: Endpoint) -> dict[str, Any]:
        """Return an address. Raises ValueError when it does not say what one of its parameters is."""
        parameters = [_parameter(name, "path", about) for name, about in _in_address(endpoint)]
        operations = {
            method.lower(): self._operation(endpoint, operation)
            for method, operation in endpoint.operations.items()
        }
        return {**({"parameters": parameters} if parameters else {}), **operations}

    def _operation(self, endpoint: Endpoint, operation: Operation) -> dict[str, Any]:
        parameters: list[object] = (
            [{"$ref": "#/components/parameters/format"}] if operation.has_format else []
        )
        parameters += [_parameter(name, "query", about) for name, about in operation.query.items()]
        body = self.schemas.content(operation.body, read=True)
        return {
            "operationId": operation.id,
            "summary": operation.summary,
            "tags": [endpoint.resource.split("/")[2].partition(".")[0]],
            "security": [{name: []} for name in self.schemes] if endpoint.protected else [],
            **({"parameters": parameters} if parameters else {}),
            **({"requestBody": {"required": True, "content": body}} if body else {}),
            "responses": self._responses(endpoint, operation),
        }

    def _responses(self, endpoint: Endpoint, operation: Operation) -> dict[str, Any]:
        common = self.refusals.of(endpoint, operation)
        own = {
            status: self._response(status, told, endpoint, operation)
            for status, told in operation.responses.items()
        }
        return {str(status): answer for status, answer in sorted({**common, **own}.items())}

    def _response(
        self, status: int, told: ResponseSpec, endpoint: Endpoint, operation: Operation
    ) -> dict[str, Any]:
        content = self.schemas.content(told.body)
        if status < 400:
            return response(told, content)
        told = replace(told, headers={**self.refusals.headers(status, endpoint, operation), **told.headers})
        return response(told, {**content, **self.refusals.content(status, operation.error_format)})


def _in_address(endpoint: Endpoint) -> Iterator[tuple[str, Parameter]]:
    for name in _IN_ADDRESS.findall(endpoint.resource):
        if name not in endpoint.parameters:
            raise ValueError(f"{endpoint.resource} does not say what {name} is")
        yield name, endpoint.parameters[name]


def _parameter(name: str, place: str, parameter: Parameter) -> dict[str, Any]:
    return {
        "name": name,
        "in": place,
        "description": parameter.description,
        **({"required": True} if parameter.required or place == "path" else {}),
        "schema": {"type": "string"},
        **({"example": parameter.example} if parameter.example else {}),
    }
