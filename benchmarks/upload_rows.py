"""Uploads to the local server beside those of Starlette, and the reading of forms beside python-multipart."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from itertools import islice, repeat
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartParser

from benchmarks import cpu, load
from benchmarks.archive import APPLICATION, MEGABYTE, UPLOADS, write_model
from benchmarks.starlette_process import starlette
from benchmarks.table import Figure, print_table
from stratabase.core.http.base.messages import Request
from stratabase.core.http.files.upload import read_sent_file
from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.service import PASSWORD, basic, running

SIZE = 4
"""Megabytes of the file."""
CONNECTIONS = (1, 16)
UPLOADS_EACH = 16
ROUNDS = 12
"""How often each measurement is repeated, by turns. The best figure counts."""
MARGIN = 1.25
"""What our CPU time may be in multiples of Starlette's. The operating system's work for the disk varies."""
TIME_MARGIN = 1.5
"""The same for the time of an upload, in which the local server also flushes its store."""
NETWORK_CHUNK = 64 * 1024
"""The size in bytes of the chunks in which uvicorn passes a body on."""


class Cost(NamedTuple):
    """What an upload costs."""

    seconds: float
    """The average time that an upload occupies the server."""
    cpu: float
    """CPU milliseconds of the server."""


def main(folder: Path) -> None:
    """Measure the parser, and whole uploads, which both servers flush to the disk."""
    print_table(f"Reading of a form with {SIZE} MB", [_parser()])
    settings = {"STRATABASE_PENDING_MEGABYTES": "1000000"}
    model, stored = write_model(folder), folder / "stored"
    stored.mkdir()
    with (
        running(folder / "home", model=model, application=APPLICATION, settings=settings) as service,
        starlette(model, stored) as (port, pid),
    ):
        own, theirs = _request(UPLOADS), _request("/")
        folders = (folder / "home/files/pending", stored)
        for connections in CONNECTIONS:
            rounds = [
                (
                    _upload(service.port, service.pid, own, connections, folders),
                    _upload(port, pid, theirs, connections, folders),
                )
                for _ in range(1 + ROUNDS)
            ][1:]  # without the first uploads, which load modules
            print_table(f"Uploads of {SIZE} MB, {connections} connections", list(_figures(rounds)))


def _figures(rounds: list[tuple[Cost, Cost]]) -> Iterator[Figure]:
    own, theirs = (list(costs) for costs in zip(*rounds, strict=True))
    value, limit = (min(cost.seconds for cost in costs) * 1000 for costs in (own, theirs))
    yield Figure("time of an upload", value, "ms", limit * TIME_MARGIN, "Starlette's form")
    value, limit = (min(cost.cpu for cost in costs) for costs in (own, theirs))
    yield Figure("CPU of an upload", value, "ms", limit * MARGIN, "Starlette's form")


def _upload(port: int, pid: int, request: bytes, connections: int, folders: Sequence[Path]) -> Cost:
    before = cpu.seconds(pid)
    result = load.run(port, connections, islice(repeat(request), UPLOADS_EACH))
    spent = cpu.seconds(pid) - before
    assert not result.bad, f"{result.bad} uploads failed"
    # Otherwise, each upload needs more memory for the cache of the disk, whose cost varies most.
    for file in (file for folder in folders for file in folder.glob("*")):
        file.unlink()
    return Cost(result.seconds / UPLOADS_EACH, spent / UPLOADS_EACH * 1000)


def _request(address: str) -> bytes:
    body = _form()
    head = (
        f"POST {address} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {basic('admin', PASSWORD)}\r\n"
        f"Content-Type: {CONTENT_TYPE}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _form() -> bytes:
    # Random bytes have some line breaks, as compressed files do.
    disposition = 'form-data; name="file"; filename="film.mp4"'
    return form(part(disposition, os.urandom(SIZE * MEGABYTE), [b"Content-Type: video/mp4"]))


def _parser() -> Figure:
    body = _form()
    request = Request("POST", UPLOADS, UPLOADS, headers={"content-type": (CONTENT_TYPE,)}, body=body)
    rounds = [
        (_seconds(lambda: read_sent_file(request)), _seconds(lambda: asyncio.run(_read_with_starlette(body))))
        for _ in range(ROUNDS)
    ]
    own, theirs = (min(seconds) * 1000 for seconds in zip(*rounds, strict=True))
    return Figure("time", own, "ms", theirs * MARGIN, "python-multipart")


async def _read_with_starlette(body: bytes) -> None:
    parser = MultiPartParser(Headers({"content-type": CONTENT_TYPE}), _chunks(body))
    fields = await parser.parse()
    file = fields["file"]
    assert isinstance(file, UploadFile)
    assert len(await file.read()) == SIZE * MEGABYTE
    await fields.close()


async def _chunks(body: bytes) -> AsyncGenerator[bytes]:
    for start in range(0, len(body), NETWORK_CHUNK):
        yield body[start : start + NETWORK_CHUNK]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
