"""The HTTP server of the local gateway with an empty response, as a baseline for the machine."""

import socket
import sys
from typing import Any

import uvicorn

ANSWER = b'{"data":null}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", str(len(ANSWER)).encode())]


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer every request with the same response (ASGI)."""
    assert scope["type"] == "http"
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": ANSWER})


if __name__ == "__main__":
    listener = socket.socket(fileno=int(sys.argv[1]))
    configuration = uvicorn.Config(app, lifespan="off", log_config=None, access_log=False)
    uvicorn.Server(configuration).run(sockets=[listener])
