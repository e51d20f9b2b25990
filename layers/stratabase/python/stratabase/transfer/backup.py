"""Backs up an instance that keeps its data in a folder, and restores it. The service may run meanwhile.

A backup is a copy of the databases, the signing keys and the files, with their checksums. The databases are
copied first, as one snapshot each. Files never change, and the caller keeps the sweep from removing any. So
the backup has all files that its objects have.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from stratabase.core.data_folder import OBJECTS, RESTORING
from stratabase.core.local_files import LOST_AND_FOUND, entries, sync_folder
from stratabase.core.store.file_references import stored_file_ids
from stratabase.core.store.layout import keys
from stratabase.core.store.sqlite.snapshot import copy_database, open_snapshot
from stratabase.transfer.format import (
    BACKUP_FORMAT,
    ExportedFile,
    LineWriter,
    Manifest,
    ReportDone,
    check_content,
    open_private,
    read_lines,
    text_field,
)

_DATABASES = (OBJECTS, "members.db")
_KEYS = "signing-keys.json"
_BLOBS = "files"
_CHECKSUMS = "checksums.jsonl"
_NOT_COPIED = frozenset({".temporary", ".bin", LOST_AND_FOUND})
"""The folders of files that have no content of the service, such as unfinished and deleted files."""
_CHUNK = 1024 * 1024


class BackedUp(NamedTuple):
    """What a backup has."""

    files: int
    """The number of files that objects and versions refer to, or did."""
    missing: int
    """The number of files that objects or versions refer to, but that have no bytes."""


def back_up(home: Path, folder: Path, busy_timeout: float, report: ReportDone = lambda _: None) -> BackedUp:
    """Copy the data of an instance to a prepared folder. Report each file.

    `busy_timeout`: the seconds to wait for other processes. Raises OSError, Unavailable, UnusableStore.
    """
    with LineWriter(folder, _CHECKSUMS) as checksums:
        for name in _DATABASES:
            if (home / name).exists():
                copy_database(home / name, folder / name, busy_timeout)
                checksums.write(_entry(folder, folder / name))
                report(1)
        number = 0
        for path in _sources(home):
            copied = _copy(path, folder / path.relative_to(home))
            if copied is not None:
                checksums.write(_entry(folder, copied))
                number += copied.parent == folder / _BLOBS / _BLOBS
                report(1)
        missing = sum(
            not (folder / _BLOBS / _BLOBS / id_).exists() for id_ in _file_ids(folder, busy_timeout)
        )
        manifest = Manifest("", checksums.finish(), BACKUP_FORMAT)
    manifest.write(folder)
    return BackedUp(number, missing)


def check_backup(folder: Path, manifest: Manifest, report: ReportDone = lambda _: None) -> list[str]:
    """Return the names of all files of a backup, after a comparison with their checksums.

    Raises InvalidExport.
    """
    for name, expected in manifest.files.items():
        check_content(folder, name, expected)
    names = []
    for line in read_lines(folder, _CHECKSUMS):
        name, size = text_field(line, "name"), line.record.get("size")
        if name.startswith("/") or ".." in name.split("/") or not isinstance(size, int):
            raise line.refuse("The line must have the name of a file in the backup, and its size.")
        check_content(folder, name, ExportedFile(0, size, text_field(line, "sha256")))
        names.append(name)
        report(1)
    return names


def restore_backup(
    folder: Path,
    names: list[str],
    home: Path,
    check: Callable[[Path], None],
    report: ReportDone = lambda _: None,
) -> None:
    """Copy the files of a backup to a data folder without data. Report each file.

    `check(folder)` raises an exception if the copy in a folder can't be used. Then nothing is restored.
    If it stops in between, a repeated call begins again. The objects appear last, so that nothing serves a
    part. The caller has the folder alone. Raises OSError.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    under_way = home / RESTORING
    if under_way.exists():
        for each in entries(home):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    under_way.mkdir(mode=0o700)
    for name in names:
        _copy(folder / name, under_way / name)
        report(1)
    try:
        check(under_way)
    except BaseException:
        shutil.rmtree(under_way)
        raise
    for name in sorted({name.split("/")[0] for name in names}, key=lambda name: name == OBJECTS):
        (under_way / name).rename(home / name)
        sync_folder(home)
    under_way.rmdir()
    sync_folder(home)


def _sources(home: Path) -> Iterator[Path]:
    """Yield the files to copy beside the databases: the keys, and all files, in order."""
    if (home / _KEYS).exists():
        yield home / _KEYS
    for folder, folders, files in os.walk(home / _BLOBS):
        folders[:] = sorted(set(folders) - (_NOT_COPIED if Path(folder) == home / _BLOBS else set()))
        yield from (Path(folder) / name for name in sorted(files))


def _copy(source: Path, target: Path) -> Path | None:
    """Copy a file, and return the copy. None if the source does not exist any more."""
    _make_private_folder(target.parent)
    try:
        with source.open("rb") as content, open_private(target) as file:
            shutil.copyfileobj(content, file, _CHUNK)
            file.flush()
            os.fsync(file.fileno())
    except FileNotFoundError:
        return None
    return target


def _make_private_folder(folder: Path) -> None:
    """Create a folder with those above it, for their owner only."""
    if not folder.exists():
        _make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _entry(folder: Path, path: Path) -> dict[str, str | int]:
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    name = path.relative_to(folder).as_posix()
    return {"name": name, "size": path.stat().st_size, "sha256": digest.hexdigest()}


def _file_ids(folder: Path, busy_timeout: float) -> set[str]:
    """Return the IDs of the files of all objects and versions in a copy of the database."""
    if not (folder / OBJECTS).exists():
        return set()
    with open_snapshot(folder / OBJECTS, busy_timeout) as snapshot:
        items = chain.from_iterable(snapshot.scan())
        return {id_ for item in items if keys.is_in_object(item.key) for id_ in stored_file_ids(item)}
