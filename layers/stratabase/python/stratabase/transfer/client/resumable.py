"""What a later run needs to resume a transfer, in a small file of the user's cache folder."""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_MAX_AGE = 7 * 86_400
"""The seconds after which a transfer can't be resumed. The service keeps no upload as long."""


def cache_folder() -> Path:
    """Return the folder with the files of transfers."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(root) if os.path.isabs(root) else Path.home() / ".cache"  # noqa: PTH117 - may be empty
    return base / "stratabase" / "transfers"


class ResumableTransfer:
    """A text about a transfer that outlives the process: the address of an upload, or the tag of a download.

    It is found by what identifies the transfer, such as the path and the size of the file. If the folder
    can't be written, transfers work, but can't be resumed.
    """

    def __init__(self, *identity: object) -> None:
        digest = hashlib.sha256(json.dumps([str(each) for each in identity]).encode()).hexdigest()
        self._path = cache_folder() / f"{digest}.json"

    def recall(self) -> str | None:
        """Return what an earlier run remembered, or None."""
        try:
            remembered = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return None
        return remembered if isinstance(remembered, str) else None

    def remember(self, text: str) -> None:
        """Keep a text for a later run, and remove the texts of old transfers."""
        folder = self._path.parent
        temporary = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in _old_files(folder):
                path.unlink(missing_ok=True)
            temporary.write_text(json.dumps(text), encoding="utf-8")
            temporary.replace(self._path)

    def forget(self) -> None:
        """Remove the text, because the transfer is complete or can't be resumed."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _old_files(folder: Path) -> Iterator[Path]:
    oldest = time.time() - _MAX_AGE
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                yield path
