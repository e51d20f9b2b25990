"""Sends one HTTP request to DynamoDB on an open connection, and reads the response."""

import zlib
from collections.abc import Mapping
from http.client import BadStatusLine, HTTPConnection, HTTPException, HTTPResponse, RemoteDisconnected
from typing import NamedTuple

from stratabase.store.dynamodb.client import Unanswered

_MAX_FIELDS, _MAX_LINE = 100, 65536
"""The maximum number of fields in the header of a response, and of bytes in a field."""


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
    response = StoreResponse(connection.sock, method="POST")
    with response:
        response.begin()
        content = response.read()
    if response.will_close:
        connection.close()
    verify_checksum(response.fields.get(CHECKSUM_HEADER), content)
    return Answer(response.status, content, response.fields.get("date"))


class StoreResponse(HTTPResponse):
    """A response of http.client that parses its header itself.

    http.client parses headers as those of emails, which takes a third of the CPU time of a request.
    """

    fields: Mapping[str, str]
    """The header: the last value by name in lower case."""

    def begin(self) -> None:
        """Read the header. Raises HTTPException, OSError."""
        version, self.status = self._read_status_line()
        self.fields = self._read_fields()
        while 100 <= self.status < 200:
            version, self.status = self._read_status_line()
            self.fields = self._read_fields()
        self.chunked = self.fields.get("transfer-encoding", "").lower() == "chunked"
        self.chunk_left = None
        length = None if self.chunked else self.fields.get("content-length")
        if length is not None and not length.isdecimal():
            raise HTTPException(f"The length of the answer is {length}.")
        self.length = 0 if self.status in {204, 304} else None if length is None else int(length)
        # Without a length, the answer ends with the connection.
        ends = self.length is None and not self.chunked
        self.will_close = (
            ends or version == "HTTP/1.0" or self.fields.get("connection", "").lower() == "close"
        )

    def _read_status_line(self) -> tuple[str, int]:
        """Return the version of HTTP and the status."""
        line = self.fp.readline(_MAX_LINE)
        version, _, rest = line.decode("iso-8859-1").partition(" ")
        if not (version.startswith("HTTP/1.") and rest[:3].isdecimal()):
            raise RemoteDisconnected("There is no answer.") if not line else BadStatusLine(repr(line))
        return version, int(rest[:3])

    def _read_fields(self) -> Mapping[str, str]:
        fields = dict[str, str]()
        for _ in range(_MAX_FIELDS):
            line = self.fp.readline(_MAX_LINE)
            if line in {b"\r\n", b"\n"}:
                return fields
            name, colon, value = line.decode("iso-8859-1").partition(":")
            if not (colon and line.endswith(b"\n")):
                raise HTTPException("The header of the answer is incomplete.")
            fields[name.lower()] = value.strip()
        raise HTTPException("The header of the answer is too long.")


def _head(headers: Mapping[str, str], length: int) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST / HTTP/1.1\r\n{lines}content-length: {length}\r\n\r\n".encode("ascii")


CHECKSUM_HEADER = "x-amz-crc32"


def verify_checksum(checksum: str | None, content: bytes) -> None:
    """Raise Unanswered if the content does not match its checksum."""
    if checksum is not None and checksum != str(zlib.crc32(content)):
        raise Unanswered("The answer's checksum is wrong.")
