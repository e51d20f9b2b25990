"""Doing again what another process is in the way of."""

import sqlite3
import time
from collections.abc import Callable
from random import uniform
from typing import TypeVar

from stratabase.store.sqlite.fault import is_busy

T = TypeVar("T")


def insist(work: Callable[[], T], patience: float) -> T:
    """Do `work`, and again while another process holds the file, for so many seconds.

    SQLite's own waiting looks ten times a second in the end, which a process that writes without a pause can
    outlast; this looks often, and at random moments.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return work()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
        time.sleep(uniform(0.001, 0.008))  # noqa: S311 - no secret
