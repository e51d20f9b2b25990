"""The OpenAPI 3.1 document of a set of endpoints."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stratabase.edge.endpoint import Endpoint
from stratabase.edge.openapi.paths import FORMAT, Paths
from stratabase.edge.openapi.refusals import Refusals
from stratabase.edge.openapi.schemas import Schemas

_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A token from /public/token/getJwtToken.",
    },
    "basic": {"type": "http", "scheme": "basic", "description": "The username and the password, in UTF-8."},
}
_ABOUT = """\
Every address answers OPTIONS, without credentials, with 204 and the methods that it knows in Allow, and \
HEAD wherever a GET does nothing but read; both are left out here, since they are the same everywhere. A \
method that an address does not know is answered with 405 and Allow.

XML has the names of JSON as elements; a field that is null is an empty element. Bodies are in UTF-8 and \
have at most 64 KB (but for GraphQL); each field comes once; XML has neither a DOCTYPE nor attributes."""


@dataclass(frozen=True, slots=True)
class Service:
    """What a document says of the service as a whole."""

    application: str
    version: str
    schemes: tuple[str, ...]
    """How callers are known, as the Authorization header names it."""


def document(service: Service, endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """Return the document, but for the service's address. Raises ValueError when endpoints contradict."""
    schemas = Schemas()
    refusals = Refusals(schemas)
    paths = Paths(service.schemes, schemas, refusals)
    made = {endpoint.resource: paths.of(endpoint) for endpoint in endpoints}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"Stratabase: {service.application}",
            "version": service.version,
            "description": _ABOUT,
        },
        "paths": dict(sorted(made.items())),
        "components": {
            "schemas": schemas.components(),
            "responses": refusals.components(),
            "parameters": {"format": FORMAT},
            "securitySchemes": {name: _SCHEMES[name.lower()] for name in service.schemes},
        },
    }
