"""Which column of a file is which attribute of a class, or finds the object of which role."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from stratabase.core.domain.objects.entity import RoleStorage, is_one_to_one, storage_of
from stratabase.core.model.api_names import ID
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Class, ClassKind, Model, Role, Unique
from stratabase.core.model.types import ID_TYPE
from stratabase.core.model.types.base import AttributeType
from stratabase.values.wording import nearest_word

REASON = "_reason"
"""The column with the reason in a file of refused rows. An import leaves it out."""
LINE = "_line"
"""The column with the line of the original file in a file of refused rows. An import leaves it out."""
_TO_ONE = frozenset({RoleStorage.OWN_KEY, RoleStorage.OPPOSITE_KEY})
_BY_ID = Unique((ID,))
"""Stands for finding an object by its id."""


class UnusableColumns(Exception):
    """The columns of a file don't fit the class. The text has one line for each mistake."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("\n".join(mistakes))


@dataclass(frozen=True)
class FileColumn:
    """A column of the file, and the type of its values."""

    index: int
    """Its place among the cells of a row, from 0."""
    header: str
    type: AttributeType


@dataclass(frozen=True)
class RoleColumns:
    """The columns that find the object of a role by unique attributes of that object, or by its id."""

    role: Role
    unique: Unique
    columns: Mapping[str, FileColumn]
    """By attribute of the target."""
    is_exclusive: bool
    """Whether each target can belong to one object only."""

    @property
    def by_id(self) -> bool:
        """Whether the cells are ids."""
        return self.unique is _BY_ID

    @property
    def headers(self) -> str:
        """The names of the columns, for messages."""
        return ", ".join(column.header for column in self.columns.values())


@dataclass(frozen=True)
class Columns:
    """The columns of a file, by what they are of the class."""

    class_: Class
    attributes: Mapping[str, FileColumn]
    roles: Mapping[str, RoleColumns]
    number: int
    """The number of cells in a row."""
    id_column: FileColumn | None = None
    key: Unique | None = None
    """The unique attributes by which rows find the objects that they update. None: rows only create."""

    @property
    def key_is_id(self) -> bool:
        """Whether rows name the objects that they update by their ids."""
        return self.key is _BY_ID

    def header_of(self, name: str) -> str | None:
        """Return the name of the column of an attribute or role, None if it has none."""
        if name in self.attributes:
            return self.attributes[name].header
        return self.roles[name].headers if name in self.roles else None

    def place_of(self, headers: str) -> int:
        """Return where in the file a column is, or the first of several; -1 for no column."""
        return self._places.get(headers, self._places.get(headers.partition(", ")[0], -1))

    @cached_property
    def _places(self) -> Mapping[str, int]:
        roles = (column for role in self.roles.values() for column in role.columns.values())
        own = [self.id_column] if self.id_column is not None else []
        return {column.header: column.index for column in (*self.attributes.values(), *roles, *own)}

    def describe(self) -> Mapping[str, object]:
        """Return what tells these columns from others, as JSON values."""
        return {
            "attributes": {name: column.index for name, column in self.attributes.items()},
            "roles": {
                name: {attribute: column.index for attribute, column in each.columns.items()}
                for name, each in self.roles.items()
            },
            "key": list(self.key.attributes) if self.key else None,
        }


def match_columns(  # noqa: PLR0913 - the class, the file, and the options
    model: Model,
    class_: Class,
    header: Sequence[str],
    mapping: Mapping[str, str],
    *,
    update_by: Sequence[str] = (),
    ignores_others: bool = False,
) -> Columns:
    """Return which columns are which attributes and roles. Raises UnusableColumns.

    `mapping`: attributes and roles by the name of the column, such as `first_name`, `team` or `team.name`. An
    empty text leaves the column out. Other columns are found by their names. `ignores_others`: leave out
    columns that have no counterpart.
    """
    return _Matching(model, class_, header, mapping, ignores_others=ignores_others).columns(update_by)


