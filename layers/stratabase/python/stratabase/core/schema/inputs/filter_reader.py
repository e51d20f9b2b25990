"""Read a filter in an API request to the domain's Filter."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.domain.query.filter import (
    MATCH_ALL,
    MATCH_NONE,
    Comparison,
    Filter,
    RoleFilter,
    and_,
    not_,
    or_,
)
from stratabase.core.model.api_names import (
    AND,
    CLIENT_ID_EQUALS,
    ID,
    NOT,
    OR,
    RoleTest,
    filter_field,
    role_filter_field,
)
from stratabase.core.model.model import Class, Model
from stratabase.core.model.types.base import AttributeType, Stored, parse_text
from stratabase.core.model.types.date import DateType
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.core.model.types.operators import (
    EXISTENCE_OPERATORS,
    MEMBERSHIP_OPERATORS,
    TEXT_OPERATORS,
    Operator,
)
from stratabase.core.schema.inputs.day_operands import (
    DayRange,
    compare_with_day,
    compare_with_days,
    read_day_or_instant,
)
from stratabase.core.schema.inputs.filter_size import is_left_out, measure_filter
from stratabase.core.schema.inputs.filter_type import (
    FilterField,
    RoleFilterField,
    filter_fields,
    role_filter_fields,
)
from stratabase.core.schema.types.registry import LazyMapping
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import Message, _

MAX_LEVELS = 100
EVERYTHING = f"{{{filter_field(ID, Operator.NOT_NULL)}: true}}"
"""The filter to name in messages for matching every object on purpose."""
_NULL_OPERANDS = frozenset({Operator.EQ, Operator.NE})
"""The operators that compare with null."""
InputObject = Mapping[str, Any]


class _ClassFields:
    """The fields of the filters of one class, by name."""

    def __init__(self, model: Model, class_: Class) -> None:
        self.subject = Subject(class_)
        self.comparisons: Mapping[str, FilterField] = dict(filter_fields(class_))
        self.roles: Mapping[str, RoleFilterField] = dict(role_filter_fields(model, class_))


class FilterReader:
    """Reads the filters of one class."""

    def __init__(
        self, model: Model, class_: Class, *, skip_nulls: bool = False, along_roles: bool = True
    ) -> None:
        """If `skip_nulls`, leave out conditions whose operand is null, as if their field were not written.

        That also leaves out a NOT, a role's filter, and an element of AND or OR, that has no other condition.
        Otherwise null and such an element are mistakes: if a filter selects objects to delete, a condition
        that disappears would delete everything.

        Unless `along_roles`, conditions on roles are refused: the filter is for versions of one object.
        """
        self._class = class_
        self._skip_nulls = skip_nulls
        self._along_roles = along_roles
        self._fields: LazyMapping[str, _ClassFields] = LazyMapping(
            lambda name: _ClassFields(model, model.classes[name])
        )

    def read(
        self, input_object: InputObject, formats: Formats, path: Path, access: Access | None = None
    ) -> Filter:
        """Return the filter. A filter without conditions matches everything.

        `path` leads to it in the request. What is beyond a role that `access` does not let the caller follow
        is not read: a mistake there would name the class. Such a role must be refused by its name.
        Raises Refused with all wrong operands, or because of its size.
        """
        excess = measure_filter(input_object, skip_nulls=self._skip_nulls).excess
        if excess:
            message = _("{class_name}: {message}", class_name=self._class.name, message=excess)
            raise Refused([Subject(self._class).issue(IssueType.MALFORMED_REQUEST, message, *path)])
        issues: list[Issue] = []
        reading = _Reading(self._fields, formats, issues, self._skip_nulls, self._along_roles, access)
        filter_ = _FilterParser(reading, self._class.name).parse_object(input_object, path)
        if issues:
            raise Refused(issues)
        return MATCH_ALL if filter_ is None else filter_


class _Reading(NamedTuple):
    """What the parsers of all classes in one filter share."""

    fields: LazyMapping[str, _ClassFields]
    """By class."""
    formats: Formats
    issues: list[Issue]
    """What is wrong with the filter."""
    skip_nulls: bool
    along_roles: bool
    access: Access | None
    """The caller's rights. None means full access."""

    def may_follow(self, class_: Class, role_name: str) -> bool:
        """Return whether the caller may follow a role of a class."""
        return self.access is None or self.access.may_follow(class_.name, class_.roles[role_name])


