"""What names mean in the draft of a model: paths over roles to attributes, and the names in expressions."""

from collections.abc import Iterable, Mapping, Sequence

from stratabase.core.model.model import PlatformAttribute
from stratabase.core.model.model_expressions import CALLER_FIELDS
from stratabase.core.model.reading.draft.model_draft import ClassDraft, FieldDraft, ModelDraft
from stratabase.core.model.types import ID_TYPE, TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.model.users import NAMING_ATTRIBUTE_OF_ROLE, USER, USER_ATTRIBUTES
from stratabase.values.cel.scope import (
    ID,
    UNKNOWN_ATTRIBUTE,
    AttributeSymbol,
    RoleSymbol,
    Symbol,
    SymbolTable,
)
from stratabase.values.frozen import frozen

_PLATFORM = {attribute.value: attribute for attribute in PlatformAttribute}


@frozen
class ResolvedPath:
    """The part of a path that could be resolved, and the class that it reaches."""

    steps: tuple[tuple[str, str], ...]
    """For each resolved name: the class in which it was found, and the name."""
    at: str
    """The name of the class that the path reaches."""
    many: bool
    """At least one role of the path leads to many objects."""
    type: AttributeType | None = None
    """The type of the attribute at the end, or None if the path ends at a role or an unknown name."""


def resolve_path(draft: ModelDraft, class_name: str, names: Sequence[str]) -> ResolvedPath:
    """Return the part of the path `names` that can be resolved from a class."""
    steps: list[tuple[str, str]] = []
    at, many = class_name, False
    for name in names:
        if type_ := attribute_type(draft, at, name):
            return ResolvedPath((*steps, (at, name)), at, many, type_)
        if not (role := _role(draft, at, name)):
            break
        steps.append((at, name))
        at, many = role[0], many or role[1]
    return ResolvedPath(tuple(steps), at, many)


def attribute_type(draft: ModelDraft, class_name: str, name: str) -> AttributeType | None:
    """Return the type of a native, derived or platform attribute, or None if there is no such attribute."""
    if class_name == USER:
        return USER_ATTRIBUTES[name][0] if name in USER_ATTRIBUTES else None
    one = draft.classes.get(class_name)
    if one and name in one.fields_by_name:
        return one.fields_by_name[name].type
    recorded = _PLATFORM.get(name)
    return platform_attribute_type(recorded) if one and recorded and recorded in one.platform else None


def compared_type(draft: ModelDraft, field: FieldDraft) -> AttributeType | None:
    """Return the type of an attribute, which a derived one that shows texts of a path compares like these."""
    use = field.directive("derived")
    if field.type is None or use is None or not use["path"]:
        return field.type
    resolved = resolve_path(draft, field.owner, use["path"].split("."))
    if resolved.type is None or resolved.type.name != field.type.name:
        return field.type
    owner = draft.classes.get(resolved.at)
    end = None if owner is None else owner.fields_by_name.get(resolved.steps[-1][1])
    return resolved.type if end is None else compared_type(draft, end)


def platform_attribute_type(attribute: PlatformAttribute) -> AttributeType:
    """Return the type of a platform attribute: Datetime for times, String for the names of members."""
    return TYPES["Datetime" if attribute.name.endswith("_ON") else "String"]


def _role(draft: ModelDraft, class_name: str, name: str) -> tuple[str, bool] | None:
    """Return the class that a role leads to, and whether it leads to many; None if there is no such role."""
    one = draft.classes.get(class_name)
    field = one.fields_by_name.get(name) if one else None
    if field:
        return (field.target, field.many) if _is_class(draft, field.target) else None
    recorded = _PLATFORM.get(NAMING_ATTRIBUTE_OF_ROLE.get(name, ""))
    if one and recorded and recorded in one.platform:
        return USER, False
    whole_roles = draft.whole_roles.get(class_name, ())
    return next(
        ((whole_role.composition.owner, False) for whole_role in whole_roles if whole_role.name == name), None
    )


def _is_class(draft: ModelDraft, type_name: str) -> bool:
    return (
        type_name == USER or type_name in draft.classes or type_name in draft.unparsed.difference(draft.types)
    )


def names_in_class(draft: ModelDraft, class_name: str) -> list[str]:
    """Return the names of all attributes and roles of a class, including roles to wholes and to users."""
    if class_name == USER:
        return [*USER_ATTRIBUTES]
    one = draft.classes.get(class_name)
    if not one:
        return []
    whole_roles = [whole_role.name for whole_role in draft.whole_roles.get(class_name, ())]
    platform = [attribute.value for attribute in one.platform]
    user_roles = [role for role, attribute in NAMING_ATTRIBUTE_OF_ROLE.items() if attribute in platform]
    return [*one.fields_by_name, *whole_roles, *platform, *user_roles]


class DraftSymbols(SymbolTable):
    """The names in a draft.

    A name whose definition has an error has an unknown type, which fits everywhere.
    """

    caller_fields = CALLER_FIELDS

    def __init__(self, draft: ModelDraft) -> None:
        self._draft = draft

    def find(self, class_name: str, name: str) -> Symbol | None:
        """Return the attribute or role of a class that has this name, or None."""
        one = self._draft.classes.get(class_name)
        if class_name != USER and (one is None or _is_unclear(one, name)):
            return UNKNOWN_ATTRIBUTE
        if name == ID:
            return AttributeSymbol(ID_TYPE.kind)
        resolved = resolve_path(self._draft, class_name, (name,))
        if resolved.type:
            return _attribute(resolved.type)
        if resolved.steps:
            return RoleSymbol(resolved.at, resolved.many)
        return UNKNOWN_ATTRIBUTE if one is not None and name in one.fields_by_name else None

    def names_in(self, class_name: str) -> Iterable[str]:
        """Return the names of the attributes and roles of a class."""
        return names_in_class(self._draft, class_name)

    @property
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum, by its name."""
        return {
            name: tuple(value.name.value for value in node.values or ())
            for name, node in self._draft.enumerations.items()
        }


def _attribute(type_: AttributeType) -> Symbol:
    """Return the symbol of an attribute of a type. For an enum without values, the type is unknown."""
    is_empty_enum = isinstance(type_, EnumType) and not type_.values
    return UNKNOWN_ATTRIBUTE if is_empty_enum else AttributeSymbol(type_.kind)


def _is_unclear(one: ClassDraft, name: str) -> bool:
    """Return whether an error elsewhere leaves the meaning of a name open."""
    field, use = one.fields_by_name.get(name), one.directive("class")
    if field is None:
        return NAMING_ATTRIBUTE_OF_ROLE.get(name, name) in _PLATFORM and use is not None and not use.is_valid
    return field.type is not None and field.many
