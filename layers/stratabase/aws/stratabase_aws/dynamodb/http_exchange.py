"""Sends one HTTP request to DynamoDB on an open connection, and reads the response."""

import re
import zlib
from collections.abc import Mapping
from http.client import BadStatusLine, HTTPConnection, HTTPException, RemoteDisconnected
from socket import socket
from typing import NamedTuple

from stratabase_aws.dynamodb.client import Unanswered

_MAX_HEAD = 65536
"""The maximum number of bytes in the header of a response."""
_MAX_FIELDS = 100
"""The maximum number of fields in the header of a response."""
_MAX_LENGTH_DIGITS = 18
"""The maximum number of digits of the size of a response. Python refuses to convert thousands of them."""
_MAX_SHOWN = 40
"""The maximum number of characters of a wrong field that an error shows."""
_RECEIVED_AT_ONCE = 65536
"""The maximum number of bytes to take from the socket in one call."""

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(r"(HTTP/1\.\d) (\d{3})(?!\d)")
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]+")


class Answer(NamedTuple):
    """An HTTP response. `date`: the server's time, in the format of HTTP."""

    status: int
    body: bytes
    date: str | None


def exchange(connection: HTTPConnection, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a request; return the response. Raises OSError, HTTPException; Unanswered for a wrong checksum.

    Close the connection if the server will.
    """
    # One send for head and body. http.client would send the head separately, and build it more slowly.
    connection.sock.sendall(_head(headers, len(body)) + body)
    response = read_response(connection.sock)
    if response.ends_connection:
        connection.close()
    verify_checksum(response.fields.get(CHECKSUM_HEADER), response.body)
    return Answer(response.status, response.body, response.fields.get("date"))


class StoreResponse(NamedTuple):
    """A response as it was received."""

    status: int
    fields: Mapping[str, str]
    """The header: the last value by name in lower case."""
    body: bytes
    ends_connection: bool
    """Whether no further request can use the connection."""


def read_response(connection: socket) -> StoreResponse:
    """Return the response that arrives on a connection. Raises OSError, HTTPException if it is incomplete.

    http.client reads it line by line, and parses its header like that of an email. This takes several times
    the CPU time.
    """
    received = _Received(connection)
    version, status, fields = received.head()
    while 100 <= status < 200:
        version, status, fields = received.head()
    ends = version == "HTTP/1.0" or fields.get("connection", "").lower() == "close"
    length = fields.get("content-length")
    if fields.get("transfer-encoding", "").lower() == "chunked":
        body = received.chunks()
    elif status in {204, 304}:
        body = b""
    elif length is None:
        body, ends = received.rest(), True
    elif length.isdecimal() and len(length) <= _MAX_LENGTH_DIGITS:
        body = received.take(int(length))
    else:
        raise HTTPException(f"The length of the answer is {length[:_MAX_SHOWN]!r}.")
    # What follows is no answer to a request of ours.
    return StoreResponse(status, fields, body, ends or received.has_more)


class _Received:
    """What arrives on a connection."""

    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self._buffer = b""
        self._has_begun = False

    @property
    def has_more(self) -> bool:
        """Whether something has arrived that nobody has taken."""
        return bool(self._buffer)

    def head(self) -> tuple[str, int, Mapping[str, str]]:
        """Return the version of HTTP, the status and the header fields by name in lower case."""
        while (end := _END_OF_HEAD.search(self._buffer)) is None:
            self._receive_more()
        head, self._buffer = self._buffer[: end.start()], self._buffer[end.end() :]
        first, *lines = head.decode("iso-8859-1").split("\n")
        status_line = _STATUS_LINE.match(first)
        if status_line is None:
            raise BadStatusLine(repr(first))
        if len(lines) > _MAX_FIELDS:
            raise HTTPException("The header of the answer is too long.")
        fields = dict[str, str]()
        for line in lines:
            name, colon, value = line.partition(":")
            if not colon:
                raise HTTPException("The header of the answer is incomplete.")
            fields[name.lower()] = value.strip()
        return status_line[1], int(status_line[2]), fields

    def take(self, length: int) -> bytes:
        """Return the next bytes."""
        taken, self._buffer = self._buffer[:length], self._buffer[length:]
        if len(taken) == length:
            return taken
        parts, missing = [taken], length - len(taken)
        while missing:
            part = self._receive(min(missing, _RECEIVED_AT_ONCE))
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def rest(self) -> bytes:
        """Return everything until the connection ends."""
        parts = [self._buffer]
        while part := self._connection.recv(_RECEIVED_AT_ONCE):
            parts.append(part)
        self._buffer = b""
        return b"".join(parts)

    def chunks(self) -> bytes:
        """Return the content of a body in chunks. Trailers are ignored."""
        parts = list[bytes]()
        while True:
            size = _CHUNK_SIZE.match(self._line())
            if size is None:
                raise HTTPException("A chunk of the answer has no size.")
            length = int(size[0], 16)
            if not length:
                break
            parts.append(self.take(length))
            self._line()
        while self._line().strip():
            pass
        return b"".join(parts)

    def _line(self) -> bytes:
        while (end := self._buffer.find(b"\n")) < 0:
            self._receive_more()
        line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
        return line

    def _receive_more(self) -> None:
        left = _MAX_HEAD - len(self._buffer)
        if left <= 0:
            raise HTTPException("The header of the answer is too long.")
        self._buffer += self._receive(left)

    def _receive(self, most: int) -> bytes:
        part = self._connection.recv(most)
        if not part:
            raise RemoteDisconnected(
                "The answer is incomplete." if self._has_begun else "There is no answer."
            )
        self._has_begun = True
        return part


def _head(headers: Mapping[str, str], length: int) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST / HTTP/1.1\r\n{lines}content-length: {length}\r\n\r\n".encode("ascii")


CHECKSUM_HEADER = "x-amz-crc32"


def verify_checksum(checksum: str | None, content: bytes) -> None:
    """Raise Unanswered if the content does not match its checksum."""
    if checksum is not None and checksum != str(zlib.crc32(content)):
        raise Unanswered("The answer's checksum is wrong.")
