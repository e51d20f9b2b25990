"""All generated names of the GraphQL schema.

Types are named after their class (`EmployeePage`), services after their class and a verb
(`Employee___getPage`), sorts and filters after their attribute (`last_name___ASC`, `last_name___not___in`).
The model's check for name clashes and the schema both use this module, so they can't disagree.
"""

from collections.abc import Iterator, Sequence
from enum import Enum

from stratabase.core.model.types.operators import Operator, Total
from stratabase.values.cel import scope
from stratabase.values.formats.buckets import Bucket

SEPARATOR = "___"
"""Joins the parts of a generated name. A name in a model must not contain it."""


class GeneratedType(Enum):
    """The types that are generated for each class. The value is the suffix that follows the class name."""

    OBJECT = ""
    PAGE = "Page"
    OPTIONS = "PageOptions"
    CURSOR = "Cursor"
    SORT = "Sort"
    FILTER = "Filter"
    CREATE = "Create"
    UPDATE = "Update"
    UPDATE_BULK = "UpdateBulk"
    DRAFT = "Draft"
    DRAFT_CREATE = "DraftCreate"
    DRAFT_UPDATE = "DraftUpdate"
    DRAFT_UPDATE_BULK = "DraftUpdateBulk"
    ROLE_REF = "RoleRef"
    ROLE_REFS = "RoleRefs"
    ROLE_OBJECT = "RoleObject"
    ROLE_OBJECTS = "RoleObjects"
    DRAFT_ROLE_REFS = "DraftRoleRefs"
    DRAFT_ROLE_OBJECTS = "DraftRoleObjects"
    DRAFT_UPDATE_ROLE_OBJECT = "DraftUpdateRoleObject"
    DRAFT_UPDATE_ROLE_OBJECTS = "DraftUpdateRoleObjects"
    BULK_RESULT = "BulkResult"
    AGGREGATES = "___Aggregates"
    GROUP = "___Group"
    GROUP_KEY = "___GroupKey"
    GROUP_KEYS = "___GroupKeys"
    GROUP_PAGE = "___GroupPage"
    GROUP_SORT = "___GroupSort"
    GROUP_FILTER = "___GroupFilter"
    DELETED_OPTIONS = "___DeletedPageOptions"
    DELETED_PAGE = "___DeletedPage"
    DELETED_OBJECT = "___DeletedObject"


class SortDirection(Enum):
    """The directions of a sort."""

    ASCENDING = "ASC"
    DESCENDING = "DESC"


# Types that every generated schema has, whatever its model.
QUERY, MUTATION = "Query", "Mutation"
CURSOR = "Cursor"
DELETE_RESULT, DELETE_BULK_RESULT = "DeleteResult", "DeleteBulkResult"
FORCE_WARNINGS = "ForceWarnings"
INSIGHT_TYPE = "InsightType"
ENTITY_ID, ENTITY_NAME = "EntityID", "EntityName"
LOCK_INFO, LOCK_STATUS_RESULT = "LockInfo", "LockStatusResult"
VERSION_DIFF, ATTRIBUTE_CHANGE = "VersionDiff", "AttributeChange"
VALIDATION_RESULT, ISSUE = "ValidationResult", "Issue"
ISSUE_LEVEL, ISSUE_REFERENCE_TYPE, ISSUE_TYPE = "IssueLevel", "IssueReferenceType", "IssueType"
FILE_INFO, PENDING_FILE_REFERENCE = "FileInfo", "PendingFileReference"
FIXED_TYPES = frozenset(
    {
        *(QUERY, MUTATION, "Subscription", "ID", "Float", CURSOR),
        *(FILE_INFO, PENDING_FILE_REFERENCE, INSIGHT_TYPE, FORCE_WARNINGS),
        *(ENTITY_ID, ENTITY_NAME, LOCK_INFO, LOCK_STATUS_RESULT),
        *(DELETE_RESULT, DELETE_BULK_RESULT, VERSION_DIFF, ATTRIBUTE_CHANGE),
        *(VALIDATION_RESULT, ISSUE, ISSUE_LEVEL, ISSUE_REFERENCE_TYPE, ISSUE_TYPE),
    }
)
"""Type names that no class or enum of a model can have, besides those of attribute types."""

