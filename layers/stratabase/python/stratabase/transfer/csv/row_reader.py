"""The command that creates or updates the object of a row, and what of the row can't be read.

Roles of a row can lead to objects that the file itself has, in any order. For example, the rows of employees
name their managers, who are other rows of the same file. Only digests of unique values stay in memory.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Create, RoleCommand, ToOneCommand, Update
from stratabase.core.model.model import Unique
from stratabase.core.operations.context import Services
from stratabase.core.store.layout.object_items import UniqueConstraint, unique_constraint
from stratabase.transfer.csv.cells import CellFormats, InvalidCell, advice_on_options
from stratabase.transfer.csv.columns import Columns, FileColumn, RoleColumns
from stratabase.transfer.csv.csv_file import CsvFile, CsvRow
from stratabase.transfer.csv.issues import Cause, RowIssue
from stratabase.transfer.csv.null_texts import advice_for
from stratabase.transfer.csv.row_order import Need
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.wording import pluralize


class FileObject(NamedTuple):
    """A row of the file, as the object to which a role of another row leads."""

    number: int
    line: int


class _Naming(NamedTuple):
    """How the rows of a file have the unique values by which a role names its objects."""

    constraint: UniqueConstraint
    columns: Mapping[str, FileColumn]
    """By attribute: the column with the row's own value."""
    objects: dict[str, FileObject]
    """By the key of the values: the first row that has them."""


class FileObjects:
    """The rows of a file by the unique values with which roles to the same class name their objects."""

    def __init__(self, columns: Columns, cells: CellFormats, formats: Formats) -> None:
        self._cells = cells
        self._formats = formats
        self._namings = {
            name: _Naming(
                unique_constraint(columns.class_, role.unique),
                {attribute: columns.attributes[attribute] for attribute in role.unique.attributes},
                {},
            )
            for name, role in columns.roles.items()
            if _is_within_file(columns, role)
        }
        self.id_of: Callable[[int], str] | None = None
        """Returns the id of the object that a row creates, by the number of the row."""

    @property
    def exist(self) -> bool:
        """Whether a role can lead to an object of the file, so that all rows must be added."""
        return bool(self._namings)

    def add(self, row: CsvRow) -> None:
        """Add a row. Values that can't be read lead to no object."""
        for naming in self._namings.values():
            state: dict[str, Any] = {}
            for attribute, column in naming.columns.items():
                text = row.cells[column.index] if column.index < len(row.cells) else ""
                state[attribute] = self._stored(column, text)
            key = naming.constraint.guard_key(state)
            if key is not None:
                naming.objects.setdefault(key.partition, FileObject(row.number, row.line))

    def find(self, role: str, state: Mapping[str, Any]) -> FileObject | None:
        """Return the row that has unique values, None if there is none."""
        naming = self._namings.get(role)
        key = None if naming is None else naming.constraint.guard_key(state)
        return None if naming is None or key is None else naming.objects.get(key.partition)

    def _stored(self, column: FileColumn, text: str) -> Any:
        if not text.strip():
            return None
        try:
            return column.type.read(self._cells.reader(column.type)(text), self._formats)
        except (InvalidCell, InvalidValue):
            return None


def _is_within_file(columns: Columns, role: RoleColumns) -> bool:
    """Return whether a role leads to the class of the file, and the rows have what names its objects."""
    is_same = role.role.target == columns.class_.name and not role.by_id
    return is_same and columns.attributes.keys() >= set(role.unique.attributes)


_MAX_REMEMBERED = 100_000
"""The number of targets of roles that are remembered, so that each is looked up once."""


class _Unusable(Exception):
    """Cells have no value that can be used. `reason` is None if the dry run of the row finds it out."""

    def __init__(self, column: str, reason: str | None) -> None:
        super().__init__(column, reason)
        self.column = column
        self.reason = reason


@dataclass(slots=True)
class RowCommand:
    """The command of a row. With issues, the command lacks the values that they are about."""

    row: CsvRow
    command: Create | Update
    issues: list[RowIssue] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    """The attributes and roles that the issues are about."""
    needs: list[Need] = field(default_factory=list)
    """The other rows of the file to which roles lead, and whose objects don't exist yet."""
    is_row: bool = True
    """Whether the row has the cells of a row, so that the command has some of them."""

    def add_issue(self, name: str, unusable: _Unusable) -> None:
        """Add the issue of an attribute or role."""
        self.unread.add(name)
        if unusable.reason is not None:
            self.issues.append(RowIssue(self.row.line, unusable.column, unusable.reason))