class _FilterParser:
    """Parses one filter on objects of a class."""

    def __init__(self, reading: _Reading, class_name: str) -> None:
        self._reading = reading
        self._fields = reading.fields[class_name]
        self._subject = self._fields.subject

    def parse_object(self, input_object: InputObject, path: Path) -> Filter | None:
        """Return the filter of one input object, whose fields must all hold. None if it has no condition."""
        if len(path) > MAX_LEVELS and _levels(path) > MAX_LEVELS:
            message = _(
                "The filter is nested too deeply. The maximum is {maximum} levels.", maximum=MAX_LEVELS
            )
            raise Refused([self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path[:3])])
        # Lists instead of nested iterators, so that each level of a deep filter uses little of the stack.
        parts = [self._parse_field(name, value, (*path, name)) for name, value in input_object.items()]
        conditions = [part for part in parts if part is not None]
        return and_(conditions) if conditions else None

    def _parse_junction(
        self, combine: Callable[[Sequence[Filter]], Filter], input_objects: list[InputObject], path: Path
    ) -> Filter | None:
        """Return the filter of AND or OR. None if all elements are left out."""
        parts = [self._parse_element(part, (*path, position)) for position, part in enumerate(input_objects)]
        conditions = [part for part in parts if part is not None]
        return None if input_objects and not conditions else combine(conditions)

    def _parse_and(self, input_objects: list[InputObject], path: Path) -> Filter | None:
        return self._parse_junction(and_, input_objects, path)

    def _parse_or(self, input_objects: list[InputObject], path: Path) -> Filter | None:
        return self._parse_junction(or_, input_objects, path)

    def _parse_not(self, input_object: InputObject, path: Path) -> Filter | None:
        part = self._parse_element(input_object, path)
        return None if part is None else not_(part)

    _COMBINATIONS: ClassVar[Mapping[str, Callable[["_FilterParser", Any, Path], Filter | None]]] = {
        AND: _parse_and,
        OR: _parse_or,
        NOT: _parse_not,
    }

    def _parse_element(self, input_object: InputObject, path: Path) -> Filter | None:
        """Return the filter of an element of AND, OR or NOT. None if it is left out or refused."""
        if not input_object and not self._reading.skip_nulls:
            message = _(
                "{class_name}: A filter without a condition would match every {class_name}. "
                "Remove it, or use {everything}.",
                class_name=self._subject.class_.name,
                everything=EVERYTHING,
            )
            self._reading.issues.append(self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path))
        return self.parse_object(input_object, path)

    def _parse_field(self, name: str, value: Any, path: Path) -> Filter | None:
        """Return the filter of one field. None if it is left out."""
        if is_left_out(name, value, skip_nulls=self._reading.skip_nulls):
            return None
        if name in self._fields.roles:
            return self._parse_role_field(self._fields.roles[name], name, value, path)
        if value is None and (name in self._COMBINATIONS or name == CLIENT_ID_EQUALS):
            self._note_null(name, path)
            return MATCH_ALL if name == CLIENT_ID_EQUALS else None
        if name in self._COMBINATIONS:
            return self._COMBINATIONS[name](self, value, path)
        if name == CLIENT_ID_EQUALS:
            return MATCH_NONE  # no stored object has one
        return self._parse_comparison(name, value, path)

    def _note_null(self, name: str, path: Path) -> None:
        """Note an issue for a null that would match every object, unless nulls are skipped."""
        if not self._reading.skip_nulls:
            message = _(
                "{field} is null, which would match every object. Remove the field.",
                field=f"{self._subject.class_.name}.{name}",
            )
            self._reading.issues.append(self._subject.issue(IssueType.MALFORMED_REQUEST, message, *path))

    def _parse_role_field(self, field: RoleFilterField, name: str, value: Any, path: Path) -> Filter | None:
        """Return the filter of one test of a role. None if it is left out, or refused with an issue."""
        if not self._reading.along_roles:
            message = _(
                "{field} can't be used to filter versions. Each version would be compared with other objects "
                "of its own time. Filter by attributes of {class_name}.",
                field=f"{self._subject.class_.name}.{name}",
                class_name=self._subject.class_.name,
            )
            self._refuse_role(field, message, path)
            return None
        if value is None:
            message = self._label(name, _null_message(field, name))
            self._refuse_role(field, message, path)
            return None
        if field.test is RoleTest.NULL:
            there = RoleFilter(field.role, MATCH_ALL)
            return not_(there) if value else there
        if not self._reading.may_follow(self._subject.class_, field.role.role_name):
            return RoleFilter(field.role, MATCH_ALL)
        part = _FilterParser(self._reading, field.target.name).parse_object(value, path)
        # A form that was not filled in sends nulls, so it asks for nothing. A filter without fields matches
        # any object, so it asks whether there is one.
        if part is None and value and self._reading.skip_nulls:
            return None
        return _ROLE_FILTERS[field.test](field.role, MATCH_ALL if part is None else part)

    def _refuse_role(self, field: RoleFilterField, message: Message, path: Path) -> None:
        issue_type = IssueType.MALFORMED_REQUEST
        self._reading.issues.append(self._subject.role_issue(issue_type, message, field.role.role_name, path))

    def _label(self, name: str, message: Message) -> Message:
        field = f"{self._subject.class_.name}.{name}"
        return _("{attribute}: {message}", attribute=field, message=message)

    def _parse_comparison(self, name: str, value: Any, path: Path) -> Filter:
        field = self._fields.comparisons[name]
        attribute = field.attribute
        try:
            return self._compare(field, self._read_operand(field, value))
        except InvalidValue as mistake:
            message = self._label(name, mistake.message)
            # The issue refuses the request in the end, so the result of this comparison does not matter.
            issue_type = IssueType.MALFORMED_REQUEST if value is None else IssueType.DATA_TYPE
            self._reading.issues.append(
                self._subject.attribute_issue(issue_type, message, attribute.name, path=path)
            )
            return MATCH_NONE

    def _compare(self, field: FilterField, operand: Any) -> Filter:
        """Return the filter of a comparison with an operand, which may contain days."""
        attribute, operator = field
        if isinstance(operand, DayRange):
            return compare_with_day(attribute.name, operator, operand)
        if isinstance(operand, tuple) and any(isinstance(one, DayRange) for one in operand):
            return compare_with_days(attribute.name, operator, operand)
        return Comparison(attribute.name, operator, operand)

    def _read_operand(self, field: FilterField, value: Any) -> Any:
        """Return a stored value, a DayRange for a day where a Datetime belongs, or a tuple of these."""
        attribute, operator = field
        if value is None and operator in _NULL_OPERANDS:
            return None
        if value is None and operator in EXISTENCE_OPERATORS:
            raise InvalidValue(_no_null_message())
        if value is None:
            message = _(
                "null is not allowed. Remove the field, or use {field}.",
                field=f"{filter_field(attribute.name, Operator.NULL)}: true",
            )
            raise InvalidValue(message)
        if operator in EXISTENCE_OPERATORS:
            return bool(value)
        if operator in TEXT_OPERATORS:  # a part of a value is any text, whatever the type of the value
            return parse_text(value, attribute.type.name)
        if operator in MEMBERSHIP_OPERATORS:
            return tuple(None if one is None else self._read_value(attribute.type, one) for one in value)
        return self._read_value(attribute.type, value)

    def _read_value(self, type_: AttributeType, value: Any) -> Stored | DayRange:
        """Return the stored value of an operand, the field of it that is compared, or a day."""
        if isinstance(type_, DateType | DatetimeType):
            return read_day_or_instant(type_, value, self._reading.formats)
        stored, field = type_.read(value, self._reading.formats), type_.equality_field
        return stored[field] if field is not None and isinstance(stored, Mapping) else stored


def _no_null_message() -> Message:
    return _("null is not allowed. Use true or false, or remove the field.")


def _null_message(field: RoleFilterField, name: str) -> Message:
    """Return the message for a test of a role whose operand is null."""
    if field.test is RoleTest.NULL:
        return _no_null_message()
    if field.test is RoleTest.IS:
        return _(
            "null is not allowed. Remove the field, or use {field}.",
            field=f"{role_filter_field(name, RoleTest.NULL)}: true",
        )
    return _("null is not allowed. Remove the field, or use {field}.", field=f"{name}: {{}}")


_ROLE_FILTERS: Mapping[RoleTest, Callable[[RoleName, Filter], Filter]] = {
    RoleTest.IS: RoleFilter,
    RoleTest.SOME: RoleFilter,
    RoleTest.NONE: lambda role, part: not_(RoleFilter(role, part)),
    RoleTest.EVERY: lambda role, part: not_(RoleFilter(role, not_(part))),
}


def _levels(path: Path) -> int:
    """Return the nesting depth of a path. Positions in lists don't count."""
    return sum(isinstance(step, str) for step in path)
