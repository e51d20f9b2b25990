"""The keys in a file of the local home."""

import multiprocessing
import stat
from pathlib import Path

import pytest

from stratabase.clock import SystemClock
from stratabase.domain.issues.refusals import Unavailable
from stratabase.operations.auth.signing_keys import RotateKeys, SigningKeyCache
from stratabase.store.ids import TimeOrderedIds
from stratabase.store.keyring import file
from stratabase.store.keyring.file import NAME, FileKeyring
from stratabase.store.keyring.file_lock import held
from stratabase.store.sqlite.errors import UnusableStore
from tests.keys import key
from tests.soak import count

PROCESSES = count(4, 16)


@pytest.fixture
def keyring(tmp_path: Path) -> FileKeyring:
    keyring = FileKeyring(tmp_path)
    keyring.change(lambda _: (key("a"),))
    return keyring


def test_reading_makes_no_file(tmp_path: Path) -> None:
    assert FileKeyring(tmp_path / "home").keys() == ()
    assert list(tmp_path.iterdir()) == []


def test_only_the_owner_may_read_the_file_and_its_folder(tmp_path: Path) -> None:
    FileKeyring(tmp_path / "home").change(lambda _: (key("a"),))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"home": 0o700, NAME: 0o600, f"{NAME}.lock": 0o600}


def test_a_file_that_was_open_to_others_is_closed_by_the_next_change(
    keyring: FileKeyring, tmp_path: Path
) -> None:
    (tmp_path / NAME).chmod(0o644)
    keyring.change(lambda keys: (*keys, key("b")))
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


def test_what_a_killed_process_left_is_not_used(keyring: FileKeyring, tmp_path: Path) -> None:
    left = tmp_path / f"{NAME}.new"
    left.write_text("half of a fi")
    left.chmod(0o644)
    assert list(keyring.keys()) == [key("a")]
    keyring.change(lambda keys: (*keys, key("b")))
    assert list(keyring.keys()) == [key("a"), key("b")]
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
    assert not left.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"\0" * 100, b'{"layout": 2, "keys": []}'])
def test_a_damaged_file_is_told_and_never_written_over(
    content: bytes, keyring: FileKeyring, tmp_path: Path
) -> None:
    (tmp_path / NAME).write_bytes(content)
    told = rf"{NAME} is damaged: .*Put a backup in its place, or remove it"
    with pytest.raises(UnusableStore, match=told):
        keyring.keys()
    with pytest.raises(UnusableStore, match=told):
        keyring.change(lambda keys: (*keys, key("b")))
    assert (tmp_path / NAME).read_bytes() == content


def test_a_file_that_is_removed_is_made_anew(keyring: FileKeyring, tmp_path: Path) -> None:
    (tmp_path / NAME).unlink()
    keyring.change(lambda keys: (*keys, key("b")))
    assert list(keyring.keys()) == [key("b")]


def test_a_folder_in_its_place_is_reported(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(UnusableStore, match=rf"{NAME} cannot be read: Is a directory\. Let this user"):
        FileKeyring(tmp_path).keys()


def test_a_home_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(UnusableStore, match=f"{NAME} cannot be written: "):
        FileKeyring(tmp_path / "home").change(lambda _: (key("a"),))


def test_who_waits_too_long_for_others_is_reported(
    keyring: FileKeyring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "PATIENCE", 0.01)
    with held(tmp_path / f"{NAME}.lock", 0), pytest.raises(Unavailable, match="busy"):
        keyring.change(lambda keys: keys)
    keyring.change(lambda keys: (*keys, key("b")))
    assert len(keyring.keys()) == 2


def test_reading_waits_for_nobody(keyring: FileKeyring, tmp_path: Path) -> None:
    with held(tmp_path / f"{NAME}.lock", 0):
        assert list(keyring.keys()) == [key("a")]


@pytest.mark.soak
def test_processes_that_sign_and_rotate_for_the_first_time_at_once_agree(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(PROCESSES)
    results = context.Queue()
    arguments = (str(tmp_path / "home"), start, results)
    processes = [context.Process(target=_sign_and_rotate, args=arguments) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    signing, coming = zip(*[results.get(timeout=60) for _ in processes], strict=True)
    for process in processes:
        process.join()
    first, second = FileKeyring(tmp_path / "home").keys()
    assert (set(signing), set(coming)) == ({first.id}, {second.id})


def _sign_and_rotate(
    home: str,
    start: "multiprocessing.synchronize.Barrier",
    results: "multiprocessing.Queue[tuple[str, str]]",
) -> None:
    keyring, clock, ids = FileKeyring(Path(home)), SystemClock(), TimeOrderedIds()
    start.wait()
    signing = SigningKeyCache(keyring, clock, ids, 1_800_000).signing().id
    start.wait()
    results.put((signing, RotateKeys(keyring, clock, ids, 1_800_000)().key.id))
