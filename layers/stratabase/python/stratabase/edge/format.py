"""The form of REST bodies, which the query's `format` chooses: JSON or XML."""

from collections.abc import Mapping
from enum import Enum

import orjson

from stratabase.edge import xml
from stratabase.edge.refusals import Malformed
from stratabase.edge.request import Request


class Format(Enum):
    """A form; its value is its name in the query."""

    JSON = "json"
    XML = "xml"


def asked(request: Request) -> Format:
    """Return the form that a request asks for, JSON when it does not say. Raises Malformed."""
    values = request.query.get("format", ("json",))
    try:
        (value,) = values
        return Format(value)
    except ValueError:
        said = " and ".join(f'"{value}"' for value in values)
        raise Malformed(f'The query parameter "format" must be json or xml, not {said}.') from None


def asked_if_any(request: Request) -> Format:
    """Return the form that a request asks for, JSON when it does not say or says something else."""
    try:
        return asked(request)
    except Malformed:
        return Format.JSON


def written(form: Format, root: str, fields: Mapping[str, object], namespace: str | None = None) -> bytes:
    """Return fields as a JSON object, or as an XML document around elements of the same names."""
    return xml.document(root, fields, namespace) if form is Format.XML else orjson.dumps(fields)
