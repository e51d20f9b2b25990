"""All threads of a process share the key of remembered credentials."""

import secrets
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from typing import Any, cast

import pytest

from stratabase.members.sign_in.sign_in import VerifiedCredentials
from tests.contract.engine.engine_calls import run_concurrently
from tests.fakes import FrozenClock


def test_concurrent_threads_share_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    both, token_bytes = Barrier(2), secrets.token_bytes

    def slowly(length: int) -> bytes:
        # Two threads would meet here if each made a key. One alone goes on after a moment.
        with suppress(BrokenBarrierError):
            both.wait(0.2)
        return token_bytes(length)

    monkeypatch.setattr(secrets, "token_bytes", slowly)
    remembered = VerifiedCredentials(cast("Any", None), FrozenClock())
    assert len(set(run_concurrently(*[lambda: remembered.fingerprint("anna", "right")] * 2))) == 1
