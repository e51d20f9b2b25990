"""Reads and writes the table of model changes with the exact texts that they lead to.

`python -m tests.evolution.difference.case_file` writes the expected texts anew; read the difference before
you commit it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stratabase.core.model.reading import read_model
from stratabase.core.model.stored_names import NameKind, RemovedName
from stratabase.evolution.difference import ModelChange, diff_models

FILE = Path(__file__).with_name("cases.txt")
_HEAD = (
    'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true) '
    '@profile(name: "Clerk")'
)


class DiffCase(NamedTuple):
    """Two models with the expected lines."""

    name: str
    old: str
    new: str
    removed: tuple[RemovedName, ...]
    expected: str

    def actual(self) -> str:
        """Return the lines of the changes."""
        changes = diff_models(read_model(self.old, "old"), read_model(self.new, "new"), self.removed)
        return "\n".join(line for change in changes for line in _lines(change))


def read_cases() -> Iterator[DiffCase]:
    """Yield the cases of the file."""
    for block in FILE.read_text("utf-8").split("\n== ")[1:]:
        name, _, rest = block.partition("\n")
        models, _, expected = rest.partition("\n=>")
        old, _, new = models.strip().partition("\n->\n")
        lines = old.splitlines()
        removed = tuple(_removed(line) for line in lines if line.startswith("REMOVED "))
        old = "\n".join(line for line in lines if not line.startswith("REMOVED "))
        yield DiffCase(name, _with_head(old), _with_head(new), removed, expected.strip("\n"))


def _with_head(text: str) -> str:
    return text.replace("HEAD", _HEAD, 1) if text.startswith("HEAD") else text


def _removed(line: str) -> RemovedName:
    kind, name, day = line.removeprefix("REMOVED ").rsplit(" ", 2)
    return RemovedName(NameKind(kind), name, day)


def _lines(change: ModelChange) -> Iterator[str]:
    yield f"{change.severity.value}: {change}"
    yield from (f"    {text}" for text in (change.why, change.to_do) if text)
    yield from (f"    {question.answer(3, 20)}" for question in change.questions)


def write_cases() -> None:
    """Write the actual lines of all cases as the expected ones."""
    head, *blocks = FILE.read_text("utf-8").split("\n== ")
    written = [head.rstrip("\n")]
    for block, case in zip(blocks, read_cases(), strict=True):
        models = block.partition("\n=>")[0].strip()
        written.append(f"\n== {models}\n=>\n{case.actual()}".rstrip("\n"))
    FILE.write_text("\n".join(written) + "\n", "utf-8")


if __name__ == "__main__":
    write_cases()