class _Matching:
    """Finds the attributes and roles of columns, and collects the mistakes."""

    def __init__(
        self,
        model: Model,
        class_: Class,
        header: Sequence[str],
        mapping: Mapping[str, str],
        *,
        ignores_others: bool,
    ) -> None:
        self._model = model
        self._class = class_
        self._header = header
        self._mapping = mapping
        self._ignores_others = ignores_others
        self._mistakes: list[str] = []
        self._attributes: dict[str, FileColumn] = {}
        self._by_role: dict[str, dict[str, FileColumn]] = defaultdict(dict)
        self._id_column: FileColumn | None = None

    def columns(self, update_by: Sequence[str]) -> Columns:
        """Return the columns. Raises UnusableColumns."""
        if mistake := _unimportable(self._model, self._class):
            raise UnusableColumns([mistake])
        for name in self._mapping.keys() - set(self._header):
            known = _with_suggestion(name, self._header)
            self._mistakes.append(f'--map: the file has no column "{name}". {known}')
        for index, header in enumerate(self._header):
            self._match(index, header)
        roles = dict(self._roles())
        key = self._key(update_by, roles)
        if not update_by:
            self._check_required(roles)
        if self._id_column is not None and key is not _BY_ID:
            self._mistakes.append(
                f'The column "{self._id_column.header}" has the ids of objects. To update these objects, use '
                f"--update-by {ID}. To create new objects, leave the column out with "
                f'--map "{self._id_column.header}=".'
            )
        if not self._attributes and not roles and not self._mistakes:
            self._mistakes.append(f"No column belongs to an attribute of {self._class.name}. {self._known()}")
        if self._mistakes:
            raise UnusableColumns(self._mistakes)
        return Columns(self._class, self._attributes, roles, len(self._header), self._id_column, key)

    def _match(self, index: int, header: str) -> None:
        mapped = self._mapping.get(header)
        if mapped == "" or (mapped is None and header in {REASON, LINE}):
            return
        name = mapped if mapped is not None else self._find(header)
        first, _, rest = name.partition(".")
        if name == ID:
            self._id_column = FileColumn(index, header, ID_TYPE)
        elif first in self._class.roles:
            self._add_to_role(index, header, self._class.roles[first], rest)
        elif name in self._class.attributes:
            self._add_attribute(index, header, self._class.attributes[name])
        elif mapped is not None or not self._ignores_others:
            roles = [name for name, role in self._class.roles.items() if leads_to_one(self._model, role)]
            known = [*_writable(self._class), *roles]
            what = f'"{name}"' if mapped is not None else "of this name"
            self._mistakes.append(
                f'Column "{header}": {self._class.name} has no attribute or role {what}. '
                f"{_with_suggestion(name, known) if header else self._known()} "
                f'To leave the column out, use --map "{header}=".'
            )

    def _find(self, header: str) -> str:
        """Return the name of an attribute or role that a column is named after, regardless of case."""
        known = {_folded(name): name for name in (*self._class.attributes, *self._class.roles, ID)}
        first, point, rest = header.partition(".")
        return f"{known.get(_folded(first), first)}{point}{rest.strip()}"

    def _add_attribute(self, index: int, header: str, attribute: Attribute) -> None:
        if reason := _read_only(attribute):
            self._mistakes.append(
                f'Column "{header}": {self._class.name}.{attribute.name} can\'t be imported: {reason}. '
                f'Leave the column out with --map "{header}=".'
            )
        elif attribute.name in self._attributes:
            other = self._attributes[attribute.name].header
            self._mistakes.append(f'The columns "{other}" and "{header}" are both {attribute.name}.')
        else:
            self._attributes[attribute.name] = FileColumn(index, header, attribute.type)

    def _add_to_role(self, index: int, header: str, role: Role, path: str) -> None:
        if not leads_to_one(self._model, role):
            kind = "parts" if role.composition else "a role that a row can't set"
            self._mistakes.append(
                f'Column "{header}": {self._class.name}.{role.name} has {kind}. A CSV file can set roles '
                f'that lead to one object of another class. Leave the column out with --map "{header}=".'
            )
            return
        target = self._model.classes[role.target]
        keys = [unique.attributes[0] for unique in target.uniques if len(unique.attributes) == 1]
        if not path and len(keys) != 1:
            how = f"Use {role.name}.{keys[0]}, for example." if keys else f"Use {role.name}.{ID}."
            self._mistakes.append(
                f'Column "{header}": by which attribute of {target.name} do the cells name an object? {how}'
            )
            return
        name = path or keys[0]
        attribute = target.attributes.get(name)
        if name != ID and (attribute is None or not _is_own(attribute)):
            known = _with_suggestion(name, [*_key_attributes(target), ID])
            self._mistakes.append(
                f'Column "{header}": {target.name} has no unique attribute "{name}". {known}'
            )
            return
        if name in self._by_role[role.name]:
            other = self._by_role[role.name][name].header
            self._mistakes.append(f'The columns "{other}" and "{header}" are both {role.name}.{name}.')
            return
        type_ = ID_TYPE if attribute is None else attribute.type
        self._by_role[role.name][name] = FileColumn(index, header, type_)

    def _roles(self) -> Iterator[tuple[str, RoleColumns]]:
        for name, columns in self._by_role.items():
            if not columns:
                continue
            role = self._class.roles[name]
            target = self._model.classes[role.target]
            unique = _unique_of(target, columns)
            if unique is None:
                headers = ", ".join(f'"{column.header}"' for column in columns.values())
                self._mistakes.append(
                    f"{headers}: {target.name} has no @unique of exactly {', '.join(columns)}, so they "
                    f"can't find one object. {_uniques(target)}"
                )
                continue
            yield name, RoleColumns(role, unique, columns, is_one_to_one(self._model, role))

    def _key(self, update_by: Sequence[str], roles: Mapping[str, RoleColumns]) -> Unique | None:
        if not update_by:
            return None
        unique = _unique_of(self._class, update_by)
        if unique is None:
            self._mistakes.append(
                f"--update-by: {self._class.name} has no @unique of exactly {', '.join(update_by)}. "
                f"{_uniques(self._class)}"
            )
            return None
        known = {*self._attributes, *roles, *([ID] if self._id_column is not None else [])}
        for name in update_by:
            if name not in known:
                self._mistakes.append(f"--update-by: the file has no column for {name}.")
        return unique

    def _check_required(self, roles: Mapping[str, RoleColumns]) -> None:
        class_ = self._class
        missing = [name for name in class_.required_attributes if name not in class_.defaults]
        missing += [role.name for role in class_.roles.values() if role.required and not role.whole]
        for name in missing:
            if name not in self._attributes and name not in roles:
                self._mistakes.append(
                    f"{class_.name}.{name} is required, but no column belongs to it. "
                    f"Name one with --map COLUMN={name}."
                )

    def _known(self) -> str:
        return f"Its attributes are {', '.join(_writable(self._class))}."


