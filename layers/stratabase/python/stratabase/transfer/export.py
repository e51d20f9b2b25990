"""Writes all objects of a store to the folder of an export: objects, versions, links, counters and files.

The items come from a snapshot in the order of their keys. So the objects of a class are in the order of their
ids, and the same data always gives the same bytes. The list of erased ids is a file of its own.

Left out is what an import builds again: index entries, guards, the links and former links of foreign keys,
and counts. Also left out are uploads that no object has taken, and objects of classes that the model lacks.
"""

import hashlib
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import orjson

from stratabase.core.domain.files.blob import BlobNotFound
from stratabase.core.domain.files.pending_file import is_file_id
from stratabase.core.domain.files.stored_file import file_key
from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.local_files import LockTimeout, entries, lock_folder
from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.operations.file_ports import BlobStore
from stratabase.core.store.engine.port import Item
from stratabase.core.store.engine.snapshot import ItemSnapshot
from stratabase.core.store.file_references import stored_file_ids
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.associations import Associations
from stratabase.core.store.name_translation import NameTranslation
from stratabase.core.store.write.serials import last_number
from stratabase.evolution.erasure.erased_ids import ErasedId
from stratabase.evolution.erasure.erased_list import ERASED_FILE, list_record, translated
from stratabase.transfer.format import (
    FILE_FOLDER,
    FILES,
    MANIFEST,
    MODEL,
    PENDING_WORK,
    SERIALS,
    UNFINISHED,
    ExportedFile,
    LineWriter,
    Manifest,
    ReportDone,
    links_file,
    objects_file,
    open_private,
    versions_file,
)
from stratabase.transfer.records import ID_FIELD, TARGET, ClassRecords


class FolderInUse(Exception):
    """The folder for an export has other files. The text says how to fix it."""


