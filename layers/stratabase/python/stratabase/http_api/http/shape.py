"""What a REST body looks like, in JSON and in XML: for its reader, its writer and the OpenAPI document."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from stratabase.http_api.http.refusals import Malformed, quote_names
from stratabase.http_api.http.strict_json import json_type_name


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a body; `type` is JSON's: string, integer, boolean. In XML its text is read as that."""

    description: str
    type: str = "string"
    required: bool = False
    nullable: bool = False
    """Whether it may be null, which is an empty element in XML."""
    max_length: int | None = None
    """The most characters of a string."""
    format: str | None = None
    """A name of OpenAPI's registry, such as email or password."""
    example: object = None


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with fields; `root` is the name of its XML element."""

    root: str
    fields: Mapping[str, Field] = dataclasses.field(default_factory=dict)
    namespace: str | None = None
    """The namespace of its XML elements."""
    name: str | None = None
    """What the OpenAPI document calls it; without one, it is called like its XML element."""
    open: bool = False
    """Whether one that comes in may have other fields, which are passed over."""


@dataclass(frozen=True, slots=True)
class ListShape:
    """A list of objects: an array in JSON, elements within an element `root` in XML."""

    root: str
    item: Shape


class _Type(NamedTuple):
    """A type of JSON: what Python makes of it, what it is called, how XML spells it."""

    python: type
    called: str
    from_text: Callable[[str], Any] = str


def check_fields(fields: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Return the fields, when they are what the shape says. Raises Malformed, naming all that are not."""
    mistakes = [*_mistakes(fields, shape)]
    if mistakes:
        raise Malformed(" ".join(mistakes))
    return dict(fields)


def check_text_fields(texts: Mapping[str, str], shape: Shape) -> dict[str, Any]:
    """Return fields that came as texts (in XML, from a form) as the types of the shape. Raises Malformed."""
    known = shape.fields
    return check_fields({name: _of_text(text, known.get(name)) for name, text in texts.items()}, shape)


def _mistakes(fields: Mapping[str, Any], shape: Shape) -> Iterator[str]:
    for name, field in shape.fields.items():
        if name not in fields:
            if field.required:
                yield f'"{name}" is missing.'
        elif (mistake := _mistake(fields[name], field)) is not None:
            yield f'"{name}" {mistake}.'
    strange = [name for name in fields if name not in shape.fields]
    if strange:
        yield f"There is no field {quote_names(strange)} here; there are {', '.join(shape.fields)}."


def _mistake(value: Any, field: Field) -> str | None:
    if value is None and field.nullable:
        return None
    wanted = _TYPES[field.type]
    # True and False are numbers to Python, and to nobody else.
    if not isinstance(value, wanted.python) or (isinstance(value, bool) and wanted.python is not bool):
        return f"must be {wanted.called}, not {json_type_name(value)}"
    if field.max_length is not None and isinstance(value, str) and len(value) > field.max_length:
        return f"must have at most {field.max_length:,} characters, not {len(value):,}"
    return None


def _of_text(text: str, field: Field | None) -> Any:
    if field is None or (field.nullable and not text):
        return None
    return _TYPES[field.type].from_text(text)


def _integer(text: str) -> Any:
    return int(text) if text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20 else text


def _boolean(text: str) -> Any:
    return {"true": True, "false": False}.get(text, text)


_TYPES: Mapping[str, _Type] = {
    "string": _Type(str, "a string"),
    "integer": _Type(int, "a whole number", _integer),
    "boolean": _Type(bool, "true or false", _boolean),
    "object": _Type(dict, "an object"),
    "array": _Type(list, "an array"),
}