class RowReader:
    """Reads rows as commands. It looks up the objects that rows name by unique attributes."""

    def __init__(  # noqa: PLR0913 - what rows are read with
        self,
        services: Services,
        caller: Caller,
        file: CsvFile,
        columns: Columns,
        cells: CellFormats,
        *,
        clears: bool,
    ) -> None:
        """With `clears`, an empty cell sets null. Otherwise it leaves the attribute or role out."""
        self._services = services
        self._formats = caller.formats
        self._file = file
        self._columns = columns
        self._cells = cells
        self._clears = clears
        self._ids: dict[tuple[Any, ...], str] = {}
        """By role and the texts of its cells: the id of the object."""
        self.objects = FileObjects(columns, cells, caller.formats)
        """The objects of the file. While rows are written, a role finds those of other rows in the store."""
        self.is_writing = False
        self._attributes = [
            (name, column.index, column.header, cells.reader(column.type))
            for name, column in columns.attributes.items()
        ]

    def command(self, row: CsvRow) -> RowCommand:
        """Return the command of a row. Raises Unavailable, ReadBudgetExceeded."""
        values: dict[str, Any] = {}
        roles: dict[str, RoleCommand] = {}
        read = RowCommand(row, Create(self._columns.class_.name, values, roles=roles))
        if issues := self._unusable_cells(row):
            return RowCommand(row, read.command, issues, is_row=False)
        self._read_attributes(read, values)
        self._read_roles(read, roles)
        if self._columns.key is not None:
            self._find_existing(read, self._columns.key, values, roles)
        return read

    def options_for(self, row: CsvRow, name: str) -> str | None:
        """Return the advice on options if a cell doesn't spell a value of its attribute, otherwise None."""
        column = self._columns.attributes.get(name)
        text = row.cells[column.index] if column is not None else ""
        if column is None or not text:
            return None
        if advice := advice_for(text):
            return advice
        if not any(map(str.isdigit, text)):
            return None
        try:
            column.type.read(self._cells.reader(column.type)(text), self._formats)
        except (InvalidCell, InvalidValue):
            return advice_on_options(column.type)
        return None

    def _read_attributes(self, read: RowCommand, values: dict[str, Any]) -> None:
        cells = read.row.cells
        for name, index, header, to_value in self._attributes:
            text = cells[index]
            if text:
                try:
                    values[name] = to_value(text)
                except InvalidCell as mistake:
                    reason = " ".join(filter(None, (str(mistake), advice_for(text))))
                    read.add_issue(name, _Unusable(header, reason))
            elif self._clears:
                values[name] = None

    def _read_roles(self, read: RowCommand, roles: dict[str, RoleCommand]) -> None:
        for name, columns in self._columns.roles.items():
            try:
                target = self._target(read, columns)
            except _Unusable as unusable:
                read.add_issue(name, unusable)
            else:
                if target is not None:
                    roles[name] = ToOneCommand(target)
                elif self._clears and self._columns.key is not None:
                    roles[name] = ToOneCommand(remove=True)

    def _unusable_cells(self, row: CsvRow) -> list[RowIssue]:
        """Return what is wrong with the cells themselves. Further cells must be empty."""
        expected = self._columns.number
        if len(row.cells) != expected and (len(row.cells) < expected or any(row.cells[expected:])):
            text = f"The row has {pluralize(len(row.cells), 'cell')}, but the header has {expected:,}."
            return [RowIssue(row.line, "", text)]
        return [
            RowIssue(row.line, header, wrong, Cause.ENCODING)
            for header, text in zip(self._file.header, row.cells, strict=False)
            if not text.isascii() and (wrong := self._file.undecodable(text))
        ]

    def _find_existing(
        self, read: RowCommand, key: Unique, values: Mapping[str, Any], roles: dict[str, RoleCommand]
    ) -> None:
        """Make the command an update if its object exists."""
        class_name = self._columns.class_.name
        try:
            id_ = self._existing_id(read, key, values, roles)
        except _Unusable as unusable:
            read.add_issue(key.attributes[0], unusable)
            return
        if id_ is not None:
            read.command = Update(Reference(class_name, id_), values, roles=roles)
            return
        for name in [name for name, role in roles.items() if role.empties_role]:
            del roles[name]

    def _existing_id(
        self, read: RowCommand, key: Unique, values: Mapping[str, Any], roles: Mapping[str, RoleCommand]
    ) -> str | None:
        """Return the id of the object that a row updates, None if it creates one. Raises _Unusable."""
        if self._columns.id_column is not None and self._columns.key_is_id:
            id_ = read.row.cells[self._columns.id_column.index].strip()
            if not id_:
                raise _Unusable(
                    self._columns.id_column.header, "The cell is empty, but --update-by needs it."
                )
            return id_
        state: dict[str, Any] = {}
        for name in key.attributes:
            if name in read.unread:
                raise _Unusable("", None)
            role = roles.get(name)
            state[name] = role.target if isinstance(role, ToOneCommand) else self._stored(name, values)
            if state[name] is None:
                header = self._columns.header_of(name) or ""
                raise _Unusable(header, f"The cell is empty, but --update-by needs a value of {name}.")
        found = self._services.entities.find_by_unique(
            self._columns.class_.name, key, state, self._services.new_budget()
        )
        return None if found is None else found.reference.id

    def _stored(self, name: str, values: Mapping[str, Any]) -> Any:
        value = values.get(name)
        if value is None:
            return None
        try:
            return self._columns.attributes[name].type.read(value, self._formats)
        except InvalidValue as mistake:
            raise _Unusable("", None) from mistake

    def _target(self, read: RowCommand, columns: RoleColumns) -> str | None:
        """Return the id of the object of a role, None if the cells are empty. Raises _Unusable."""
        row = read.row
        texts = [row.cells[column.index] for column in columns.columns.values()]
        if not any(map(str.strip, texts)):
            return None
        if columns.by_id:
            return texts[0].strip()  # the dry run finds out whether it exists
        known = (columns.role.name, *texts)
        if known not in self._ids:
            state = self._values_of(row, columns)
            id_ = self._stored_target(columns, state)
            if id_ is None:
                return self._target_in_file(read, columns, state)
            if len(self._ids) >= _MAX_REMEMBERED:
                self._ids.clear()
            self._ids[known] = id_
        return self._ids[known]

    def _values_of(self, row: CsvRow, columns: RoleColumns) -> dict[str, Any]:
        """Return the unique values by which cells name an object. Raises _Unusable."""
        state: dict[str, Any] = {}
        for name, column in columns.columns.items():
            text = row.cells[column.index]
            if not text.strip():
                raise _Unusable(
                    column.header, f"The cell is empty, but others of {columns.role.name} are not."
                )
            try:
                state[name] = column.type.read(self._cells.reader(column.type)(text), self._formats)
            except (InvalidCell, InvalidValue) as mistake:
                raise _Unusable(column.header, str(mistake)) from mistake
        return state

    def _stored_target(self, columns: RoleColumns, state: Mapping[str, Any]) -> str | None:
        found = self._services.entities.find_by_unique(
            columns.role.target, columns.unique, state, self._services.new_budget()
        )
        return None if found is None else found.reference.id

    def _target_in_file(self, read: RowCommand, columns: RoleColumns, state: Mapping[str, Any]) -> str:
        """Return the id of an object that a row of the file creates. Raises _Unusable."""
        row, role = read.row, columns.role
        found = self.objects.find(role.name, state)
        is_own = found is not None and found.number == row.number
        if found is None or self.objects.id_of is None or (self.is_writing and not is_own):
            values = " and ".join(
                f"{name} {describe_value(row.cells[column.index])}"
                for name, column in columns.columns.items()
            )
            advice = filter(None, (advice_for(row.cells[each.index]) for each in columns.columns.values()))
            reason = " ".join((f"There is no {role.target} with {values}.", *dict.fromkeys(advice)))
            raise _Unusable(columns.headers, reason)
        if not is_own:
            read.needs.append(Need(found.number, found.line, columns.headers))
            # The store doesn't have the object yet, so what a dry run says about the role is wrong.
            read.unread.add(role.name)
        return self.objects.id_of(found.number)
