"""The blob store in a folder: durability, crashes, processes that share it, and failures of the disk."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.core.domain.files.blob import CHUNK_SIZE
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.files import disk, folder
from stratabase.core.files.folder import MAX_UPLOAD_AGE, FolderBlobs
from stratabase.core.local_files import lock_file
from stratabase.core.unusable_store import UnusableStore
from tests.contract.blobs.blob_calls import pattern, put, read
from tests.repository import ROOT

MESSAGE = "The store is temporarily unavailable. Try again later."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "home" / "files"


@pytest.fixture
def blobs(root: Path) -> Iterator[FolderBlobs]:
    with closing(FolderBlobs(root)) as blobs:
        yield blobs


def unfinished(root: Path) -> list[str]:
    """Return the names of temporary files."""
    return [path.name for path in (root / ".temporary").glob("*/*") if path.name != "lock"]


class Disk:
    """Records which files and folders are flushed, and what is renamed."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: list[str] = []
        self._root = root
        fsync, replace = os.fsync, Path.replace

        def record_fsync(descriptor: int) -> None:
            fsync(descriptor)
            self.steps.append(f"flush {self._name(os.fstat(descriptor))}")

        def record_replace(path: Path, target: Path) -> Path:
            self.steps.append(f"rename to {target.relative_to(root).as_posix()}")
            return replace(path, target)

        monkeypatch.setattr(os, "fsync", record_fsync)
        monkeypatch.setattr(Path, "replace", record_replace)

    def _name(self, status: os.stat_result) -> str:
        if not stat.S_ISDIR(status.st_mode):
            return f"file of {status.st_size}"
        folders = (path for path in (self._root, *self._root.rglob("*")) if path.is_dir())
        (found,) = (path for path in folders if path.stat().st_ino == status.st_ino)
        return found.relative_to(self._root).as_posix()