class Exported(Counter[str]):
    """The numbers of what an export has: `objects`, `versions`, `links`, `files`, and what it lacks.

    `missing files` are referred to but have no bytes. `other classes` are objects of classes that the model
    lacks. `other links` are links of roles that the model lacks.
    """


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Let no other command write an export or a backup to a folder inside the `with` block.

    The folder is created if it does not exist. Raises FolderInUse, OSError.
    """
    if folder.is_file():
        raise FolderInUse(f"{folder} is a file. Name a folder that is empty or doesn't exist yet.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as held:
        try:
            held.enter_context(lock_folder(folder, 0))
        except LockTimeout as error:
            raise FolderInUse(
                f"Another command writes to {folder}. Wait until it ends, or name another folder."
            ) from error
        yield


@contextmanager
def prepared_folder(folder: Path) -> Iterator[None]:
    """Hold a folder for an export or a backup, which is empty at the beginning of the `with` block.

    One whose command was interrupted is emptied. Files of objects stay, because their bytes never change.
    Raises FolderInUse, OSError.
    """
    with hold_folder(folder):
        _prepare(folder)
        yield


def _prepare(folder: Path) -> None:
    marker = folder / UNFINISHED
    found = [each for each in entries(folder) if each != marker]
    # A process that is killed right after the manifest leaves the marker, and so did earlier backups.
    is_complete = (folder / MANIFEST).exists()
    if found and (is_complete or not marker.exists()):
        complete = " It has a complete export or backup." if is_complete else ""
        raise FolderInUse(
            f"{folder} is not empty.{complete} Name a folder that is empty or doesn't exist yet."
        )
    folder.chmod(0o700)
    open_private(marker).close()
    for each in found:
        if each.name == FILE_FOLDER:
            continue
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink()


class Export:
    """One export of a store."""

    def __init__(self, folder: Path, model: Model, model_text: str | None) -> None:
        """`folder`: one that `prepare_folder` has prepared. `model_text`: the text of the model's file."""
        self._folder = folder
        self._model = model
        self._model_text = model_text
        self._names = StoredNames(model)
        self._translation = NameTranslation.to_stored(self._names).inverse
        self._associations = Associations(self._names.stored_model)
        self._files: dict[str, ExportedFile] = {}
        self._file_ids: Sequence[str] = ()
        self.found = Exported()

    def write_objects(
        self,
        snapshot: ItemSnapshot,
        report: ReportDone = lambda _: None,
        erased: Sequence[ErasedId] = (),
    ) -> None:
        """Write everything but the bytes of files and the members. Raises OSError, Unavailable.

        `erased`: the list of erased ids. What the snapshot still has of these objects is left out.
        """
        file_ids, gone = set[str](), {entry.reference for entry in erased}
        with LineWriter(self._folder, ERASED_FILE) as listed:
            for entry in erased:
                listed.write(list_record(translated(entry, self._translation)))
            self._files |= listed.finish()
        with ExitStack() as opened:
            serials = opened.enter_context(LineWriter(self._folder, SERIALS))
            work = opened.enter_context(LineWriter(self._folder, PENDING_WORK))
            current: _ClassWriter | None = None
            for page in snapshot.scan():
                for item in page:
                    if keys.is_ledger(item.key):
                        if keys.ledger_of(item.key) not in gone:
                            work.write(_ledger_record(item))
                    elif keys.is_in_object(item.key):
                        reference = keys.reference_of(item.key)
                        if reference in gone:
                            continue
                        if current is None or current.stored_name != reference.class_name:
                            self._end(current)
                            current = self._class_writer(reference)
                            opened.enter_context(current)
                        current.write(item, reference)
                        file_ids.update(stored_file_ids(item))
                    elif keys.serial_of(item.key) is not None:
                        self._write_serial(serials, item)
                report(sum(item.key.sort == keys.HEAD for item in page))
            self._end(current)
            self._files |= {**serials.finish(), **work.finish()}
        self._file_ids = sorted(filter(is_file_id, file_ids))

    def write_files(self, blobs: BlobStore, report: ReportDone = lambda _: None) -> None:
        """Write the bytes of all files of objects and versions. Files that are there already stay.

        Raises OSError, Unavailable.
        """
        folder = self._folder / FILE_FOLDER
        with LineWriter(self._folder, FILES) as listed:
            for id_ in self._file_ids:
                try:
                    size, digest = _copy(blobs, id_, folder)
                except BlobNotFound:
                    self.found["missing files"] += 1
                else:
                    listed.write({"id": id_, "size": size, "sha256": digest})
                    self.found["files"] += 1
                report(1)
            self._files |= listed.finish()
        if folder.exists():
            # An export that was interrupted may have left files that no object has any more.
            for path in {each.name: each for each in folder.iterdir()}.keys() - set(self._file_ids):
                (folder / path).unlink()

    def add(self, files: Mapping[str, ExportedFile]) -> None:
        """Add further files of the folder to the manifest."""
        self._files |= files

    def lines_of(self, name: str) -> int:
        """Return the number of lines of a file, 0 if the export has no such file."""
        return self._files[name].lines if name in self._files else 0

    def finish(self) -> Manifest:
        """Write the manifest, which completes the export."""
        if self._model_text is not None:
            content = self._model_text.encode()
            with open_private(self._folder / MODEL) as file:
                file.write(content)
            lines = content.count(b"\n")
            self._files[MODEL] = ExportedFile(lines, len(content), hashlib.sha256(content).hexdigest())
        manifest = Manifest(self._model.application, self._files)
        manifest.write(self._folder)
        return manifest

    @property
    def number_of_files(self) -> int:
        """The number of files of objects and versions."""
        return len(self._file_ids)

    def _class_writer(self, reference: Reference) -> "_ClassWriter":
        names = self._names.by_stored_name.get(reference.class_name)
        class_ = None if names is None else self._model.classes[names.name]
        if names is None or class_ is None or not class_.is_stored:
            return _ClassWriter(self._folder, reference.class_name, None, {}, self.found)
        linked = {
            ends.near.role: self._translation.role(ends.near.role)
            for ends in self._associations.link_associations(reference.class_name)
            if _is_exported_end(ends.near.role, ends.far.role)
        }
        return _ClassWriter(
            self._folder,
            reference.class_name,
            ClassRecords(class_, names),
            linked,
            self.found,
        )

    def _end(self, writer: "_ClassWriter | None") -> None:
        if writer is not None:
            self._files |= writer.finish()

    def _write_serial(self, serials: LineWriter, item: Item) -> None:
        serial = keys.serial_of(item.key)
        assert serial is not None
        names = self._names.by_stored_name.get(serial.class_name)
        if names is not None and serial.attribute in names.from_stored:
            shown = self._translation.serial(serial)
            serials.write(
                {"class": shown.class_name, "attribute": shown.attribute, "last": last_number(item)}
            )


