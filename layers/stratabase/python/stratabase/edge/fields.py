"""Checks the fields of a body against its shape."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stratabase.edge.kind import kind
from stratabase.edge.names import some
from stratabase.edge.refusals import Malformed
from stratabase.edge.shape import Field, Shape


class _Type(NamedTuple):
    """A type of JSON: what Python makes of it, what it is called, how XML spells it."""

    python: type
    called: str
    from_text: Callable[[str], Any] = str


def checked(fields: Mapping[str, Any], shape: Shape) -> dict[str, Any]:
    """Return the fields, when they are what the shape says. Raises Malformed, naming all that are not."""
    mistakes = [*_mistakes(fields, shape)]
    if mistakes:
        raise Malformed(" ".join(mistakes))
    return dict(fields)


def checked_texts(texts: Mapping[str, str], shape: Shape) -> dict[str, Any]:
    """Return fields that came as texts (in XML, from a form) as the types of the shape. Raises Malformed."""
    known = shape.fields
    return checked({name: _of_text(text, known.get(name)) for name, text in texts.items()}, shape)


def _mistakes(fields: Mapping[str, Any], shape: Shape) -> Iterator[str]:
    for name, field in shape.fields.items():
        if name not in fields:
            if field.required:
                yield f'"{name}" is missing.'
        elif (mistake := _mistake(fields[name], field)) is not None:
            yield f'"{name}" {mistake}.'
    strange = [name for name in fields if name not in shape.fields]
    if strange:
        yield f"There is no field {some(strange)} here; there are {', '.join(shape.fields)}."


def _mistake(value: Any, field: Field) -> str | None:
    if value is None and field.nullable:
        return None
    wanted = _TYPES[field.type]
    # True and False are numbers to Python, and to nobody else.
    if not isinstance(value, wanted.python) or (isinstance(value, bool) and wanted.python is not bool):
        return f"must be {wanted.called}, not {kind(value)}"
    if field.most is not None and isinstance(value, str) and len(value) > field.most:
        return f"must have at most {field.most:,} characters, not {len(value):,}"
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
