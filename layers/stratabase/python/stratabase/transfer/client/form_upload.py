"""Upload of a small file in one request, as a form (multipart/form-data)."""

from collections.abc import Callable
from typing import Any

from requests_toolbelt import MultipartEncoder, MultipartEncoderMonitor

from stratabase.core.domain.files.addresses import upload_address
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.terminal.progress import TransferBar
from stratabase.transfer.client.connection import Connection, read_json
from stratabase.transfer.client.local_file import LocalFile

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
