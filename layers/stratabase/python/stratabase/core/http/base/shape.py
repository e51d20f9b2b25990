"""Shapes: definitions of REST bodies that serve for reading, writing and the OpenAPI document."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stratabase.core.http.base.refusals import Malformed, quote_names
from stratabase.core.http.base.strict_json import json_type_name
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _, and_list, ngettext, sentences


@frozen
class Field:
    """A field of a body. `type` is a JSON type: string, integer, boolean, object, or array."""

    description: str
    type: str = "string"
    required: bool = False
    nullable: bool = False
    """Whether the value can be null. In XML, an empty element means null."""
    max_length: int | None = None
    """The maximum number of characters of a string."""
    format: str | None = None
    """A format of the OpenAPI registry, such as email or password."""
    example: object = None
    values: tuple[str, ...] = ()
    """The only values of a string. None: all."""
    items: "Field | Shape | None" = None
    """What an array of a response consists of, for the OpenAPI document."""
    shape: "Shape | None" = None
    """What an object of a response consists of, for the OpenAPI document."""


@frozen
class Shape:
    """An object with fields. `root` is the name of its XML element."""

    root: str
    fields: Mapping[str, Field] = dataclasses.field(default_factory=dict)
    namespace: str | None = None
    """The namespace of the XML elements."""
    name: str | None = None
    """The name of the schema in the OpenAPI document. The default is `root`, capitalized."""
    open: bool = False
    """Whether the OpenAPI schema of a request allows additional properties, which the service ignores."""
    hints: Mapping[str, Message] = dataclasses.field(default_factory=dict)
    """By name of a field that the object does not have: what to do instead."""


@frozen
class ListShape:
    """A list of objects: an array in JSON, or an XML element `root` with an element per item."""

    root: str
    item: Shape


class _Type(NamedTuple):
    """A JSON type: its Python type, its name in messages, and a parser for texts from XML and forms."""

    python: type
    name: Message
    from_text: Callable[[str], Any] = str


def validated_fields(fields: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Return the fields after validating them against a shape. Raises Malformed, which lists all mistakes."""
    mistakes = [*_find_mistakes(fields, shape)]
    if mistakes:
        raise Malformed(sentences(mistakes))
    return dict(fields)


def check_text_fields(texts: Mapping[str, str], shape: Shape) -> dict[str, Any]:
    """Return texts from XML or a form converted to the types of a shape and validated. Raises Malformed."""
    fields = {name: _parse_text(text, shape.fields.get(name)) for name, text in texts.items()}
    return validated_fields(fields, shape)


def _find_mistakes(fields: Mapping[str, Any], shape: Shape) -> Iterator[Message]:
    for name, field in shape.fields.items():
        if name not in fields:
            if field.required:
                yield _('"{field}" is required.', field=name)
        elif (mistake := _find_mistake(name, fields[name], field)) is not None:
            yield mistake
    unknown = [name for name in fields if name not in shape.fields]
    if unknown:
        yield ngettext(
            "The field {unknown} is not supported. Supported fields: {fields}.",
            "The fields {unknown} are not supported. Supported fields: {fields}.",
            len(unknown),
            unknown=quote_names(unknown),
            fields=and_list(shape.fields),
        )
        yield from (shape.hints[name] for name in unknown if name in shape.hints)


def _find_mistake(name: str, value: Any, field: Field) -> Message | None:
    if value is None and field.nullable:
        return None
    type_ = _TYPES[field.type]
    # In Python, bool is a subclass of int. In JSON, true is not a number.
    if not isinstance(value, type_.python) or (isinstance(value, bool) and type_.python is not bool):
        return _(
            '"{field}" must be {expected}, not {actual}.',
            field=name,
            expected=type_.name,
            actual=json_type_name(value),
        )
    if field.max_length is not None and isinstance(value, str) and len(value) > field.max_length:
        return _(
            '"{field}" must have at most {limit} characters, not {length}.',
            field=name,
            limit=field.max_length,
            length=len(value),
        )
    return None


def _parse_text(text: str, field: Field | None) -> Any:
    if field is None or (field.nullable and not text):
        return None
    return _TYPES[field.type].from_text(text)


def _parse_integer(text: str) -> Any:
    return int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20 else text


def _parse_boolean(text: str) -> Any:
    return {"true": True, "false": False}.get(text, text)


_TYPES: Mapping[str, _Type] = {
    "string": _Type(str, _("a string")),
    "integer": _Type(int, _("a whole number"), _parse_integer),
    "boolean": _Type(bool, _("true or false"), _parse_boolean),
    "object": _Type(dict, _("an object")),
    "array": _Type(list, _("an array")),
}
