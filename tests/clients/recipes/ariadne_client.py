"""A generated client that repeats requests whose answer was lost, and does mutations once."""

import time
import uuid
from typing import Any

import httpx
from graphql_client import Client

TRY_AGAIN = {502, 503, 504}


class Repeating(httpx.HTTPTransport):
    """Sends each request with a key, up to four times."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the first answer that arrives."""
        request.headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
        request.read()
        for pause in (0.5, 1.0, 2.0):
            try:
                response = super().handle_request(request)
                if response.status_code not in TRY_AGAIN:
                    return response
                response.close()
                time.sleep(float(response.headers.get("Retry-After", pause)))
            except httpx.TransportError:
                # The connection broke, perhaps after the data was written.
                time.sleep(pause)
        return super().handle_request(request)


def open_client(base_url: str, application: str, tokens: Any, **options: Any) -> Client:
    """Return the generated client. See Tokens."""
    http_client: Any = httpx.Client(transport=Repeating(), auth=tokens, timeout=60)
    return Client(f"{base_url}/auth/api/graphql/{application}", http_client=http_client, **options)
