"""Download of a file in ranges. An interrupted download continues where it stopped."""

import os
import re
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote_to_bytes

import requests
from multipart import parse_options_header

from stratabase.core.domain.files.file_name import clean_file_name
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.progress import TransferBar
from stratabase.transfer.client.connection import Connection, Interruption, Retries, parse_byte_count
from stratabase.transfer.client.resumable import ResumableTransfer

_QUOTED = re.compile(r'"(?:\\.|[^\\"])*+"?', re.DOTALL)
_ENCODED_NAME = re.compile(r";\s*filename\*\s*=\s*utf-8'[^']*'([^\s;]*)", re.IGNORECASE)
"""The parameter `filename*`, such as `filename*=UTF-8''caf%C3%A9.txt` (RFC 8187)."""
_RESERVED = re.compile(r'[<>:"|?*]')
"""Characters that file names on Windows can't have."""
_ENDING = re.compile(r"[.\s]+\Z")
"""Dots and spaces at the end of a name, such as no-break spaces. Windows removes some of them."""
_MAX_SIZE = 200
"""The maximum length of a name in bytes. Most systems allow 255, with the ending of an unfinished file."""


def download_name(content_disposition: str, default: str) -> str:
    """Return a safe name for a file, from the header Content-Disposition of its response.

    The name has no folder, no control characters, and no dot at its start, which would hide the file.
    It ends with neither a dot nor a space.
    """
    name = _RESERVED.sub("_", clean_file_name(_sent_name(content_disposition) or default)).strip()
    if name.startswith("."):
        name = f"_{name[1:]}"
    return _ENDING.sub("", _shortened(_ENDING.sub("", name))) or default


def _sent_name(content_disposition: str) -> str:
    # A quoted name may contain text that looks like the other parameter.
    encoded = _ENCODED_NAME.search(_QUOTED.sub('""', content_disposition))
    if encoded is not None:
        return unquote_to_bytes(encoded[1]).decode("utf-8", "replace")
    return str(parse_options_header(content_disposition)[1].get("filename", ""))


def _shortened(name: str) -> str:
    """Return a name of at most 200 bytes in UTF-8, with the same extension if it is short."""
    stem, dot, extension = name.rpartition(".")
    ending = (dot + extension).encode() if stem else b""
    if len(ending) > _MAX_SIZE // 4:
        ending = b""
    beginning = name.encode()[: len(name.encode()) - len(ending)][: _MAX_SIZE - len(ending)]
    return beginning.decode("utf-8", "ignore") + ending.decode()


RANGE_SIZE = 64 * 1024 * 1024
"""The maximum bytes of one request. On AWS, one response carries at most 200 MB."""
_MAX_CHANGES = 5
"""How often the file may change during the download before the command gives up."""
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})", re.ASCII)


class RemoteFile(NamedTuple):
    """What the service says about a file before it sends the bytes."""

    size: int
    etag: str
    name: str
    """A name that is safe to save the file under."""


class FileReplaced(Exception):
    """The service has another file now."""


