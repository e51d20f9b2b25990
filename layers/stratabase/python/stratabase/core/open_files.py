"""Whether this process can open another file: each connection and each database is one."""

import errno
import os

_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE})


def has_no_free_file() -> bool:
    """Return whether the process or the machine has as many open files as its limit allows."""
    reader = writer = -1
    try:
        reader, writer = os.pipe()
    except OSError as error:
        return error.errno in _EXHAUSTED
    finally:
        for file in (reader, writer):
            if file >= 0:
                os.close(file)
    return False