# Fields and arguments that do not depend on the model.
ID = scope.ID
CLIENT_ID = "_clientId"
FILTER_EXP = "filter_exp"
IF_VERSION, IF_REVISION = "ifVersion", "ifRevision"
LABEL, REVISION = "_label", "_revision"
IF_REVISION_OF_PART = "_ifRevision"
"""The field of a part's input. The argument `ifRevision` is that of the object of the request."""


def type_name(class_name: str, generated_type: GeneratedType) -> str:
    """Return the name of a type that is generated for a class, such as `EmployeePage`."""
    return f"{class_name}{generated_type.value}"


def candidate_class_names(type_name: str) -> Iterator[str]:
    """Yield the names of the classes for which a type of this name may have been generated."""
    for generated_type in GeneratedType:
        if type_name.endswith(generated_type.value):
            yield type_name.removesuffix(generated_type.value)


def service_name(class_name: str, verb: str) -> str:
    """Return the name of a service, such as `Employee___getPage`."""
    return f"{class_name}{SEPARATOR}{verb}"


def class_name_of(service_name: str) -> str:
    """Return the name of the class that a service belongs to."""
    return service_name.partition(SEPARATOR)[0]


def get_by_verb(attributes: Sequence[str]) -> str:
    """Return the verb that finds an object by unique attributes, such as `getByLast_name_First_name`."""
    return "getBy" + "_".join(name[:1].upper() + name[1:] for name in attributes)


def default_whole_role(class_name: str) -> str:
    """Return the name of the role from a part to its whole, such as `order_`, if the model gives none."""
    return class_name[:1].lower() + class_name[1:] + "_"


def associables_field(role: str) -> str:
    """Return the field that lists the objects that a role can lead to, such as `team___associables`."""
    return f"{role}{SEPARATOR}associables"


def sort_value(attribute: str, direction: SortDirection) -> str:
    """Return a value of a sort enum, such as `last_name___ASC`."""
    return f"{attribute}{SEPARATOR}{direction.value}"


def filter_field(attribute: str, operator: Operator) -> str:
    """Return a field of a filter input, such as `last_name___eq` or `last_name___not___in`."""
    word = operator.value
    if word.startswith("not_"):
        word = f"not{SEPARATOR}{word.removeprefix('not_')}"
    return f"{attribute}{SEPARATOR}{word}"


CLIENT_ID_EQUALS = filter_field(CLIENT_ID, Operator.EQ)


# Totals and groups. No name in a model begins with "_".
COUNT, KEYS = "_count", "_keys"
COUNT_TYPE, GROUP_OBJECT = "_Count", "_GroupObject"
TOTAL_COUNT_UP_TO, AGGREGATES, GROUPS = "totalCountUpTo", "aggregates", "groups"
_NO_ENUM_VALUES = frozenset({"true", "false", "null"})


def aggregates_type(type_name: str | None) -> str:
    """Return the name of the type with the totals of an attribute. None: of values without an order."""
    return f"_{type_name or 'Count'}Aggregates"


def group_key(name: str, bucket: Bucket | None = None) -> str:
    """Return the key for groups by an attribute or role, such as `status` or `placed_on___MONTH`."""
    if bucket is not None:
        return f"{name}{SEPARATOR}{bucket.value}"
    return f"_{name}" if name in _NO_ENUM_VALUES else name


def measure_name(name: str, total: Total) -> str:
    """Return the name of a total in orders and conditions, such as `amount___SUM`."""
    return f"{name}{SEPARATOR}{total.name}"


def group_filter_field(measure: str, operator: Operator) -> str:
    """Return a field of a condition on groups, such as `amount___SUM___gte` or `_count___gte`."""
    return f"{measure}{SEPARATOR}{operator.value}"


class RoleTest(Enum):
    """What a field of a filter says about the objects that a role leads to. The value ends its name."""

    IS = ""
    NULL = "null"
    SOME = "some"
    NONE = "none"
    EVERY = "every"


AND, OR, NOT = "AND", "OR", "NOT"
FILTER_COMBINATIONS = frozenset({AND, OR, NOT})
"""The fields of a filter input that combine filters. No role or attribute can have such a name."""


def role_filter_field(role: str, test: RoleTest) -> str:
    """Return a field of a filter input for a role, such as `team` or `members___some`."""
    return f"{role}{SEPARATOR}{test.value}" if test.value else role


def filter_suffix(field: str) -> str:
    """Return the last part of the name of a filter's field: `eq` of `name___eq`, and nothing of `team`."""
    return field.rpartition(SEPARATOR)[2] if SEPARATOR in field else ""
