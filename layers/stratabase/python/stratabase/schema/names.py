"""Every generated name, made here and nowhere else."""

from collections.abc import Iterator
from enum import Enum

from stratabase.model.class_ import Unique
from stratabase.model.operator import Operator

SEPARATOR = "___"


class Family(Enum):
    """The types that each class has; the value is what follows the class's name."""

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


class Direction(Enum):
    """The directions of a sort."""

    ASCENDING = "ASC"
    DESCENDING = "DESC"


ID = "_id"
CLIENT_ID = "_clientId"
FILE_INFO = "FileInfo"
PENDING_FILE_REFERENCE = "PendingFileReference"
CONDITION = "filter_exp"
"""The option of a page that gives a condition as a text."""
ENTITY_ID, ENTITY_NAME = "EntityID", "EntityName"
LOCK_INFO, LOCK_STATUS_RESULT = "LockInfo", "LockStatusResult"
VERSION_DIFF, ATTRIBUTE_CHANGE = "VersionDiff", "AttributeChange"


def type_name(class_name: str, family: Family) -> str:
    """`EmployeePage`."""
    return f"{class_name}{family.value}"


def classes_of(type_name: str) -> Iterator[str]:
    """Yield the names that the class of a type may have."""
    for family in Family:
        if type_name.endswith(family.value):
            yield type_name.removesuffix(family.value)


def service(class_name: str, verb: str) -> str:
    """`Employee___getPage`."""
    return f"{class_name}{SEPARATOR}{verb}"


def class_of(service_name: str) -> str:
    """Return the name of the class of a service."""
    return service_name.partition(SEPARATOR)[0]


def get_by(unique: Unique) -> str:
    """`getByLast_name_First_name`: the verb of what finds an object by unique values."""
    return "getBy" + "_".join(name[:1].upper() + name[1:] for name in unique.attributes)


def associables(role: str) -> str:
    """`team___associables`."""
    return f"{role}{SEPARATOR}associables"


def sort(attribute: str, direction: Direction) -> str:
    """`last_name___ASC`."""
    return f"{attribute}{SEPARATOR}{direction.value}"


def comparison(attribute: str, operator: Operator) -> str:
    """`last_name___not___in`."""
    word = operator.value
    negation, _, rest = word.partition("not_")
    spelled = f"not{SEPARATOR}{rest}" if not negation and rest else word
    return f"{attribute}{SEPARATOR}{spelled}"


CLIENT_ID_EQUALS = comparison(CLIENT_ID, Operator.EQ)
