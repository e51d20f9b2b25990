"""The name of the current request, which another process reads through shared memory."""

import asyncio
from concurrent.futures import Future
from functools import partial
from mmap import mmap

from stratabase.core.current_request import SIZE, CurrentRequest, current_request
from stratabase.core.greenlets import Greenlets
from stratabase.core.http.base.messages import Request, Response
from tests.server.http.calls import run_call
from tests.server.http.serving import http_server


def test_the_name_is_readable_through_shared_memory() -> None:
    with mmap(-1, SIZE) as memory:
        writer, reader = CurrentRequest(bytearray(SIZE)), CurrentRequest(memory)
        writer.share(memory)

        assert reader.name() == ""
        writer.enter(b"GET /long")
        writer.enter(b"GET /b")
        assert reader.name() == "GET /b"
        writer.leave()
        assert reader.name() == ""


def test_a_long_name_is_truncated() -> None:
    request = CurrentRequest(bytearray(SIZE))

    request.enter("è".encode() * SIZE)

    assert request.name() == "è" * (SIZE // 2 - 1) + "�"


def test_a_call_is_named_while_it_runs_and_not_while_it_waits() -> None:
    names: dict[str, list[str]] = {"one": [], "two": []}

    async def body() -> None:
        greenlets = Greenlets(asyncio.get_running_loop())
        future: Future[None] = Future()

        def work(name: str) -> None:
            names[name].append(current_request.name())
            greenlets.until(future)
            names[name].append(current_request.name())

        calls = [
            asyncio.create_task(run_call(greenlets, partial(work, name), name=name.encode()))
            for name in names
        ]
        await asyncio.sleep(0)
        assert current_request.name() == ""
        future.set_result(None)
        await asyncio.gather(*calls)
        await greenlets.finish()

    asyncio.run(asyncio.wait_for(body(), 20))

    assert names == {"one": ["one", "one"], "two": ["two", "two"]}
    assert current_request.name() == ""


def test_a_request_is_named_by_its_route_and_trace_id_alone() -> None:
    def respond(_request: Request) -> Response:
        return Response(200, body=current_request.name().encode())

    with http_server(respond) as client:
        response = client.request("POST", "/files/secret.txt?word=secret", {"X-Word": "secret"}, b"secret")

    trace_id = response.header("x-amzn-RequestId")
    assert response.body.decode() == f"POST /files/{{name}} (trace id {trace_id})"
