"""The schemas of the OpenAPI document: JSON Schemas of shapes, with OpenAPI's annotations for XML."""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.core.http.base.body import BodyFormat
from stratabase.core.http.base.endpoint import ResponseSpec
from stratabase.core.http.base.shape import Field, ListShape, Shape

Schema = dict[str, Any]
MediaTypes = Mapping[str, Mapping[str, Schema]]
"""Media Type Objects of OpenAPI (`{"schema": …}`) by media type."""
BodySchema = Shape | ListShape | Mapping[str, Shape] | tuple[str | Mapping[str, Shape], ...] | str | None
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
        name = body.name or body.root.capitalize()
        if self._shapes.setdefault(name, body) != body:
            raise ValueError(f"two shapes are called {name}")
        if is_request:
            self._request_names.add(name)
        return {"$ref": f"#/components/schemas/{name}"}


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
    yield "type", [field.type, "null"] if field.nullable else field.type
    yield "description", field.description
    if field.format is not None:
        yield "format", field.format
    if field.format == "password":
        yield "writeOnly", True
    if field.max_length is not None:
        yield "maxLength", field.max_length
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
