"""The path items of the OpenAPI document: each describes the operations at one address."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from stratabase.core.http.api.openapi.responses import CommonResponses
from stratabase.core.http.api.openapi.schemas import Schemas, render_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec, is_protected

FORMAT_PARAMETER = {
    "name": "format",
    "in": "query",
    "description": "The format of the bodies of the request and of the response.",
    "schema": {"type": "string", "enum": ["json", "xml"], "default": "json"},
}
_PATH_PARAMETER = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
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
