"""The attribute types: how values are read, stored, compared and written.

Read `base` first: all that a type defines, the stored forms and their order in indexes. Then read any type.
`temporal` has what Date, Time and Datetime share. To add a type, write its class in its own file, and list it
in `TYPES`. No other code changes, except `values/cel/kinds` for a type of a new kind. CONTRIBUTING names the
tables of the tests and the pages. Imports point to `formats` and to the kinds of expressions.
"""

from collections.abc import Mapping
from types import MappingProxyType

from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.boolean import BooleanType
from stratabase.core.model.types.date import DateType
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.core.model.types.file import FileType
from stratabase.core.model.types.identifier import IdType, MemberIdType
from stratabase.core.model.types.integer import IntType
from stratabase.core.model.types.label import LabelType
from stratabase.core.model.types.real import RealType
from stratabase.core.model.types.serial import SerialType
from stratabase.core.model.types.string import (
    FoldedString,
    FoldedStringNoAccents,
    FoldedText,
    FoldedTextNoAccents,
    StringType,
    TextType,
)
from stratabase.core.model.types.time import TimeType
from stratabase.core.model.types.year import YearType

TYPES: Mapping[str, AttributeType] = MappingProxyType(
    {
        type_.name: type_
        for type_ in (
            StringType(),
            TextType(),
            IntType(),
            RealType(),
            BooleanType(),
            DateType(),
            TimeType(),
            DatetimeType(),
            YearType(),
            SerialType(),
            FileType(),
        )
    }
)
"""The attribute types of every model, by name. A model adds its enums."""
FOLDED_TYPES: Mapping[str, AttributeType] = MappingProxyType(
    {
        type_.full_name: type_
        for type_ in (FoldedString(), FoldedText(), FoldedStringNoAccents(), FoldedTextNoAccents())
    }
)
"""The types of attributes whose `@text` folds them, by `full_name`, such as `String FOLDED`."""
ID_TYPE = IdType()
"""The type of `_id` and of the keys of roles, which are not attributes of the model."""
MEMBER_ID_TYPE = MemberIdType()
"""The type of the keys of roles that lead to members, in models without users (`model.users`)."""
LABEL_TYPE = LabelType()
"""The type of `_label`, which is no attribute of the model."""
__all__ = ["FOLDED_TYPES", "ID_TYPE", "LABEL_TYPE", "MEMBER_ID_TYPE", "TYPES"]
