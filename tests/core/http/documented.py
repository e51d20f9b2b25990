"""Compares the responses of endpoints with their generated OpenAPI document."""

from collections.abc import Mapping

from stratabase.core.http.api.openapi.document import ServiceInfo, openapi_document
from stratabase.core.http.base.endpoint import Endpoint
from tests import documented

SERVICE = ServiceInfo("Hr", "1.2.3", ("Bearer", "Basic"))


class Documented(documented.Documented):
    """The generated document of some endpoints, which checks responses against itself."""

    def __init__(self, endpoints: Mapping[str, Endpoint]) -> None:
        super().__init__(openapi_document(SERVICE, endpoints))
