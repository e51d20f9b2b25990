"""The file of the rows that an import leaves out: the line and reason of each row, and the original columns.

An import ignores these two columns. So a person can correct the file, and import it. They are the first ones,
so that a row with too few or too many cells stays wrong until somebody corrects it.
"""

import csv
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from stratabase.transfer.csv.columns import LINE, REASON
from stratabase.transfer.csv.csv_file import CsvFile

_UNFINISHED = ".part"
"""What the name of the file ends with until it is complete."""


class RefusedRowsFile:
    """The file, which is opened before any row is written, so that its rows can't get lost.

    Use it as a context manager. The file appears at once when it is complete, and replaces no other.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OSError, FileExistsError if there is such a file."""
        self.path = path
        # Each process has a file of its own, so that two imports with the same target don't mix their rows.
        self._unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")
        self._require_new()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        self._descriptor: int | None = os.open(self._unfinished, flags, 0o600)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the file, unless it was written."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._unfinished.unlink(missing_ok=True)

    def write(self, file: CsvFile, refused: Mapping[int, str]) -> None:
        """Write the refused rows of a file, with its encoding and delimiter. Call it once.

        `refused`: the reasons by row number. Raises OSError, UnreadableFile, FileExistsError if another
        process has written such a file meanwhile.
        """
        kept = [index for index, name in enumerate(file.header) if name not in {LINE, REASON}]
        descriptor, self._descriptor = self._descriptor, None
        assert descriptor is not None
        with os.fdopen(
            descriptor, "w", encoding=file.encoding, errors="surrogateescape", newline=""
        ) as target:
            rows = csv.writer(target, delimiter=file.delimiter)
            rows.writerow([LINE, REASON, *(file.header[index] for index in kept)])
            for row in file.rows():
                if row.number in refused:
                    cells = [row.cells[index] for index in kept if index < len(row.cells)]
                    cells += row.cells[len(file.header) :]
                    reason = _encodable(refused[row.number], file.encoding)
                    rows.writerow([str(row.line), reason, *cells])
            target.flush()
            os.fsync(target.fileno())
        self._publish()

    def _publish(self) -> None:
        """Give the complete file its name. Raises OSError, FileExistsError if there is such a file."""
        try:
            os.link(self._unfinished, self.path)  # unlike a renaming, it replaces no file
        except FileExistsError:
            raise
        except OSError:  # the file system has no links
            self._require_new()
            self._unfinished.rename(self.path)

    def _require_new(self) -> None:
        if self.path.exists() or self.path.is_symlink():
            raise FileExistsError(self.path)


def _encodable(text: str, encoding: str) -> str:
    """Return a text without the characters that an encoding lacks."""
    return text.encode(encoding, "backslashreplace").decode(encoding).removeprefix("\ufeff")
