"""A CSV file that is read: its encoding, its delimiter, its header and its rows."""

import codecs
import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from _csv import Reader

_QUOTED_PART = re.compile(r'"[^"]*"?')
DELIMITERS = (",", ";", "\t", "|")
"""The delimiters that a file may have without an option."""
MAX_CELL = 4_000_000
"""The maximum number of characters of a cell. No object can have more."""
DEFAULT_ENCODING = "utf-8"
_BLOCK = 1 << 20
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The first bytes of a file, with the encoding that they mean."""
_SEPARATOR_LINE = re.compile(r'sep=([^"\r\n])\r?\n?')
"""The first line by which Excel learns the delimiter."""
_UNDECODABLE = re.compile("[\udc80-\udcff]")
"""A byte that is not text in the encoding of the file."""


class UnreadableFile(Exception):
    """A file can't be read as CSV. The text says why, and what to do."""


class CsvRow(NamedTuple):
    """A row of a file."""

    number: int
    """The number among the rows below the header, from 0."""
    line: int
    """The number of its first line in the file, from 1."""
    cells: list[str]


class CsvFile:
    """A CSV file. The constructor reads its header, and raises UnreadableFile."""

    def __init__(self, path: Path, *, encoding: str | None = None, delimiter: str | None = None) -> None:
        """Read the header.

        `encoding`: by default that of the byte order mark, otherwise UTF-8. `delimiter`: by default the one
        that the header has most of.
        """
        self.path = path
        self.encoding = _known_encoding(encoding) if encoding else _detect_encoding(path)
        self._delimiter = delimiter
        self._state = self._file_state()
        self.digest, self.lines = self._digest_and_lines()
        self.header: tuple[str, ...] = ()
        self.delimiter = delimiter or ","
        with self._reader() as (reader, skipped):
            self._read_header(reader, skipped)

    def rows(self) -> Iterator[CsvRow]:
        """Yield the rows below the header, without blank lines. Raises UnreadableFile."""
        with self._reader() as (reader, skipped):
            next(reader)
            number, line = 0, reader.line_num + skipped + 1
            for cells in self._parsed(reader, skipped):
                if cells:
                    yield CsvRow(number, line, cells)
                    number += 1
                line = reader.line_num + skipped + 1
        self.check_unchanged()

    def check_unchanged(self) -> None:
        """Raise UnreadableFile if the file has changed since it was opened."""
        if self._file_state() != self._state:
            raise UnreadableFile(f"{self.path} has changed since the command started. Run the command again.")

    def undecodable(self, text: str) -> str | None:
        """Return why a cell isn't text in the encoding of the file, None if it is."""
        found = _UNDECODABLE.search(text) if not text.isascii() else None
        if found is None:
            return None
        return (
            f"The byte 0x{ord(found[0]) - 0xDC00:02X} isn't {self.encoding.removesuffix('-sig').upper()}. "
            "Name the encoding of the file, for example with --encoding cp1252 for files of Excel."
        )

    @contextmanager
    def _reader(self) -> Iterator[tuple["Reader", int]]:
        """Open a reader of all lines, the header included. Yield it with the number of lines before them."""
        csv.field_size_limit(MAX_CELL)
        with self._open() as file:
            try:
                first = file.readline()
            except UnicodeError as error:
                raise self._wrong_encoding(error) from error
            separator = _SEPARATOR_LINE.fullmatch(first.removeprefix("\ufeff"))
            if separator is not None:
                self.delimiter = self._delimiter or separator[1]
                yield csv.reader(file, delimiter=self.delimiter, strict=True), 1
                return
            self.delimiter = self._delimiter or _likely_delimiter(first)
            file.seek(0)
            yield csv.reader(file, delimiter=self.delimiter, strict=True), 0

    def _read_header(self, reader: "Reader", skipped: int) -> None:
        names, line = next(self._parsed(reader, skipped), None), skipped + 1
        if not names:
            raise UnreadableFile(
                f"{self.path} has no header. The first line must have the names of the columns."
            )
        self.header = tuple(name.strip() for name in names)
        for number, name in enumerate(self.header, 1):
            if wrong := self.undecodable(name):
                raise UnreadableFile(f"{self.path}, line {line}, column {number}: {wrong}")
            if name and self.header.index(name) + 1 != number:
                raise UnreadableFile(
                    f'{self.path}, line {line}: two columns have the name "{name}". Rename one of them.'
                )

    def _parsed(self, reader: "Reader", skipped: int) -> Iterator[list[str]]:
        """Yield what the reader parses. Raises UnreadableFile."""
        while True:
            line = reader.line_num + skipped + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise UnreadableFile(f"{self.path}, line {line}: {_reason(error, self.delimiter)}") from error
            except UnicodeError as error:
                raise self._wrong_encoding(error) from error
            yield cells

    def _open(self) -> TextIO:
        try:
            # Bytes that are not text become single characters, so that the issue can name line and column.
            return self.path.open(encoding=self.encoding, errors="surrogateescape", newline="")
        except OSError as error:
            raise self._unusable(error) from error

    def _file_state(self) -> tuple[int, int, int]:
        try:
            state = self.path.stat()
        except OSError as error:
            raise self._unusable(error) from error
        return state.st_ino, state.st_size, state.st_mtime_ns

    def _digest_and_lines(self) -> tuple[str, int]:
        """Return the SHA-256 of the file, and about how many lines it has."""
        digest, lines = sha256(), 0
        try:
            with self.path.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
                    lines += block.count(b"\n")
        except OSError as error:
            raise self._unusable(error) from error
        return digest.hexdigest(), lines

    def _unusable(self, error: OSError) -> UnreadableFile:
        return UnreadableFile(f"{self.path} can't be read ({error.strerror}).")

    def _wrong_encoding(self, error: UnicodeError) -> UnreadableFile:
        reason = getattr(error, "reason", str(error))
        return UnreadableFile(
            f"{self.path} isn't {self.encoding} text ({reason}). Name its encoding with --encoding."
        )


def _detect_encoding(path: Path) -> str:
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise UnreadableFile(f"{path} can't be read ({error.strerror}).") from error
    return next((name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)), DEFAULT_ENCODING)


def _known_encoding(name: str) -> str:
    """Return the name of an encoding of texts. Raises UnreadableFile."""
    try:
        info = codecs.lookup(name)
        "".encode(info.name)
    except (LookupError, ValueError) as error:
        raise UnreadableFile(
            f'The encoding "{name}" does not exist. Use, for example, utf-8, cp1252, iso-8859-15 or utf-16.'
        ) from error
    # A byte order mark is not a part of the first name.
    return "utf-8-sig" if info.name == "utf-8" else info.name


def _likely_delimiter(header: str) -> str:
    """Return the delimiter that a header has most of, outside quotes."""
    unquoted = _QUOTED_PART.sub("", header)
    return max(DELIMITERS, key=unquoted.count)


def _reason(error: csv.Error, delimiter: str) -> str:
    text = str(error)
    if "field larger" in text:
        return (
            f"A cell that starts here has more than {MAX_CELL:,} characters. Check whether a closing "
            "quotation mark is missing."
        )
    if "unexpected end of data" in text:
        return "A quoted cell starts here that does not end. Add the closing quotation mark."
    if "expected after" in text:
        return (
            f'A quotation mark inside a quoted cell must be doubled (""), and "{delimiter}" or the end of '
            "the line must follow a quoted cell. Check --delimiter, too."
        )
    return f"The line isn't valid CSV ({text})."