def _is_exported_end(near: RoleName, far: RoleName) -> bool:
    """Return whether an export has the links at the near end of an association. It has them at one end.

    An end whose role the model does not have has a made-up name with a dot.
    """
    return "." not in near.role_name and ("." in far.role_name or near <= far)


class _ClassWriter:
    """Writes the objects, versions and links of one class."""

    def __init__(
        self,
        folder: Path,
        stored_name: str,
        records: ClassRecords | None,
        linked: Mapping[RoleName, RoleName],
        found: Exported,
    ) -> None:
        """Take the conversion of the class, None if the model lacks it.

        `linked`: the stored roles with links, and their names in the model.
        """
        self.stored_name = stored_name
        self._records = records
        self._linked = linked
        self._found = found
        name = "" if records is None else records.name
        self._objects = LineWriter(folder, objects_file(name))
        self._versions = LineWriter(folder, versions_file(name))
        self._links = {role: LineWriter(folder, links_file(shown)) for role, shown in linked.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the files."""
        for writer in (self._objects, self._versions, *self._links.values()):
            writer.__exit__(None, None, None)

    def write(self, item: Item, reference: Reference) -> None:
        """Write an item of an object of the class."""
        if self._records is None:
            self._found["other classes"] += item.key.sort == keys.HEAD
        elif item.key.sort == keys.HEAD:
            if (record := self._records.object_record(item)) is not None:
                self._objects.write(record)
                self._found["objects"] += 1
        elif item.key.sort.startswith(keys.VERSIONS):
            self._versions.write(self._records.version_record(item))
            self._found["versions"] += 1
        elif (end := keys.end_of(item.key)) is not None and end[1] in self._links:
            target = item.key.sort.split("#", 2)[2]
            self._links[end[1]].write({ID_FIELD: reference.id, TARGET: target})
            self._found["links"] += 1

    def finish(self) -> dict[str, ExportedFile]:
        """Flush the files to the disk, and return their entries of the manifest."""
        entries: dict[str, ExportedFile] = {}
        for writer in (self._objects, self._versions, *self._links.values()):
            entries |= writer.finish()
        return entries


def _ledger_record(item: Item) -> dict[str, Any]:
    state = None if item.state is None else orjson.loads(item.state)
    return {
        "partition": item.key.partition,
        "sort": item.key.sort,
        "attributes": item.attributes,
        "state": state,
    }


def _copy(blobs: BlobStore, id_: str, folder: Path) -> tuple[int, str]:
    """Copy a file to a folder unless it is there; return its size and checksum. Raises BlobNotFound."""
    target = folder / id_
    size = blobs.size(file_key(id_))
    if size is None and not target.exists():
        raise BlobNotFound(file_key(id_))
    if target.exists() and size in (None, target.stat().st_size):
        return _measured(_chunks_of(target))
    folder.mkdir(mode=0o700, exist_ok=True)
    new = folder / f"{id_}.new"
    digest, written = hashlib.sha256(), 0
    with open_private(new) as file:
        for chunk in blobs.read(file_key(id_)):
            file.write(chunk)
            digest.update(chunk)
            written += len(chunk)
    new.replace(target)
    return written, digest.hexdigest()


def _measured(chunks: Iterable[bytes]) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
    return size, digest.hexdigest()


def _chunks_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(1024 * 1024):
            yield chunk
