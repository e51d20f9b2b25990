"""The address at which the OpenAPI document is."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import orjson

from stratabase.domain.member import Caller
from stratabase.edge import etag
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.openapi.document import Service, document
from stratabase.edge.operation import Manner, Operation, Told
from stratabase.edge.request import Request
from stratabase.edge.response import Response

_TAG = {"ETag": "Changes with the document."}
_ANSWERS = {
    200: Told("This document.", "application/json", _TAG),
    304: Told("The document is the one that the client has.", headers=_TAG),
}
_ABOUT = "What this service answers where, as an OpenAPI document."


def openapi_endpoint(service: Service, others: Callable[[], Iterable[Endpoint]]) -> Endpoint:
    """Return the endpoint that describes itself and the others, which are asked for when it is first read."""

    @lru_cache(maxsize=8)
    def written(base_url: str) -> bytes:
        return orjson.dumps({**described(), "servers": [{"url": base_url}]})

    @lru_cache(maxsize=1)
    def described() -> dict[str, Any]:
        return document(service, (*others(), endpoint))

    def show(request: Request, _: Caller | None) -> Response:
        return etag.answer(request, "application/json", written(request.base_url))

    operation = Operation(show, "readOpenApi", _ABOUT, _ANSWERS, refuses=Manner.JSON, formatted=False)
    endpoint = Endpoint("/public/openapi.json", {"GET": operation})
    return endpoint