class Download:
    """A download to a file of this machine. The bytes go to `<name>.part` until all of them are there."""

    def __init__(self, connection: Connection, url: str, default_name: str) -> None:
        """`default_name` is the name of the file if the service names none."""
        self._connection = connection
        self._url = url
        self._default_name = default_name

    def run(self, output: Path | None, *, force: bool) -> Path:
        """Download the file, and return where it is. Raises CommandError.

        Args:
            output: The path of the file, or an existing folder for it. None means the current folder.
            force: Replace an existing file.
        """
        for _attempt in range(_MAX_CHANGES):
            file = self._describe()
            path = _choose_path(output, file.name)
            _check_free(path, force=force)
            try:
                self._receive(file, path, force=force)
            except FileReplaced:
                continue
            except OSError as error:
                raise CommandError(f"Writing {path} failed: {error.strerror}.") from error
            return path
        raise CommandError("The file changes all the time. Run the command again later.")

    def _describe(self) -> RemoteFile:
        # Not HEAD: API Gateway may change its Content-Length, and its response can't say why it failed.
        response = self._connection.send(
            "GET",
            self._url,
            (HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,),
            headers={"Range": "bytes=0-0"},
            stream=True,
        )
        if not response.ok:  # an empty file has no first byte
            response.close()
            response = self._connection.send("GET", self._url, stream=True)
        with response:
            total = response.headers.get("Content-Range", "").rpartition("/")[2]
            size = parse_byte_count(total or response.headers.get("Content-Length", ""))
            etag = response.headers.get("ETag", "")
            if size is None or not etag:
                raise CommandError(f"{self._url} is not the address of a file.")
            disposition = response.headers.get("Content-Disposition", "")
            return RemoteFile(size, etag, download_name(disposition, self._default_name))

    def _receive(self, file: RemoteFile, path: Path, *, force: bool) -> None:
        """Receive the bytes that an earlier run has not received. Raises FileReplaced, OSError."""
        part = path.with_name(f"{path.name}.part")
        resumable = ResumableTransfer("download", self._url, part.absolute())
        with _open_part(part, file, resumable, force=force) as stream:
            self._receive_ranges(file, stream, TransferBar(path.name, file.size))
            os.fsync(stream.fileno())
        if part.stat().st_size != file.size:
            raise CommandError(f"{part} has a wrong size. Delete it, and run the command again.")
        _check_free(path, force=force)
        part.replace(path)
        resumable.forget()

    def _receive_ranges(self, file: RemoteFile, stream: BinaryIO, bar: TransferBar) -> None:
        """Append ranges to a file until it has all bytes. Raises FileReplaced, CommandError, OSError."""
        retries = Retries()
        with bar:
            while (start := stream.tell()) < file.size:
                bar.show(start)
                try:
                    self._receive_range(file, stream, bar)
                    retries.reset()
                except Interruption as interruption:
                    if stream.tell() > start:
                        retries.reset()
                    retries.wait(interruption)
            bar.show(file.size)

    def _receive_range(self, file: RemoteFile, stream: BinaryIO, bar: TransferBar) -> None:
        """Append a range to a file. Raises FileReplaced, Interruption, CommandError, OSError."""
        start = stream.tell()
        for chunk in self._connection.read(
            self._request_range(file, start, min(start + RANGE_SIZE, file.size))
        ):
            stream.write(chunk)
            bar.show(stream.tell())
        if stream.tell() == start:
            raise Interruption("The service sent no bytes.")

    def _request_range(self, file: RemoteFile, start: int, end: int) -> requests.Response:
        """Return the response with a range. Raises FileReplaced, Interruption, CommandError."""
        response = self._connection.send_once(
            "GET",
            self._url,
            (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE),
            headers={"Range": f"bytes={start}-{end - 1}", "If-Range": file.etag},
            stream=True,
        )
        # Without the range, the service sends another file, or refuses to send it in one response.
        found = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if response.status_code != HTTPStatus.PARTIAL_CONTENT or found is None:
            response.close()
            raise FileReplaced
        first, last, size = map(int, found.groups())
        if first != start or not start <= last < end or size != file.size:
            response.close()
            raise CommandError(f"{self._url} sent another range than the requested one.")
        return response


def _open_part(part: Path, file: RemoteFile, resumable: ResumableTransfer, *, force: bool) -> BinaryIO:
    """Open the unfinished file of a download at its end. It begins anew if it is of another file."""
    tag = resumable.recall()
    if part.exists():
        if tag is None and not force:
            raise CommandError(
                f"{part} exists, and does not come from a download that can be continued. "
                "Delete it, or replace it with --force."
            )
        if tag == file.etag and part.stat().st_size <= file.size:
            stream = part.open("r+b")
            stream.seek(0, os.SEEK_END)
            return stream
        part.unlink()
    resumable.remember(file.etag)
    return part.open("xb")


def _choose_path(output: Path | None, name: str) -> Path:
    if output is None:
        return Path(name)
    return output / name if output.is_dir() else output


def _check_free(path: Path, *, force: bool) -> None:
    """Raise CommandError if there is a file already."""
    with suppress(OSError):
        path.lstat()
        if path.is_dir():
            raise CommandError(f"{path} is a folder. Name a file with --output.")
        if not force:
            raise CommandError(f"{path} exists. Replace it with --force, or name another file with --output.")
    if not path.parent.is_dir():
        raise CommandError(f"The folder {path.parent} does not exist.")
