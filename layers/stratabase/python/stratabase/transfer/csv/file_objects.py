"""The objects that a file itself has, to which roles of its other rows can lead in any order.

For example, the rows of employees name their managers, who are other rows of the same file. Only digests of
unique values stay in memory.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from stratabase.core.store.layout.object_items import UniqueConstraint, unique_constraint
from stratabase.transfer.csv.cells import CellFormats, InvalidCell
from stratabase.transfer.csv.columns import Columns, FileColumn, RoleColumns
from stratabase.transfer.csv.csv_file import CsvRow
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import Formats


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
