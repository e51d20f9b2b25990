"""Checks rows without writing: each by a dry run of the write pipeline, and all against one another.

Rows are checked in blocks, because the store finds out for many new objects at once which it could refuse.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, Level
from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.write.commands import Create
from stratabase.core.operations.context import Services, read_context
from stratabase.core.operations.read.labels import IssueLabels, ObjectLabels
from stratabase.core.operations.write.options import WriteOptions, WriteOutcome
from stratabase.core.operations.write.pipeline import Write
from stratabase.core.store.layout.object_items import UniqueConstraint, unique_constraint
from stratabase.transfer.csv.columns import Columns
from stratabase.transfer.csv.csv_file import CsvRow
from stratabase.transfer.csv.issues import Cause, RowIssue
from stratabase.transfer.csv.null_texts import NullTextCounts
from stratabase.transfer.csv.row_order import Need
from stratabase.transfer.csv.row_reader import RowCommand, RowReader
from stratabase.values.formats.invalid_value import describe_value

_DIGEST_SIZE = 12


class _Claim(NamedTuple):
    """A value that only one row may have."""

    digest: bytes
    columns: str
    what: str
    """What the rows have in common, for messages."""


class _Constraint(NamedTuple):
    """A uniqueness constraint, and what a claim for its values has."""

    mark: bytes
    """Tells the constraints of the class apart."""
    constraint: UniqueConstraint
    columns: str
    what: str


class CheckedRow(NamedTuple):
    """A row that was checked alone, not yet against the others."""

    row: CsvRow
    issues: Sequence[RowIssue]
    entity: Entity | None
    """The object as the row leaves it, None if that is not known."""
    effect: str = ""
    """What writing the row does with its object: created, updated or unchanged."""
    needs: Sequence[Need] = ()
    """The other rows of the file to which it leads."""


class RowCheck:
    """Checks the blocks of a file one after the other, or several at the same time."""

    def __init__(
        self, services: Services, caller: Caller, columns: Columns, reader: RowReader, options: WriteOptions
    ) -> None:
        self._services = services
        self._caller = caller
        self._columns = columns
        self._reader = reader
        self._options = options
        self._uniques = [
            _Constraint(
                bytes([number]),
                unique_constraint(columns.class_, unique),
                ", ".join(filter(None, map(columns.header_of, unique.attributes))),
                f"value of {', '.join(unique.attributes)}",
            )
            for number, unique in enumerate(columns.class_.uniques)
        ]
        self._lines: dict[bytes, int] = {}
        """The lines of valid rows by the digest of a value that only one row may have."""
        self.effects = Counter[str]()
        """The numbers of objects that the valid rows would create, update or leave unchanged."""
        self.needs: dict[int, Sequence[Need]] = {}
        """By number of a valid row: the other rows to which it leads."""
        self.lines: dict[int, tuple[int, str]] = {}
        """By number of such a row: its line, and what writing it does."""
        self.null_texts = NullTextCounts(columns)
        """The cells whose texts probably mean no value."""

    def issues(self, rows: Sequence[CsvRow], new_ids: Sequence[str]) -> list[Sequence[RowIssue]]:
        """Return what is wrong with each row. `new_ids`: the ids of the objects that the rows would create.

        Raises Unavailable. Then the rows can be checked again.
        """
        checked = self._check_alone(rows, new_ids)
        # From here on, nothing can fail, so that no row meets its own values when the block is repeated.
        found = [
            self._repeated(each.row, each.entity) if not each.issues and each.entity else each.issues
            for each in checked
        ]
        for each, issues in zip(checked, found, strict=True):
            if not issues:
                self.effects[each.effect] += 1
                if each.needs:
                    self.needs[each.row.number] = each.needs
                    self.lines[each.row.number] = each.row.line, each.effect
            if len(each.row.cells) >= self._columns.number:
                self.null_texts.add(each.row.cells)
        return found

    def _check_alone(self, rows: Sequence[CsvRow], new_ids: Sequence[str]) -> list[CheckedRow]:
        outcomes: list[tuple[RowCommand, WriteOutcome | None]] = []
        tried: list[tuple[int, RowCommand, Write, Change]] = []
        for row, new_id in zip(rows, new_ids, strict=True):
            command = self._reader.command(row)
            if not command.is_row:
                outcomes.append((command, None))
                continue
            write = Write(
                self._services,
                command.command,
                self._caller,
                options=self._options,
                new_id=partial(str, new_id),
            )
            is_creation = isinstance(command.command, Create)
            outcome = write.dry_run(asks_store=not is_creation)
            if is_creation:
                tried.append((len(outcomes), command, write, outcome.change))
            outcomes.append((command, outcome))
        may_refuse = self._services.entities.may_refuse([change for _, _, _, change in tried])
        for (place, command, write, _), may in zip(tried, may_refuse, strict=True):
            if may:
                outcomes[place] = command, write.dry_run()
        named = ObjectNames(self._services, self._caller)
        named.read(chain.from_iterable(outcome.issues for _, outcome in outcomes if outcome is not None))
        return [self._checked(command, outcome, named) for command, outcome in outcomes]

    def _checked(self, command: RowCommand, outcome: WriteOutcome | None, named: "ObjectNames") -> CheckedRow:
        if outcome is None:
            return CheckedRow(command.row, command.issues, None)
        issues = [*command.issues, *row_issues(self._reader, self._columns, command, outcome.issues, named)]
        issues.sort(key=lambda issue: self._columns.place_of(issue.column))
        effect = effect_of(command, outcome.change)
        return CheckedRow(command.row, issues, outcome.plan.entity, effect, command.needs)

    def note(self, row: CsvRow, entity: Entity) -> None:
        """Note that a row is written already, so that no other row can have its unique values."""
        for claim in self._claims(row, entity):
            self._lines[claim.digest] = row.line

    def _repeated(self, row: CsvRow, entity: Entity) -> list[RowIssue]:
        """Return an issue for each value that another valid row has, or note the values of this row."""
        claims = [*self._claims(row, entity)]
        issues = [
            RowIssue(row.line, claim.columns, f"Line {self._lines[claim.digest]} has the same {claim.what}.")
            for claim in claims
            if claim.digest in self._lines
        ]
        if not issues:
            self._lines.update((claim.digest, row.line) for claim in claims)
        return issues

    def _claims(self, row: CsvRow, entity: Entity) -> Iterator[_Claim]:
        columns = self._columns
        if columns.key is not None:
            yield _Claim(_digest(f"id {entity.reference.id}"), "", "object")
        for unique in self._uniques:
            key = unique.constraint.guard_key(entity.state)
            if key is not None:
                # The key ends with a hash of the values alone.
                digest = unique.mark + bytes.fromhex(key.partition[-2 * _DIGEST_SIZE :])
                yield _Claim(digest, unique.columns, unique.what)
        for name, each in columns.roles.items():
            if each.is_exclusive:
                cells = [row.cells[column.index].strip() for column in each.columns.values()]
                if any(cells):
                    yield _Claim(_digest(f"role {name} {cells}"), each.headers, name)


def effect_of(command: RowCommand, change: Change) -> str:
    """Return what the change of a row does with its object: created, updated or unchanged."""
    if isinstance(command.command, Create):
        return "created"
    return "updated" if change.effects else "unchanged"


class ObjectNames:
    """How the issues of some rows name stored objects: by class, id, and label."""

    def __init__(self, services: Services, caller: Caller) -> None:
        self._services = services
        self._caller = caller
        self._labels: ObjectLabels = {}

    def read(self, issues: Iterable[Issue]) -> None:
        """Read the labels of the objects that issues name."""
        about = [issue for issue in issues if issue.entity_id is not None]
        if about:
            self._labels = IssueLabels(read_context(self._services, self._caller)).of(about)

    def after(self, issue: Issue) -> str | None:
        """Return what follows the message of an issue: the object that it is about, None without a label."""
        label = self._labels.get(Reference(issue.entity_name or "", issue.entity_id or ""))
        if label is None:
            return None
        return f"({issue.entity_name} {describe_value(issue.entity_id)}: {describe_value(label)})"


def row_issues(
    reader: RowReader, columns: Columns, command: RowCommand, issues: Sequence[Issue], named: ObjectNames
) -> Iterator[RowIssue]:
    """Yield the issues of a write as those of its row, without those that follow from unread cells."""
    line = command.row.line
    for issue in issues:
        names = (*issue.attribute_names, *issue.role_names)
        if names and command.unread.issuperset(names):
            continue
        headers = ", ".join(filter(None, map(columns.header_of, names)))
        if issue.level is Level.WARNING:
            text, advice, cause = f"Warning: {issue.message}", None, Cause.WARNING
        else:
            text, cause = str(issue.message), Cause.VALUE
            advice = reader.options_for(command.row, names[0]) if len(names) == 1 else None
        yield RowIssue(line, headers, " ".join(filter(None, (text, advice, named.after(issue)))), cause)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_SIZE).digest()
