"""Responses are read like http.client reads them, or refused."""

import socket
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse

import pytest

from stratabase_aws.dynamodb.http_exchange import StoreResponse, read_response

BODY = b'{"Item":{}}'
LENGTH = b"Content-Length: 11\r\n"


def receive(read: Callable[[socket.socket], StoreResponse], sent: bytes) -> StoreResponse:
    """Return the response that a server sends before it closes the connection."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)
        return read(ours)


def read_by_http_client(connection: socket.socket) -> StoreResponse:
    with HTTPResponse(connection, method="POST") as response:
        response.begin()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return StoreResponse(response.status, fields, response.read(), response.will_close)


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
    ],
)
def test_a_response_is_read_as_by_http_client(sent: bytes) -> None:
    assert receive(read_response, sent) == receive(read_by_http_client, sent)


def test_a_large_response_that_arrives_in_parts_is_read_whole() -> None:
    body = bytes(range(256)) * 400
    assert receive(read_response, b"HTTP/1.1 200 OK\r\nContent-Length: 102400\r\n\r\n" + body).body == body


def test_a_connection_with_more_than_the_response_is_not_used_again() -> None:
    response = receive(read_response, b"HTTP/1.1 200 OK\r\n" + LENGTH + b"\r\n" + BODY + b"more")
    assert (response.body, response.ends_connection) == (BODY, True)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Len",
        b"HTTP/1.1 200 OK\r\nContent-Length: 11",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length: eleven\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"1" * 18 + b"\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"1" * 5_000 + b"\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\n" + LENGTH + b"\r\n" + BODY[:5],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n" + BODY[:4],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfour\r\n" + BODY[:4],
        b"HTTP/1.1 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + LENGTH + b"\r\n" + BODY,
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n" + BODY,
    ],
)
def test_what_is_no_complete_response_is_not_trusted(sent: bytes) -> None:
    with pytest.raises((HTTPException, OSError)):
        receive(read_response, sent)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (b"", "There is no answer"),
        (b"HTTP/1.1 200 OK\r\n" + LENGTH + b"\r\n", "The answer is incomplete"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n", "The answer is incomplete"),
    ],
)
def test_an_error_tells_a_missing_response_from_an_incomplete_one(sent: bytes, message: str) -> None:
    with pytest.raises(OSError, match=message):
        receive(read_response, sent)