def _unimportable(model: Model, class_: Class) -> str | None:
    """Return why the objects of a class can't be imported, None if they can."""
    if class_.part:
        wholes = [
            f"{whole.name}.{role.name}"
            for whole in model.classes.values()
            for role in whole.compositions
            if role.target == class_.name
        ]
        return f"The objects of {class_.name} are parts ({', '.join(wholes)}). A row can't name their whole."
    if class_.kind is not ClassKind.ORDINARY:
        return f"{class_.name} has no list of objects that a CSV file could have, but {class_.kind.value}."
    return None


def _read_only(attribute: Attribute) -> str | None:
    """Return why the values of an attribute can't be imported, None if they can."""
    if attribute.origin is not Origin.NATIVE:
        return "Stratabase sets it"
    if attribute.type.numbered:
        return "Stratabase numbers the objects"
    return "a cell can't have a file" if attribute.type.holds_file else None


def _is_own(attribute: Attribute) -> bool:
    return attribute.origin is Origin.NATIVE and not attribute.type.holds_file


def is_importable(attribute: Attribute) -> bool:
    """Return whether a cell can set an attribute."""
    return _read_only(attribute) is None


def leads_to_one(model: Model, role: Role) -> bool:
    """Return whether a row can set a role: it leads to one object, which is not a part."""
    return storage_of(model, role) in _TO_ONE


def _writable(class_: Class) -> list[str]:
    return [name for name, each in class_.attributes.items() if _read_only(each) is None]


def _key_attributes(class_: Class) -> list[str]:
    return list(dict.fromkeys(name for unique in class_.uniques for name in unique.attributes))


def _unique_of(class_: Class, names: Sequence[str] | Mapping[str, FileColumn]) -> Unique | None:
    """Return the unique constraint of exactly these attributes, None if there is none."""
    if set(names) == {ID}:
        return _BY_ID
    return next((unique for unique in class_.uniques if set(unique.attributes) == set(names)), None)


def _uniques(class_: Class) -> str:
    known = [", ".join(unique.attributes) for unique in class_.uniques]
    return f"Use {ID}, or {'; or '.join(known)}." if known else f"Use {ID}."


def _folded(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _with_suggestion(name: str, known: Sequence[str]) -> str:
    nearest = nearest_word(name, tuple(each for each in known if each))
    return f'Did you mean "{nearest}"?' if nearest else f"Known are {', '.join(known)}."
