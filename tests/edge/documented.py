"""Compares the answers of endpoints with the OpenAPI document that is made of them."""

from collections.abc import Iterable

from stratabase.edge.endpoint import Endpoint
from stratabase.edge.openapi.document import Service, document
from tests import documented

SERVICE = Service("Hr", "1.2.3", ("Bearer", "Basic"))


class Documented(documented.Documented):
    """The document of some endpoints, held against answers."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        super().__init__(document(SERVICE, endpoints))
