"""The file of the rows that an import leaves out: the original columns, and the line and reason of each row.

An import ignores these two columns. So a person can correct the file, and import it.
"""

import csv
import os
from collections.abc import Mapping
from pathlib import Path

from stratabase.transfer.csv.columns import LINE, REASON
from stratabase.transfer.csv.csv_file import CsvFile


def write_refused_rows(path: Path, file: CsvFile, refused: Mapping[int, str]) -> None:
    """Write the refused rows of a file, with its encoding and delimiter. `refused`: reasons by row number.

    The file appears at once when it is complete. Raises OSError, UnreadableFile.
    """
    header = [name for name in file.header if name not in {LINE, REASON}]
    kept = [index for index, name in enumerate(file.header) if name not in {LINE, REASON}]
    unfinished = path.with_name(f"{path.name}.part")
    with open(
        unfinished, "w", encoding=file.encoding, errors="surrogateescape", newline="", opener=_private
    ) as target:
        rows = csv.writer(target, delimiter=file.delimiter)
        rows.writerow([*header, LINE, REASON])
        for row in file.rows():
            if row.number in refused:
                cells = [row.cells[index] if index < len(row.cells) else "" for index in kept]
                cells += row.cells[len(file.header) :]
                rows.writerow([*cells, str(row.line), _encodable(refused[row.number], file.encoding)])
        target.flush()
        os.fsync(target.fileno())
    unfinished.replace(path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _encodable(text: str, encoding: str) -> str:
    """Return a text without the characters that an encoding lacks."""
    return text.encode(encoding, "backslashreplace").decode(encoding).removeprefix("\ufeff")
