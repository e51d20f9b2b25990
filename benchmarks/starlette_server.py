"""A server of Starlette with the settings of the local server, as a baseline for files.

`GET /` sends the file that the second argument names. `POST /` stores the file of a form in the folder that
the third argument names, as durably as the local server.
"""

import os
import secrets
import socket
import sys
from pathlib import Path

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from stratabase.core.local_files import sync_folder

SENT, FOLDER = (Path(argument) for argument in sys.argv[2:])


async def download(_: Request) -> Response:
    """Send the file."""
    return FileResponse(SENT)


async def upload(request: Request) -> Response:
    """Store the file of a form."""
    async with request.form() as form:
        file = form["file"]
        assert isinstance(file, UploadFile)
        content = await file.read()
        await to_thread.run_sync(store, content)
        return JSONResponse({"name": file.filename, "size": len(content)}, 201)


def store(content: bytes) -> None:
    """Write a new file, flush it to the disk, rename it, and flush the folder."""
    path = FOLDER / secrets.token_hex(16)
    with path.open("xb", buffering=0) as file:
        file.write(content)
        os.fsync(file.fileno())
    path.replace(path.with_suffix(".stored"))
    sync_folder(FOLDER)


if __name__ == "__main__":
    app = Starlette(routes=[Route("/", download), Route("/", upload, methods=["POST"])])
    listener = socket.socket(fileno=int(sys.argv[1]))
    configuration = uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )
    uvicorn.Server(configuration).run(sockets=[listener])
