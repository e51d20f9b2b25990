"""Rebuilds a database file, so that nothing remains in it of what was deleted."""

import sqlite3
from contextlib import closing
from pathlib import Path

_TIMEOUT = 30.0
"""The seconds to wait for other processes."""


def vacuum(path: Path) -> bool:
    """Rebuild a database file, and empty its log. Return False if other processes use it all the time.

    Then deleted texts can remain in its free pages or its log.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=_TIMEOUT)) as connection:
            connection.execute("VACUUM")
            (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return False
    return not is_busy
