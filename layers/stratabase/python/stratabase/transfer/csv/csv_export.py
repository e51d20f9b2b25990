"""The export of the objects of a class to a CSV file, which an import reads with the same values."""

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.fetch import Fetch, ToOne, View
from stratabase.core.domain.query.order import Order, position_of
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.model.api_names import ID
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, ClassKind, Model, Role
from stratabase.core.model.types import ID_TYPE
from stratabase.core.operations.context import Services, read_context
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.views import read_views
from stratabase.transfer.csv.cells import CellFormats
from stratabase.transfer.csv.columns import UnusableColumns, is_importable, leads_to_one
from stratabase.values.wording import nearest_word

_PAGE = 500
"""The number of objects that are read together."""
_UNFINISHED = ".part"
"""What the name of a file ends with until it is complete."""


class ExportedColumn(NamedTuple):
    """A column of an export."""

    header: str
    """The name of an attribute, or of a role and an attribute of its target: `team.name`."""
    role: Role | None
    attribute: str
    """The attribute of the object, or of the target of the role."""
    write: Callable[[Any], str]
    """Returns the text of a stored value."""
    is_derived: bool = False


def default_columns(model: Model, class_: Class) -> list[str]:
    """Return the names of the columns that an import of the class accepts."""
    names = [name for name, each in class_.attributes.items() if is_importable(each)]
    for role in class_.roles.values():
        if leads_to_one(model, role):
            names += [f"{role.name}.{name}" for name in _finding_attributes(model.classes[role.target])]
    return names


def _finding_attributes(target: Class) -> Sequence[str]:
    """Return the attributes by which an import finds each object of a class, or its id."""
    uniques = sorted(target.uniques, key=lambda unique: len(unique.attributes))
    for unique in uniques:
        known = [target.attributes.get(name) for name in unique.attributes]
        if all(each is not None and each.required and is_importable(each) for each in known):
            return unique.attributes
    return (ID,)


def exported_columns(
    model: Model, class_: Class, names: Sequence[str], cells: CellFormats
) -> list[ExportedColumn]:
    """Return the columns with these names. Raises UnusableColumns."""
    if class_.kind not in {ClassKind.ORDINARY, ClassKind.SINGLETON}:
        raise UnusableColumns([f"{class_.name} has no stored objects."])
    if not names:
        raise UnusableColumns([f"--columns: name attributes of {class_.name}, such as {ID}."])
    mistakes: list[str] = []
    columns = []
    for name in names:
        role_name, point, rest = name.partition(".")
        role = class_.roles.get(role_name) if point else None
        if role is not None and leads_to_one(model, role):
            owner, attribute = model.classes[role.target], rest
        else:
            role, owner, attribute = None, class_, name
        known = owner.attributes.get(attribute)
        if attribute != ID and (known is None or known.type.holds_file):
            mistakes.append(f"--columns: {_unknown(model, class_, name, known)}")
            continue
        type_ = ID_TYPE if known is None else known.type
        is_derived = known is not None and known.origin is Origin.DERIVED
        columns.append(ExportedColumn(name, role, attribute, cells.writer(type_), is_derived))
    if mistakes:
        raise UnusableColumns(mistakes)
    return columns


def _unknown(model: Model, class_: Class, name: str, known: Attribute | None) -> str:
    """Return why a column can't be exported."""
    if known is not None:
        return f"{class_.name}.{name} is a file, which a cell can't have. Use `stratabase export DIR`."
    role_name, _, rest = name.partition(".")
    role = class_.roles.get(role_name)
    if role is None:
        nearest = nearest_word(name, (*class_.attributes, ID))
        hint = (
            f'Did you mean "{nearest}"?' if nearest else f"Its attributes are {', '.join(class_.attributes)}."
        )
        return f'{class_.name} has no attribute "{name}". {hint}'
    if not leads_to_one(model, role):
        what = "has parts" if role.composition else "leads to many objects"
        other = (
            ""
            if role.composition
            else f"a CSV file of {role.target} can have the other side of the role, or "
        )
        return (
            f"{class_.name}.{role_name} {what}, which a cell can't have. Leave the column out: {other}use "
            "`stratabase export DIR`."
        )
    if not rest:
        return f"{class_.name}.{role_name} is a role. Add an attribute of {role.target}: {role_name}.{ID}."
    target = model.classes[role.target]
    nearest = nearest_word(rest, (*target.attributes, ID))
    hint = f'Did you mean "{nearest}"?' if nearest else f"Its attributes are {', '.join(target.attributes)}."
    return f'{role.target} has no attribute "{rest}". {hint}'


def export_rows(
    services: Services, caller: Caller, class_: Class, columns: Sequence[ExportedColumn]
) -> Iterator[list[str]]:
    """Yield the cells of each object, in the order of ids. Raises Unavailable.

    Objects that are written meanwhile appear as they were before or after that.
    """
    fetch, order, window = _fetch(class_, columns), Order(), Window(_PAGE)
    while True:
        # Each page has a read budget of its own, because the class can have any number of objects.
        reader = Reader(read_context(services, caller))
        page = reader.page(Query(class_.name, order, window=window, fields=PageFields(version_start=False)))
        for view in read_views(reader, fetch, page.items):
            yield [column.write(_value(column, view)) for column in columns]
        if len(page.items) < _PAGE:
            return
        window = Window(_PAGE, start=position_of(page.items[-1].state, order))


def _fetch(class_: Class, columns: Sequence[ExportedColumn]) -> Fetch:
    roles: dict[str, ToOne] = {}
    for role in {column.role.name: column.role for column in columns if column.role is not None}.values():
        of_role = [column for column in columns if column.role is role]
        derived = tuple(column.attribute for column in of_role if column.is_derived)
        key = _key_of(role)
        roles[key] = ToOne(RoleName(class_.name, role.name), role, Fetch(derived=derived))
    own = tuple(column.attribute for column in columns if column.role is None and column.is_derived)
    return Fetch(roles, own)


def _key_of(role: Role) -> str:
    """Return the key of a role in views, which differs from the role's name in states."""
    return f"role {role.name}"


def _value(column: ExportedColumn, view: View) -> Any:
    if column.role is None:
        return view.get(column.attribute)
    target: Mapping[str, Any] | None = view[_key_of(column.role)]
    return None if target is None else target.get(column.attribute)


def write_file(  # noqa: PLR0913 - the file and how it is written
    path: Path,
    header: Sequence[str],
    rows: Iterator[list[str]],
    *,
    encoding: str,
    delimiter: str,
    progress: Callable[[int], None],
) -> int:
    """Write a file, which appears when it is complete; return the number of rows below the header.

    Raises OSError; UnicodeEncodeError if the encoding lacks a character.
    """
    unfinished, number = path.with_name(f"{path.name}{_UNFINISHED}"), 0
    try:
        with _open(unfinished, encoding) as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerow(header)
            for row in rows:
                writer.writerow(row)
                number += 1
                progress(1)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return number


def _open(path: Path, encoding: str) -> TextIO:
    """Open a file that only this user can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    return os.fdopen(descriptor, "w", encoding=encoding, newline="")