def test_a_put_flushes_the_file_before_and_the_folder_after_it_gets_its_name(
    blobs: FolderBlobs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(root, monkeypatch)
    put(blobs, "files/a", b"new")
    assert disk.steps == ["flush file of 3", "flush .", "rename to files/a", "flush files"]
    disk.steps.clear()
    put(blobs, "files/a", b"newer")
    assert disk.steps == ["flush file of 5", "rename to files/a", "flush files"]


def test_a_copy_flushes_the_folder_after_it_gets_its_name(
    blobs: FolderBlobs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(blobs, "pending/a", b"new")
    disk = Disk(root, monkeypatch)
    blobs.copy("pending/a", "files/b", 3)
    assert disk.steps == ["flush .", "rename to files/b", "flush files"]
    assert (root / "files/b").samefile(root / "pending/a")


def test_a_disk_without_links_gets_a_flushed_copy(
    blobs: FolderBlobs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    content = pattern(2 * CHUNK_SIZE + 1)
    put(blobs, "pending/a", content)
    put(blobs, "files/b", b"old")
    monkeypatch.setattr(os, "link", refuse)
    disk = Disk(root, monkeypatch)
    blobs.copy("pending/a", "files/b", len(content))
    assert disk.steps == [f"flush file of {len(content)}", "rename to files/b", "flush files"]
    assert not (root / "files/b").samefile(root / "pending/a")
    assert read(blobs, "files/b") == content


def test_an_upload_and_its_parts_are_flushed(
    blobs: FolderBlobs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(blobs, "pending/x", b"")
    disk = Disk(root, monkeypatch)
    upload = blobs.begin_upload("pending/a")
    parts = [blobs.put_part(upload, 2, b"two"), blobs.put_part(upload, 1, b"one")]
    blobs.complete_upload(upload, parts)
    place = f".uploads/{upload.id}"
    assert disk.steps == [
        "flush .uploads",
        *("flush file of 3", f"rename to {place}/00002", f"flush {place}"),
        *("flush file of 3", f"rename to {place}/00001", f"flush {place}"),
        *("flush file of 6", "rename to pending/a", "flush pending"),
        "flush .uploads",
    ]
    assert list((root / ".uploads").iterdir()) == []


def test_a_delete_flushes_each_folder_once(
    blobs: FolderBlobs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("files/a", "files/b"):
        put(blobs, key, b"x")
    disk = Disk(root, monkeypatch)
    blobs.delete(["files/a", "files/b", "pending/c"])
    assert disk.steps == ["flush files"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.parametrize("action", ["put", "copy", "complete"])
def test_a_crash_at_any_step_leaves_the_old_or_the_new_bytes_and_nothing_else(
    action: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "tests.core.files.crashes", str(tmp_path), action]
    output = subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout
    assert int(output) > 10


def test_another_process_may_open_the_folder_during_a_put(blobs: FolderBlobs, root: Path) -> None:
    def content() -> Iterator[bytes]:
        yield b"first "
        with closing(FolderBlobs(root)) as other:
            put(other, "files/b", b"other")
            assert len(unfinished(root)) == 1
        yield b"second"

    blobs.put("files/a", content(), 12)
    assert (read(blobs, "files/a"), read(blobs, "files/b")) == (b"first second", b"other")
    assert unfinished(root) == []


def test_an_upload_goes_on_after_a_restart(root: Path) -> None:
    with closing(FolderBlobs(root)) as blobs:
        upload = blobs.begin_upload("pending/a")
        first = blobs.put_part(upload, 1, b"one")
    with closing(FolderBlobs(root)) as blobs:
        blobs.complete_upload(upload, [first, blobs.put_part(upload, 2, b"two")])
        assert read(blobs, "pending/a") == b"onetwo"


def test_opening_removes_uploads_that_got_no_part_for_a_week(root: Path) -> None:
    with closing(FolderBlobs(root)) as blobs:
        old, recent = blobs.begin_upload("pending/a"), blobs.begin_upload("pending/b")
    for upload, age in ((old, MAX_UPLOAD_AGE + 60), (recent, MAX_UPLOAD_AGE - 60)):
        path = root / ".uploads" / upload.id
        changed = path.stat().st_mtime - age
        os.utime(path, (changed, changed))
    with closing(FolderBlobs(root)):
        assert [path.name for path in (root / ".uploads").iterdir()] == [recent.id]


def test_only_the_owner_may_read_files_and_folders(blobs: FolderBlobs, root: Path) -> None:
    put(blobs, "files/a", b"x")
    blobs.put_part(blobs.begin_upload("files/a"), 1, b"x")
    paths = [root, *root.rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_dir()} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths if path.is_file()} == {0o600}


def test_a_server_can_send_a_range_itself(blobs: FolderBlobs) -> None:
    content = pattern(1000)
    put(blobs, "files/a", content)
    with closing(blobs.read("files/a", 10, 2000)) as range_:
        blobs.delete(["files/a"])
        assert (range_.start, range_.end) == (10, 1000)
        assert os.pread(range_.fileno(), range_.end - range_.start, range_.start) == content[10:]
        assert b"".join(range_) == content[10:]


@pytest.mark.parametrize("is_cached", [True, False])
def test_chunks_in_memory_and_on_the_disk_make_up_the_range(
    is_cached: bool, blobs: FolderBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_nothing(*_: object) -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    content = pattern(3 * CHUNK_SIZE)
    put(blobs, "files/a", content)
    if not is_cached:
        monkeypatch.setattr(os, "preadv", read_nothing, raising=False)
    chunks, end = [], len(content) - 7
    with closing(blobs.read("files/a", 10, end)) as range_:
        while (chunk := range_.next_cached() or next(range_, None)) is not None:
            chunks.append(chunk)
        assert range_.next_cached() is None
    assert b"".join(chunks) == content[10:end]
    assert max(len(chunk) for chunk in chunks) <= CHUNK_SIZE


@pytest.mark.parametrize(("start", "end"), [(7, 3), (20, None), (20, 30)])
def test_an_empty_range_ends_where_it_starts(start: int, end: int | None, blobs: FolderBlobs) -> None:
    put(blobs, "files/a", b"0123456789")
    with closing(blobs.read("files/a", start, end)) as range_:
        assert range_.start == range_.end


def test_files_with_other_names_are_no_blobs(blobs: FolderBlobs, root: Path) -> None:
    put(blobs, "files/a", b"x")
    blobs.put_part(blobs.begin_upload("files/a"), 1, b"x")
    (root / "files" / ".DS_Store").touch()
    (root / "read me.txt").touch()
    assert [blob.key for blob in blobs.list("")] == ["files/a"]


FAILURES = [
    OSError(errno.ENOSPC, "No space left on device", "/private/home"),
    OSError(errno.EIO, "Input/output error", "/private/home"),
    PermissionError(errno.EACCES, "Permission denied", "/private/home"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.strerror)
@pytest.mark.parametrize("step", ["write_all", "create_file", "sync_folder"])
def test_a_failing_disk_is_unavailable_and_leaves_nothing_unfinished(
    step: str, failure: OSError, blobs: FolderBlobs, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise failure

    put(blobs, "files/a", b"old")
    upload = blobs.begin_upload("files/a")
    parts = [blobs.put_part(upload, 1, b"new")]
    monkeypatch.setattr(folder, step, fail)
    for call in (
        lambda: put(blobs, "files/a", b"new"),
        lambda: blobs.put_part(upload, 2, b"x"),
        lambda: blobs.complete_upload(upload, parts),
    ):
        with pytest.raises(Unavailable) as caught:
            call()
        assert str(caught.value.message) == MESSAGE
        assert caught.value.__cause__ is failure
        assert unfinished(root) == []
    assert read(blobs, "files/a") == (b"new" if step == "sync_folder" else b"old")


def test_a_file_that_becomes_shorter_is_unavailable(blobs: FolderBlobs, root: Path) -> None:
    put(blobs, "files/a", pattern(2 * CHUNK_SIZE))
    with closing(blobs.read("files/a")) as chunks:
        next(chunks)
        os.truncate(root / "files/a", CHUNK_SIZE)
        assert chunks.next_cached() is None
        with pytest.raises(Unavailable, match="temporarily unavailable"):
            next(chunks)


def test_a_folder_that_has_vanished_is_unavailable(blobs: FolderBlobs, root: Path) -> None:
    put(blobs, "files/a", b"x")
    root.rename(root.with_name("moved"))
    for call in (lambda: put(blobs, "files/a", b"y"), lambda: blobs.begin_upload("files/a")):
        with pytest.raises(Unavailable):
            call()


def test_a_copy_without_a_temporary_folder_is_unavailable(blobs: FolderBlobs, root: Path) -> None:
    put(blobs, "pending/a", b"x")
    (root / ".temporary").rename(root / ".moved")
    with pytest.raises(Unavailable):
        blobs.copy("pending/a", "files/a", 1)


def test_a_file_in_place_of_the_folder_is_refused(root: Path) -> None:
    root.parent.mkdir()
    root.write_text("a file")
    with pytest.raises(UnusableStore, match=r"files cannot be used: File exists\. Allow the current user"):
        FolderBlobs(root)


def test_a_folder_that_stays_locked_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FolderBlobs(root).close()
    monkeypatch.setattr(disk, "LOCK_TIMEOUT", 0.01)
    with lock_file(root / ".temporary" / "lock", 0), pytest.raises(UnusableStore, match="files is busy"):
        FolderBlobs(root)


def test_closing_removes_the_temporary_files(root: Path) -> None:
    FolderBlobs(root).close()
    assert [path.name for path in (root / ".temporary").iterdir()] == ["lock"]
