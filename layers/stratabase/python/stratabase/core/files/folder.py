"""The blob store in a folder of this machine. Each key is the path of a file."""

import os
import re
import secrets
import stat
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path

from stratabase.core.data_folder import create_data_folder
from stratabase.core.domain.files.blob import (
    Blob,
    BlobNotFound,
    MultipartUpload,
    UploadedPart,
    check_blob_key,
    check_blob_prefix,
    check_part_number,
    is_blob_key,
    parts_in_order,
)
from stratabase.core.files.disk import (
    FileRange,
    TemporaryFolder,
    chunks,
    create_file,
    has_live_folder,
    on_disk,
    write_all,
)
from stratabase.core.local_files import LockTimeout, sync_folder
from stratabase.core.unusable_store import UnusableStore

MAX_UPLOAD_AGE = 7 * 24 * 3600
"""Seconds without a new part after which an upload is removed. The lifecycle of the bucket is as long."""
_LISTED_AT_ONCE = 1000
_BIN_INTERVAL = 3600
"""Seconds between two searches for deleted bytes that need not be kept any more."""
_NO_FILE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
_TEMPORARY = ".temporary"
_UPLOAD_ID = re.compile(r"[0-9a-f]{32}")


class FolderBlobs:
    """A blob store in a folder, which several processes can share.

    Every write creates a new file, flushes it to the disk, renames it, and flushes the folder. So a file is
    complete under its key, or not there, even after a power failure. The parts of uploads are in `.uploads`,
    unfinished files in `.temporary`, deleted ones in `.bin`: no key begins with a dot.
    """

    def __init__(self, root: Path, *, recovery_days: int = 0) -> None:
        """Create the folder if it does not exist, and remove what killed processes left.

        `recovery_days`: how long deleted bytes of objects are kept in `.bin`. Raises UnusableStore.
        """
        self._root = root
        self._bin = root / ".bin"
        self._recovery_seconds = recovery_days * 24 * 3600
        self._emptied_at = 0.0
        self._uploads = root / ".uploads"
        self._durable_folders: set[Path] = set()
        try:
            create_data_folder(root.parent)
            root.mkdir(mode=0o700, exist_ok=True)
            sync_folder(root.parent)
            self._temporary = TemporaryFolder(root / _TEMPORARY)
            self._ensure_folder(self._uploads)
            self._remove_old_uploads()
            self._empty_bin()
        except LockTimeout as error:
            raise UnusableStore(f"{root} is busy. Another process has held its lock for too long.") from error
        except OSError as error:
            raise UnusableStore(
                f"{root} cannot be used: {error.strerror}. Allow the current user to read and write it."
            ) from error

    def put(self, key: str, content: Iterable[bytes], size: int) -> None:
        """Store bytes, and replace those under the key. Raises ValueError for content of another size."""
        target = self._path(key)
        with self._temporary.new_path() as path, on_disk(create_file, path) as file:
            written = 0
            for chunk in content:
                on_disk(write_all, file, chunk)
                written += len(chunk)
            if written != size:
                raise ValueError(f"The content has {written} bytes, and not {size}.")
            on_disk(self._publish, file, path, target)

    def copy(self, source: str, target: str, size: int) -> None:  # noqa: ARG002 - other stores need the size
        """Store the bytes of a key under another key too."""
        on_disk(self._copy, source, self._path(source), self._path(target))

    def read(self, key: str, start: int = 0, end: int | None = None) -> FileRange:
        """Return the bytes from `start` up to `end`. They stay readable when the key is deleted."""
        return on_disk(self._open, key, start, end)

    def size(self, key: str) -> int | None:
        """Return the number of bytes under a key, None if there are none."""
        return on_disk(self._size, key)

    def delete(self, keys: Sequence[str]) -> None:
        """Remove the bytes under keys."""
        on_disk(self._delete, [self._path(key) for key in keys])

    def erase(self, keys: Sequence[str]) -> None:
        """Remove the bytes under keys, and those that were deleted and are kept."""
        on_disk(self._erase, [check_blob_key(key) for key in keys])

    def recover(self, key: str) -> bool:
        """Bring back the bytes that were last deleted under a key. Return False if they are not kept."""
        try:
            on_disk(self._copy, key, self._bin / check_blob_key(key), self._path(key))
        except BlobNotFound:
            return False
        return True

    def list(self, prefix: str) -> Iterator[Blob]:
        """Yield the stored bytes whose keys begin with a prefix, ordered by key."""
        keys = on_disk(self._keys, check_blob_prefix(prefix))
        for at in range(0, len(keys), _LISTED_AT_ONCE):
            yield from on_disk(self._blobs, keys[at : at + _LISTED_AT_ONCE])

    def begin_upload(self, key: str) -> MultipartUpload:
        """Begin a multipart upload."""
        upload = MultipartUpload(check_blob_key(key), secrets.token_hex(16))
        on_disk(self._ensure_folder, self._parts(upload))
        return upload

    def put_part(self, upload: MultipartUpload, number: int, content: bytes) -> UploadedPart:
        """Store a part."""
        on_disk(self._put_part, upload, check_part_number(number), content)
        return UploadedPart(number, _checksum(zlib.crc32(content)))

    def complete_upload(self, upload: MultipartUpload, parts: Sequence[UploadedPart]) -> None:
        """Join parts, store the bytes under the key, and remove all parts.

        After a crash in between, the bytes and the parts are there, and the caller can repeat the call.
        """
        on_disk(self._complete_upload, upload, parts_in_order(parts))

    def abort_upload(self, upload: MultipartUpload) -> None:
        """Remove all parts of an upload."""
        on_disk(self._end_upload, upload)

    def close(self) -> None:
        """Remove the temporary files of this process."""
        self._temporary.close()

    def _path(self, key: str) -> Path:
        return self._root / check_blob_key(key)

    def _parts(self, upload: MultipartUpload) -> Path:
        """Return the folder with the parts of an upload. Raises BlobNotFound if no upload can have its ID."""
        if not _UPLOAD_ID.fullmatch(upload.id):
            raise BlobNotFound(upload.key)
        return self._uploads / upload.id

    def _publish(self, file: FileIO, path: Path, target: Path) -> None:
        """Give a new file its final name, and replace the file that has it."""
        os.fsync(file.fileno())
        file.close()
        self._ensure_folder(target.parent)
        path.replace(target)
        sync_folder(target.parent)

    def _ensure_folder(self, folder: Path) -> None:
        """Create a folder below the root durably, with the folders above it."""
        if folder == self._root or folder in self._durable_folders:
            return
        self._ensure_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        # Also if the folder exists: another process may have created it only just now.
        sync_folder(folder.parent)
        if folder.parent != self._uploads:
            self._durable_folders.add(folder)

    def _copy(self, key: str, source: Path, target: Path) -> None:
        with self._temporary.new_path() as path:
            try:
                _link(source, path)
            except _NO_FILE:
                # Only a missing source is "not found". The temporary folder may be missing too.
                if source.exists():
                    raise
                raise BlobNotFound(key) from None
            self._ensure_folder(target.parent)
            # This does nothing if the target is the same file already. `new_path` then removes the link.
            path.replace(target)
            sync_folder(target.parent)

    def _open(self, key: str, start: int, end: int | None) -> FileRange:
        try:
            file = FileIO(self._path(key))
        except _NO_FILE:
            raise BlobNotFound(key) from None
        size = os.fstat(file.fileno()).st_size
        return FileRange(file, min(start, size), size if end is None else min(end, size))

    def _size(self, key: str) -> int | None:
        try:
            found = self._path(key).stat()
        except _NO_FILE:
            return None
        return found.st_size if stat.S_ISREG(found.st_mode) else None

    def _delete(self, paths: Sequence[Path]) -> None:
        removed = set()
        for path in paths:
            with suppress(*_NO_FILE):
                if self._recovery_seconds and path.is_relative_to(self._root / "files"):
                    self._move_to_bin(path)
                else:
                    path.unlink()
                removed.add(path.parent)
        for folder in removed:
            sync_folder(folder)
        if time.time() - self._emptied_at > _BIN_INTERVAL:
            self._empty_bin()

    def _erase(self, keys: Sequence[str]) -> None:
        removed = set()
        for path in (folder / key for key in keys for folder in (self._root, self._bin)):
            with suppress(*_NO_FILE):
                path.unlink()
                removed.add(path.parent)
        for folder in removed:
            sync_folder(folder)

    def _move_to_bin(self, path: Path) -> None:
        target = self._bin / path.relative_to(self._root)
        self._ensure_folder(target.parent)
        # The time of the file says from now on when it was deleted.
        os.utime(path)
        path.replace(target)

    def _empty_bin(self) -> None:
        """Remove what was deleted too long ago."""
        self._emptied_at = time.time()
        oldest = self._emptied_at - self._recovery_seconds
        for folder, _folders, files in os.walk(self._bin):
            for name in files:
                with suppress(FileNotFoundError):
                    path = Path(folder, name)
                    if path.stat().st_mtime < oldest:
                        path.unlink()

    def _keys(self, prefix: str) -> "Sequence[str]":
        """Return the keys that begin with a prefix, in order."""
        found: list[str] = []
        top = self._root / prefix.rpartition("/")[0]
        for folder, folders, files in os.walk(top, onerror=_raise_unless_missing):
            folders[:] = [name for name in folders if is_blob_key(name)]
            path = Path(folder).relative_to(self._root)
            found += ((path / name).as_posix() for name in files if is_blob_key(name))
        return sorted(key for key in found if key.startswith(prefix))

    def _blobs(self, keys: "Sequence[str]") -> "Sequence[Blob]":
        """Return those of the blobs that still exist."""
        sizes = ((key, self._size(key)) for key in keys)
        return [Blob(key, size) for key, size in sizes if size is not None]

    def _put_part(self, upload: MultipartUpload, number: int, content: bytes) -> None:
        parts = self._parts(upload)
        with self._temporary.new_path() as path, create_file(path) as file:
            write_all(file, content)
            os.fsync(file.fileno())
            file.close()
            try:
                path.replace(_part_file(parts, number))
                sync_folder(parts)
            except FileNotFoundError:
                raise BlobNotFound(upload.key) from None

    def _complete_upload(self, upload: MultipartUpload, parts: Sequence[UploadedPart]) -> None:
        folder, target = self._parts(upload), self._path(upload.key)
        with self._temporary.new_path() as path, create_file(path) as file:
            for part in parts:
                if not _append(_part_file(folder, part.number), part.token, file):
                    raise BlobNotFound(upload.key)
            self._publish(file, path, target)
        self._end_upload(upload)

    def _end_upload(self, upload: MultipartUpload) -> None:
        with suppress(FileNotFoundError, BlobNotFound):
            self._temporary.remove_folder(self._parts(upload))
            sync_folder(self._uploads)

    def _remove_old_uploads(self) -> None:
        oldest = time.time() - MAX_UPLOAD_AGE
        for folder in self._uploads.iterdir():
            with suppress(FileNotFoundError):
                if folder.stat().st_mtime < oldest:
                    self._temporary.remove_folder(folder)


def _link(source: Path, target: Path) -> None:
    """Make `target` a file with the bytes of `source`, without copying them if the disk can do that."""
    try:
        os.link(source, target)
    except _NO_FILE:
        raise
    except OSError:  # the file system has no links, or no more of them for this file
        with FileIO(source) as old, create_file(target) as new:
            for chunk in chunks(old):
                write_all(new, chunk)
            os.fsync(new.fileno())


def _part_file(folder: Path, number: int) -> Path:
    return folder / f"{number:05d}"


def _append(part: Path, checksum: str, file: FileIO) -> bool:
    """Append a part to a file. Return whether the part exists and has the checksum."""
    try:
        with FileIO(part) as content:
            found = 0
            for chunk in chunks(content):
                write_all(file, chunk)
                found = zlib.crc32(chunk, found)
    except FileNotFoundError:
        return False
    return _checksum(found) == checksum


def is_in_use(root: Path) -> bool:
    """Return whether a process has opened the blob store in a folder. The folder need not exist."""
    return has_live_folder(root / _TEMPORARY)


def _checksum(crc32: int) -> str:
    return f"{crc32:08x}"


def _raise_unless_missing(error: OSError) -> None:
    if not isinstance(error, _NO_FILE):
        raise error
