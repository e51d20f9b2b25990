"""The file keyring in the local data folder."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import StoreFull, Unavailable
from stratabase.core.local_files import lock_file
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.unusable_store import UnusableStore
from stratabase.core.waiting import SystemClock
from stratabase.members.keys import file
from stratabase.members.keys.file import KEYS_FILE, FileKeyring
from stratabase.members.sign_in.signing_keys import RotateKeys, SigningKeyCache
from tests.in_memory_keyring import key
from tests.rivals import in_processes
from tests.soak import count

PROCESSES = count(4, 16)


@pytest.fixture
def keyring(tmp_path: Path) -> FileKeyring:
    keyring = FileKeyring(tmp_path)
    keyring.change(lambda _: (key("a"),))
    return keyring


def test_reading_creates_no_file(tmp_path: Path) -> None:
    assert FileKeyring(tmp_path / "home").keys() == ()
    assert list(tmp_path.iterdir()) == []


def test_only_the_owner_may_read_the_file_and_its_folder(tmp_path: Path) -> None:
    FileKeyring(tmp_path / "home").change(lambda _: (key("a"),))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"home": 0o700, KEYS_FILE: 0o600, f"{KEYS_FILE}.lock": 0o600}


def test_the_next_change_restricts_a_file_that_others_could_read(
    keyring: FileKeyring, tmp_path: Path
) -> None:
    (tmp_path / KEYS_FILE).chmod(0o644)
    keyring.change(lambda keys: (*keys, key("b")))
    assert stat.S_IMODE((tmp_path / KEYS_FILE).stat().st_mode) == 0o600


def test_an_unfinished_file_of_a_killed_process_is_ignored_and_replaced(
    keyring: FileKeyring, tmp_path: Path
) -> None:
    left = tmp_path / f"{KEYS_FILE}.new"
    left.write_text("half of a fi")
    left.chmod(0o644)
    assert list(keyring.keys()) == [key("a")]
    keyring.change(lambda keys: (*keys, key("b")))
    assert list(keyring.keys()) == [key("a"), key("b")]
    assert stat.S_IMODE((tmp_path / KEYS_FILE).stat().st_mode) == 0o600
    assert not left.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"\0" * 100, b'{"layout": 2, "keys": []}'])
def test_a_damaged_file_is_refused_and_never_overwritten(
    content: bytes, keyring: FileKeyring, tmp_path: Path
) -> None:
    (tmp_path / KEYS_FILE).write_bytes(content)
    message = rf"{KEYS_FILE} is damaged: .*Restore a backup, or delete the file"
    with pytest.raises(UnusableStore, match=message):
        keyring.keys()
    with pytest.raises(UnusableStore, match=message):
        keyring.change(lambda keys: (*keys, key("b")))
    assert (tmp_path / KEYS_FILE).read_bytes() == content


def test_keys_that_have_not_changed_need_no_open_file(
    keyring: FileKeyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise OSError(errno.EMFILE, "Too many open files", str(path))

    assert list(keyring.keys()) == [key("a")]
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refuse)
        assert list(keyring.keys()) == [key("a")]
        (tmp_path / KEYS_FILE).chmod(0o400)
        with pytest.raises(UnusableStore, match="cannot be read: Too many open files"):
            keyring.keys()
    FileKeyring(tmp_path).change(lambda keys: (*keys, key("b")))
    assert list(keyring.keys()) == [key("a"), key("b")]
    (tmp_path / KEYS_FILE).unlink()
    assert list(keyring.keys()) == []


def test_a_file_that_was_removed_is_created_again(keyring: FileKeyring, tmp_path: Path) -> None:
    (tmp_path / KEYS_FILE).unlink()
    keyring.change(lambda keys: (*keys, key("b")))
    assert list(keyring.keys()) == [key("b")]


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / KEYS_FILE).mkdir()
    with pytest.raises(
        UnusableStore, match=rf"{KEYS_FILE} cannot be read: Is a directory\. Allow the current user"
    ):
        FileKeyring(tmp_path).keys()


def test_a_home_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(UnusableStore, match=f"{KEYS_FILE} cannot be written: "):
        FileKeyring(tmp_path / "home").change(lambda _: (key("a"),))


def test_a_full_disk_is_unavailable_until_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", fail)
        with pytest.raises(StoreFull, match=rf"{KEYS_FILE}: database or disk is full"):
            FileKeyring(tmp_path).change(lambda _: (key("a"),))
    assert FileKeyring(tmp_path).keys() == ()
    FileKeyring(tmp_path).change(lambda _: (key("a"),))
    assert list(FileKeyring(tmp_path).keys()) == [key("a")]


def test_a_change_that_waits_too_long_for_the_lock_is_unavailable(
    keyring: FileKeyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "LOCK_TIMEOUT", 0.01)
    with lock_file(tmp_path / f"{KEYS_FILE}.lock", 0), pytest.raises(Unavailable, match="busy"):
        keyring.change(lambda keys: keys)
    keyring.change(lambda keys: (*keys, key("b")))
    assert len(keyring.keys()) == 2


def test_reading_does_not_wait_for_a_change(keyring: FileKeyring, tmp_path: Path) -> None:
    with lock_file(tmp_path / f"{KEYS_FILE}.lock", 0):
        assert list(keyring.keys()) == [key("a")]


@pytest.mark.soak
def test_processes_that_create_the_first_key_concurrently_agree(tmp_path: Path) -> None:
    signing, coming = zip(*in_processes(_sign_and_rotate, *[(tmp_path / "home",)] * PROCESSES), strict=True)
    first, second = FileKeyring(tmp_path / "home").keys()
    assert (set(signing), set(coming)) == ({first.id}, {second.id})


def _sign_and_rotate(wait: Callable[[], object], home: Path) -> tuple[str, str]:
    keyring, clock, ids = FileKeyring(home), SystemClock(), TimeOrderedIds()
    wait()
    signing = SigningKeyCache(keyring, clock, ids, 1_800_000).signing_key().id
    wait()
    return signing, RotateKeys(keyring, clock, ids, 1_800_000)().key.id
