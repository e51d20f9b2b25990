"""JSON Schemas of bodies, each shape under one name, with what OpenAPI says of XML."""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.http_api.http.body import BodyFormat
from stratabase.http_api.http.endpoint import ResponseSpec
from stratabase.http_api.http.shape import Field, ListShape, Shape

Schema = dict[str, Any]
Content = Mapping[str, Mapping[str, Schema]]
"""Schemas by media type, as OpenAPI writes them."""
Body = Shape | ListShape | Mapping[str, Shape] | tuple[str, ...] | str | None
"""A shape in both forms, shapes by media type, just one media type or several, or nothing."""


class Schemas:
    """The schemas of the shapes that were asked for."""

    def __init__(self) -> None:
        self._shapes: dict[str, Shape] = {}
        self._read: set[str] = set()

    def content(self, body: Body, *, read: bool = False) -> Content:
        """Return what a body may be, by media type; one that the service reads has no fields but its own."""
        if body is None:
            return {}
        if isinstance(body, str):
            return {body: {"schema": {"type": "string"}} if body.startswith("text/") else {}}
        if isinstance(body, tuple):
            return {media: content for each in body for media, content in self.content(each).items()}
        if isinstance(body, Mapping):
            return {media: {"schema": self._of(shape, read=read)} for media, shape in body.items()}
        return {f"application/{form.value}": {"schema": self._of(body, read=read)} for form in BodyFormat}

    def components(self) -> dict[str, Schema]:
        """Return all of them by their names."""
        return {
            name: _object(shape, closed=name in self._read and not shape.open)
            for name, shape in sorted(self._shapes.items())
        }

    def _of(self, body: Shape | ListShape, *, read: bool) -> Schema:
        if isinstance(body, ListShape):
            items = self._of(body.item, read=read)
            return {"type": "array", "items": items, "xml": {"name": body.root, "wrapped": True}}
        name = body.name or body.root.capitalize()
        if self._shapes.setdefault(name, body) != body:
            raise ValueError(f"two shapes are called {name}")
        if read:
            self._read.add(name)
        return {"$ref": f"#/components/schemas/{name}"}


def _object(shape: Shape, *, closed: bool) -> Schema:
    fields = shape.fields
    required = [name for name, field in fields.items() if field.required]
    return {
        "type": "object",
        "properties": {name: dict(_field(field)) for name, field in fields.items()},
        **({"required": required} if required else {}),
        **({"additionalProperties": False} if closed else {}),
        "xml": dict(_xml(shape)),
    }


def _field(field: Field) -> Iterator[tuple[str, object]]:
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


def _xml(shape: Shape) -> Iterator[tuple[str, str]]:
    yield "name", shape.root
    if shape.namespace is not None:
        yield "namespace", shape.namespace


def response(told: ResponseSpec, content: Content) -> dict[str, Any]:
    """Return an answer as OpenAPI writes it."""
    headers = {
        name: {"description": about, "schema": {"type": "string"}} for name, about in told.headers.items()
    }
    return {
        "description": told.description,
        **({"headers": headers} if headers else {}),
        **({"content": content} if content else {}),
    }
