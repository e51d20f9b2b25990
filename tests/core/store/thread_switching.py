"""Makes threads switch far more often than usual, so that rare races occur."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stratabase.core.store.read import history


@contextmanager
def taking_turns() -> Iterator[None]:
    """Switch threads as often as possible."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


@contextmanager
def switching_threads_often() -> Iterator[None]:
    """Switch threads as often as possible, and retry inconsistent reads of the history without a pause."""
    with taking_turns(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "_FIRST_PAUSE", 0)
        yield
