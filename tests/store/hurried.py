"""Threads that take turns far more often than usual, so that races show that are rare otherwise."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from stratabase.store import looks


@contextmanager
def hurried() -> Iterator[None]:
    """Let threads take turns all the time, and look again at once at what does not fit together."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(looks, "_FIRST_PAUSE", 0)
            yield
    finally:
        sys.setswitchinterval(usual)
