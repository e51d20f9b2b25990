"""HTTP/1.1 as uvicorn and httptools speak it, with the two things that a gateway adds.

Headers keep the spelling in which they came, and a head without end is refused before it fills the memory.
"""

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from cli.gateway.limits import HEAD
from cli.gateway.refusals import Kind, problem
from cli.gateway.reply import Reply


class Protocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_size: int | None = None
        """Bytes that came of a head that has begun and not ended (but for the first piece)."""
        self._leaving = False

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
        if self._head_size is not None:
            self._head_size += len(data)
        super().data_received(data)
        if self._head_size is not None and self._head_size > HEAD and not self.transport.is_closing():
            text = f"Request line and headers have more than {HEAD} bytes, the most that are allowed."
            self._refuse(problem(Kind.HEAD_TOO_LARGE, text, ""))

    def on_message_begin(self) -> None:
        """Note that a head begins."""
        super().on_message_begin()
        self._head_size = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header as it came; functions must not rely on the spelling, and so shall see all of them."""
        if len(name) == len(b"expect") and name.lower() == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Note that the head has ended."""
        self._head_size = None
        super().on_headers_complete()
        if self._leaving:
            self.cycle.keep_alive = False

    def shutdown(self) -> None:
        """Close the connection once it is idle; told so twice, also one that has just been made.

        Who has just connected is about to ask, and should be answered.
        """
        if self.cycle is not None or self._leaving:
            super().shutdown()
        self._leaving = True

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        self._refuse(problem(Kind.BAD_REQUEST, msg, ""))

    def _refuse(self, reply: Reply) -> None:
        """Answer without a request, and hang up."""
        headers = [*reply.headers, (b"Connection", b"close")]
        lines = [f"HTTP/1.1 {reply.status} ".encode(), *(name + b": " + value for name, value in headers)]
        self.transport.write(b"\r\n".join([*lines, b"", reply.body]))
        self.transport.close()
