"""Upload of a file: a small one in one request, as a form (multipart/form-data), a large one in several.

The protocol of the latter is tus 1.0. They continue after an interruption.
"""

import base64
import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import requests
from requests_toolbelt import MultipartEncoder, MultipartEncoderMonitor

from stratabase.core.domain.files.addresses import pending_file_address, upload_address
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.domain.files.resumable_upload import MAX_CHUNK_SIZE
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.progress import TransferBar
from stratabase.transfer.client.connection import (
    Connection,
    Interruption,
    Retries,
    parse_byte_count,
    read_json,
)
from stratabase.transfer.client.local_file import FileChanged, LocalFile
from stratabase.transfer.client.resumable import ResumableTransfer

_PART = "file"
_BOUNDARY = "stratabase-file-{}"


def upload_form(connection: Connection, file: LocalFile, target: FileTarget, bar: TransferBar) -> Any:
    """Upload a file in one request, and return the reference to it. Raises CommandError.

    If the connection breaks, the file is sent again. The service deletes a file that was received twice.
    """
    encoder = _encoder(file)
    response = connection.send(
        "POST",
        upload_address(connection.base_url, target),
        headers={"Content-Type": encoder.content_type},
        body=lambda: _monitored(_encoder(file, encoder.boundary_value), file, bar),
    )
    file.check_unchanged()
    return read_json(response)


def _encoder(file: LocalFile, boundary: str | None = None) -> Any:
    file.stream.seek(0)
    return MultipartEncoder({_PART: (file.name, file.stream, file.mime_type)}, boundary=boundary)


def _monitored(encoder: Any, file: LocalFile, bar: TransferBar) -> Any:
    """Return an encoder that shows how much of the file was sent."""
    overhead = encoder.len - file.size
    show: Callable[[Any], None] = lambda monitor: bar.show(max(0, monitor.bytes_read - overhead))  # noqa: E731
    return MultipartEncoderMonitor(encoder, show)


_TUS = {"Tus-Resumable": "1.0.0"}
_REFERENCE_TYPE = "application/vnd.stratabase.reference+json"
_CHECKSUM_MISMATCH = 460
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


class TusUpload:
    """An upload in several requests. It begins when it is run, or continues the one of an earlier run."""

    def __init__(
        self, connection: Connection, file: LocalFile, target: FileTarget, resumable: ResumableTransfer
    ) -> None:
        """`resumable` remembers the ID of the upload."""
        self._connection = connection
        self._file = file
        self._target = target
        self._resumable = resumable

    def run(self, bar: TransferBar) -> Any:
        """Send what the service doesn't have yet. Return the reference to the file. Raises CommandError."""
        url, offset = self._resume() or self._begin()
        try:
            self._send_rest(url, offset, bar)
            self._file.check_unchanged()
        except FileChanged:
            self._resumable.forget()
            self._connection.send("DELETE", url, _GONE, headers=_TUS)
            raise
        return read_json(self._connection.send("GET", url, headers={"Accept": _REFERENCE_TYPE}))

    def _resume(self) -> tuple[str, int] | None:
        """Return the address and the offset of the upload of an earlier run, if it can be continued."""
        id_ = self._resumable.recall()
        if id_ is None:
            return None
        url = self._url(id_)
        response = self._connection.send("HEAD", url, _GONE, headers=_TUS)
        if response.status_code in _GONE:
            self._resumable.forget()
            return None
        return url, _read_offset(response)

    def _begin(self) -> tuple[str, int]:
        """Begin an upload, remember it, and return its address and offset."""
        response = self._connection.send(
            "POST",
            upload_address(self._connection.base_url, self._target),
            headers={
                **_TUS,
                "Upload-Length": str(self._file.size),
                "Upload-Metadata": _metadata(filename=self._file.name, filetype=self._file.mime_type),
            },
        )
        # The instance may be reached by another URL than the one in its links.
        id_ = response.headers.get("Location", "").rpartition("/")[2]
        if not id_:
            raise CommandError("The service did not begin an upload. Its version may be too old.")
        self._resumable.remember(id_)
        return self._url(id_), 0

    def _send_rest(self, url: str, offset: int, bar: TransferBar) -> None:
        """Send the file from an offset to its end. After each failure, ask for the offset."""
        retries = Retries()
        bar.show(offset)
        while offset < self._file.size:
            before = offset
            try:
                offset = self._send_chunk(url, offset)
            except Interruption as interruption:
                retries.wait(interruption)
                offset = _read_offset(self._connection.send("HEAD", url, headers=_TUS))
            if offset > before:
                retries.reset()
            bar.show(offset)

    def _send_chunk(self, url: str, offset: int) -> int:
        """Send the bytes at an offset, and return the next offset. Raises Interruption, CommandError."""
        chunk = self._file.read(offset, min(MAX_CHUNK_SIZE, self._file.size - offset))
        digest = base64.b64encode(hashlib.sha256(chunk).digest()).decode()
        response = self._connection.send_once(
            "PATCH",
            url,
            (HTTPStatus.CONFLICT, _CHECKSUM_MISMATCH),
            headers={
                **_TUS,
                "Upload-Offset": str(offset),
                "Upload-Checksum": f"sha256 {digest}",
                "Content-Type": "application/offset+octet-stream",
            },
            body=lambda: chunk,
        )
        if response.status_code == HTTPStatus.CONFLICT:
            raise Interruption("The service has another part of the file than expected.")
        if response.status_code == _CHECKSUM_MISMATCH:
            raise Interruption("The service received other bytes than were sent.")
        if _read_offset(response) != offset + len(chunk):
            raise Interruption("The service did not store all bytes that were sent.")
        return offset + len(chunk)

    def _url(self, id_: str) -> str:
        return pending_file_address(self._connection.base_url, self._target, id_)


def _metadata(**values: str) -> str:
    """Return the header Upload-Metadata: names, and values in Base64."""
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())


def _read_offset(response: requests.Response) -> int:
    offset = parse_byte_count(response.headers.get("Upload-Offset", ""))
    if offset is None:
        raise CommandError(f"{response.url} did not return the offset of the upload. Is it a Stratabase?")
    return offset
