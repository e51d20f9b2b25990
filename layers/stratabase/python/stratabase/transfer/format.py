"""The files of an export, and the manifest, which has their checksums.

A folder is an export if it has a manifest. The manifest is written last, so an export that was interrupted
has none. All files of a folder have mode 0600.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.local_files import sync_folder

EXPORT_FORMAT, BACKUP_FORMAT = "stratabase-export", "stratabase-backup"
FORMAT_VERSION = 1
"""The version of the format. It increases when an earlier version of Stratabase can't read an export."""
MANIFEST = "manifest.json"
MODEL = "model.graphql"
SERIALS = "serials.jsonl"
PENDING_WORK = "pending-work.jsonl"
FILES = "files.jsonl"
MEMBERS = "members.jsonl"
FILE_FOLDER = "files"
UNFINISHED = "unfinished-export"
"""The empty file that marks a folder whose export is not complete."""
_CHUNK = 1024 * 1024
ReportDone = Callable[[int], None]
"""Takes the number of objects, files or lines that were processed since the last call."""


def objects_file(class_name: str) -> str:
    """Return the name of the file with the objects of a class."""
    return f"objects/{class_name}.jsonl"


def versions_file(class_name: str) -> str:
    """Return the name of the file with the closed versions of a class."""
    return f"versions/{class_name}.jsonl"


def links_file(role: RoleName) -> str:
    """Return the name of the file with the links of a role."""
    return f"links/{role}.jsonl"


class InvalidExport(Exception):
    """A folder is not an export, is damaged, or does not fit the model or store. The text says what to do."""


class ExportedFile(NamedTuple):
    """A file of an export, as the manifest lists it."""

    lines: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What an export contains."""

    application: str
    """The application of the model."""
    files: Mapping[str, ExportedFile] = field(default_factory=dict)
    """By name: the files with lines, and the model."""
    format: str = EXPORT_FORMAT

    def write(self, folder: Path) -> None:
        """Write the manifest, which completes the export, and remove the mark of one that is not complete."""
        content = {
            "format": self.format,
            "version": FORMAT_VERSION,
            "application": self.application,
            "files": {name: each._asdict() for name, each in sorted(self.files.items())},
        }
        path = folder / f"{MANIFEST}.new"
        with open_private(path) as file:
            file.write(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            file.flush()
            os.fsync(file.fileno())
        path.replace(folder / MANIFEST)
        sync_folder(folder)
        (folder / UNFINISHED).unlink(missing_ok=True)

    def digest(self) -> str:
        """Return a text that is the same for exports with the same content."""
        listed = [self.application, *sorted((name, *each) for name, each in self.files.items())]
        return hashlib.sha256(orjson.dumps(listed)).hexdigest()


_WRITTEN_BY = {EXPORT_FORMAT: ("export", "stratabase export"), BACKUP_FORMAT: ("backup", "stratabase backup")}
"""By format: its name, and the command that writes it."""


def read_manifest(folder: Path, format_: str = EXPORT_FORMAT) -> Manifest:
    """Return the manifest of an export or a backup. Raises InvalidExport."""
    name, command = _WRITTEN_BY[format_]
    try:
        content = orjson.loads((folder / MANIFEST).read_bytes())
        version = {format_: content["version"]}[content["format"]]
        files = content["files"] if version == FORMAT_VERSION else {}
        listed = {name: _exported_file(each) for name, each in files.items()}
        manifest = Manifest(content["application"], listed, format_)
    except FileNotFoundError:
        if (folder / UNFINISHED).exists():
            raise InvalidExport(
                f"The {name} in {folder} is not complete. Run `{command} {folder}` again."
            ) from None
        raise InvalidExport(
            f"{folder} contains no {name}: it has no {MANIFEST}. Name a folder that `{command}` has written."
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f" ({error.strerror})" if isinstance(error, OSError) else ""
        raise InvalidExport(
            f"{folder / MANIFEST} can't be read as the manifest of the {name}{reason}. Name a folder that "
            f"`{command}` has written."
        ) from error
    if version != FORMAT_VERSION:
        raise InvalidExport(
            f"{folder} has version {version} of the {name} format, but this version of Stratabase reads "
            f"version {FORMAT_VERSION}. Use the version of Stratabase that wrote the export, or a later one."
        )
    return manifest


def _exported_file(entry: Any) -> ExportedFile:
    """Return the entry of a file in a manifest. Raises KeyError, TypeError."""
    file = ExportedFile(*(entry[name] for name in ExportedFile._fields))
    if not isinstance(file.lines, int) or not isinstance(file.bytes, int) or not isinstance(file.sha256, str):
        raise TypeError
    return file


def check_content(folder: Path, name: str, expected: ExportedFile) -> None:
    """Raise InvalidExport unless a file has the size and the checksum that the manifest says."""
    path = folder / name
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        raise InvalidExport(f"{path} can't be read: {error.strerror}. Copy the folder again.") from error
    if size != expected.bytes:
        raise InvalidExport(
            f"{path} has {size:,} bytes, but the manifest says {expected.bytes:,}. Copy the folder again."
        )
    if digest.hexdigest() != expected.sha256:
        raise InvalidExport(
            f"{path} was changed: its SHA-256 is not the one in the manifest. Copy the folder again."
        )


def open_private(path: Path) -> Any:
    """Open a new file for writing bytes, which only its owner can read. An existing file is emptied."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.fchmod(descriptor, 0o600)
    return os.fdopen(descriptor, "wb", buffering=_CHUNK)


class LineWriter:
    """Writes a file with one JSON object in each line. The file is created with the first line.

    The folder of the file is created if it does not exist.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / name
        self._name = name
        self._file: Any = None
        self._digest = hashlib.sha256()
        self._lines = self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def write(self, record: Mapping[str, Any]) -> None:
        """Write a line."""
        if self._file is None:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._file = open_private(self._path)
        line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
        self._file.write(line)
        self._digest.update(line)
        self._lines += 1
        self._bytes += len(line)

    def finish(self) -> dict[str, ExportedFile]:
        """Flush the file to the disk, and return its entry of the manifest by its name, if it has lines."""
        if self._file is None:
            return {}
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return {self._name: ExportedFile(self._lines, self._bytes, self._digest.hexdigest())}


class Line(NamedTuple):
    """A line of a file of an export."""

    file: str
    number: int
    record: dict[str, Any]

    def refuse(self, reason: str) -> InvalidExport:
        """Return the error that says why the line can't be imported."""
        return InvalidExport(f"{self.file}, line {self.number}: {reason}")


def read_lines(folder: Path, name: str) -> Iterator[Line]:
    """Yield the lines of a file. Yield nothing if the export has no such file. Raises InvalidExport."""
    try:
        file = (folder / name).open("rb")
    except FileNotFoundError:
        return
    except OSError as error:
        raise InvalidExport(f"{folder / name} can't be read: {error.strerror}.") from error
    with file:
        for number, text in enumerate(file, 1):
            try:
                record = orjson.loads(text)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise InvalidExport(f"{name}, line {number}: the line is not a JSON object.")
            yield Line(name, number, record)


def text_field(line: Line, name: str) -> str:
    """Return a text of a record. Raises InvalidExport."""
    value = line.record.get(name)
    if not isinstance(value, str) or not value:
        raise line.refuse(f'"{name}" must be a text that is not empty.')
    return value
