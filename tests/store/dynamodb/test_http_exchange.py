"""Responses are read like http.client reads them, or refused."""

import socket
from http.client import HTTPException, HTTPResponse

import pytest

from stratabase.store.dynamodb.http_exchange import StoreResponse

BODY = b'{"Item":{}}'
LENGTH = b"Content-Length: 11\r\n"


def received(response_class: type[HTTPResponse], sent: bytes) -> tuple[HTTPResponse, bytes]:
    """Return a response that a server sends before it closes the connection, and its body."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)
        response = response_class(ours, method="POST")
        with response:
            response.begin()
            return response, response.read()


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/1.1 200 OK\r\n" + LENGTH + b"\r\n" + BODY,
        b"HTTP/1.1 200\r\n" + LENGTH + b"\r\n" + BODY,
        b"HTTP/1.1 400 Bad Request\nContent-LENGTH:11\nDate: now\n\n" + BODY,
        b"HTTP/1.1 200 OK\r\n" + LENGTH + b"Connection: Close\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n\r\n" + BODY,
        b"HTTP/1.0 200 OK\r\n" + LENGTH + b"\r\n" + BODY,
        b"HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 500 Oh\r\n" + LENGTH + b"\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n"
        + BODY[:4]
        + b"\r\n7\r\n"
        + BODY[4:]
        + b"\r\n0\r\n\r\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + LENGTH + b"\r\n" + BODY + b"more",
    ],
)
def test_a_response_is_read_as_by_http_client(sent: bytes) -> None:
    (ours, body), (theirs, expected) = (received(kind, sent) for kind in (StoreResponse, HTTPResponse))
    assert (ours.status, body, ours.will_close) == (theirs.status, expected, theirs.will_close)
    assert isinstance(ours, StoreResponse)
    assert ours.fields.get("date") == theirs.getheader("date")
    assert ours.fields.get("content-length") == theirs.getheader("content-length")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Len",
        b"HTTP/1.1 200 OK\r\nContent-Length: 11",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length: eleven\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n" + LENGTH + b"\r\n" + BODY[:5],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n" + BODY[:4],
        b"HTTP/1.1 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + LENGTH + b"\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n" + BODY,
    ],
)
def test_what_is_no_complete_response_is_not_trusted(sent: bytes) -> None:
    with pytest.raises((HTTPException, OSError)):
        received(StoreResponse, sent)
