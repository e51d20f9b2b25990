"""The body of a REST request, in the form that the query's `format` chooses."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.edge import media_type
from stratabase.edge.fields import checked, checked_texts
from stratabase.edge.format import Format, asked, form_of
from stratabase.edge.refusals import Malformed, UnsupportedMediaType
from stratabase.edge.request import Request
from stratabase.edge.shape import Shape
from stratabase.edge.strict_json import read_object
from stratabase.edge.strict_xml import read_elements


def read(request: Request, shape: Shape) -> dict[str, Any]:
    """Return the fields of the body that are given. Raises Malformed, UnsupportedMediaType.

    All that is wrong with the fields is named at once. A Content-Type of neither form does not matter.
    """
    form = asked(request)
    _check_content_type(request, form)
    if not request.body:
        raise Malformed(f"The body is empty; it must hold {', '.join(shape.fields)} as {form.name}.")
    return _READERS[form](request.body, shape)


def _from_json(body: bytes, shape: Shape) -> dict[str, Any]:
    return checked(read_object(body), shape)


def _from_xml(body: bytes, shape: Shape) -> dict[str, Any]:
    return checked_texts(read_elements(body, shape.root), shape)


_READERS: Mapping[Format, Callable[[bytes, Shape], dict[str, Any]]] = {
    Format.JSON: _from_json,
    Format.XML: _from_xml,
}


def _check_content_type(request: Request, form: Format) -> None:
    name, parameters = media_type.parse(request.header("content-type") or "")
    said = form_of(name)
    if said not in (form, None):
        raise UnsupportedMediaType(
            f"The body is read as {form.name}, but Content-Type says {name}; "
            f"the query parameter format=xml or format=json chooses the form."
        )
    if parameters.get("charset", "utf-8") != "utf-8":
        raise UnsupportedMediaType("The body must be in UTF-8, and the charset of Content-Type utf-8.")
