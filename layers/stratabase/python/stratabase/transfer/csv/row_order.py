"""The order of rows that lead to one another: a row waits until the rows to which it leads are written."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from stratabase.transfer.csv.csv_file import CsvRow


class Need(NamedTuple):
    """A row to which a role of another row leads, and which must be written before."""

    number: int
    line: int
    columns: str
    """The columns of the role."""


class RowOrder:
    """Which rows wait for which other rows of the file. All others are in no particular order."""

    def __init__(self, needs: Mapping[int, Sequence[Need]]) -> None:
        """`needs`: by number of a row that leads to other rows of the file."""
        self._needs = needs
        self._left = {number: {need.number for need in each} for number, each in needs.items()}
        """By number of a row: the rows that it waits for."""
        self._waiting = defaultdict[int, list[int]](list)
        for number, each in self._left.items():
            for needed in each:
                self._waiting[needed].append(number)
        self._held: dict[int, CsvRow] = {}

    def hold(self, row: CsvRow) -> bool:
        """Return whether a row must wait. If so, `release` returns it later."""
        if not self._left.get(row.number):
            return False
        self._held[row.number] = row
        return True

    def release(self, ended: Iterable[int]) -> list[CsvRow]:
        """Return the rows that need to wait no more after others have ended, by the numbers of these."""
        freed = [number for each in ended for number in self._freed_by(each)]
        return [row for number in sorted(freed) if (row := self._held.pop(number, None)) is not None]

    def release_all(self) -> list[CsvRow]:
        """Return the rows that still wait."""
        held, self._held = self._held, {}
        return list(held.values())

    def _freed_by(self, ended: int) -> Iterator[int]:
        for number in self._waiting.pop(ended, ()):
            self._left[number].discard(ended)
            if not self._left[number]:
                yield number

    def is_needed(self, number: int) -> bool:
        """Return whether other rows wait for a row."""
        return number in self._waiting

    def unwritable(self, refused: Iterable[int]) -> Iterator[tuple[int, Need, bool]]:
        """Yield the rows that can't be written because of others, each with one that it leads to.

        The last value says whether it leads there in a circle. `refused`: the rows that are not written.
        """
        lost, found = list(refused), set(refused)
        while lost:
            for number in self._waiting.get(lost.pop(), ()):
                if number not in found:
                    found.add(number)
                    lost.append(number)
                    yield number, next(need for need in self._needs[number] if need.number in found), False
        left = {number: set(each) for number, each in self._left.items() if number not in found}
        ready = [number for each in left.values() for number in each if number not in left]
        while ready:
            ended = ready.pop()
            for number in self._waiting.get(ended, ()):
                if ended in left.get(number, ()):
                    left[number].discard(ended)
                    if not left[number]:
                        del left[number]
                        ready.append(number)
        for number in left:
            yield number, next(need for need in self._needs[number] if need.number in left), True
