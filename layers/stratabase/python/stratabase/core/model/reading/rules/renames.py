"""Rules on `@renamed` and `@default`: what is stored stays unambiguous, and defaults are valid values."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphql.language import Node

from stratabase.core.model.api_names import default_whole_role
from stratabase.core.model.constraints import build_constraints
from stratabase.core.model.constraints.base import read_argument
from stratabase.core.model.reading.draft.errors import ModelError, error_at, line_of
from stratabase.core.model.reading.draft.model_draft import (
    ClassDraft,
    DirectiveUse,
    FieldDraft,
    HasDirectives,
    ModelDraft,
    WholeRole,
)
from stratabase.core.model.reading.rules.domains import check_domains
from stratabase.core.model.reading.rules.names import reserved_name_error
from stratabase.core.model.types import TYPES
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.wording import shorten

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class _StoredName(NamedTuple):
    """The name under which something is stored."""

    label: str
    """What is stored, as messages name it: `Employee.email`."""
    name: str
    stored: str
    node: Node
    """The place of the name, or of `from`."""


def renamed_from(item: HasDirectives) -> str | None:
    """Return the first name of a renamed class or field, None if it was never renamed."""
    use = item.directive("renamed")
    return None if use is None or use["from"] == getattr(item, "name", None) else str(use["from"])


def whole_renamed_from(draft: ModelDraft, whole_role: WholeRole) -> str | None:
    """Return the name under which a part's role back is stored, None if that is its name.

    The default follows the class of the whole, so its first name follows the first name of that class.
    """
    use = whole_role.composition.directive("composition")
    assert use is not None
    owner = draft.classes[whole_role.composition.owner]
    by_default = default_whole_role(renamed_from(owner) or owner.name)
    stored = use["wholeFrom"] or (by_default if use["whole"] is None else use["whole"])
    return None if stored == whole_role.name else str(stored)


def check_renames(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@renamed`, `wholeFrom` and `from` of a profile: valid names, none of them taken."""
    classes = [
        _stored_name(class_, class_.name, class_.name, class_.node.name) for class_ in draft.classes.values()
    ]
    yield from _check_valid(use for class_ in draft.classes.values() for use in class_.directives("renamed"))
    yield from _check_distinct(classes, TYPES)
    for class_ in draft.classes.values():
        yield from _check_fields(draft, class_)
    for name, node in draft.enumerations.items():
        uses = draft.renamed_values.get(name, {})
        yield from _check_valid(uses.values())
        yield from _check_distinct(
            [
                _StoredName(f"{name}.{value}", value, use["from"], use.node_of("from"))
                if (use := uses.get(value))
                else _StoredName(f"{name}.{value}", value, value, each.name)
                for each in node.values or ()
                for value in (each.name.value,)
            ]
        )
    yield from _check_profiles(draft)


def _check_fields(draft: ModelDraft, class_: ClassDraft) -> Iterator[ModelError]:
    fields = class_.fields_by_name.values()
    yield from _check_valid(use for field in fields for use in field.directives("renamed"))
    for field in fields:
        if field.is_derived and (use := field.directive("renamed")):
            text = f"{field.full_name} is derived, so nothing is stored under another name. Remove @renamed."
            yield error_at(use.node, text)
    stored = [
        _stored_name(field, field.full_name, field.name, field.node.name)
        for field in fields
        if not field.is_derived
    ]
    for whole_role in draft.whole_roles.get(class_.name, ()):
        use = whole_role.composition.directive("composition")
        if use is not None and use["wholeFrom"] is not None and not _is_valid(use["wholeFrom"]):
            yield _invalid_name(use, "wholeFrom")
        name = whole_renamed_from(draft, whole_role) or whole_role.name
        label = f"the role back through {whole_role.composition.full_name}"
        stored.append(_StoredName(label, whole_role.name, name, whole_role.place))
    yield from _check_distinct(stored)


def _stored_name(item: HasDirectives, label: str, name: str, node: Node) -> _StoredName:
    use = item.directive("renamed")
    return (
        _StoredName(label, name, name, node)
        if use is None
        else _StoredName(label, name, use["from"], use.node_of("from"))
    )


def _check_valid(uses: Iterable[DirectiveUse]) -> Iterator[ModelError]:
    return (_invalid_name(use, "from") for use in uses if not _is_valid(use["from"]))


def _is_valid(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and reserved_name_error(name) is None


def _invalid_name(use: DirectiveUse, argument: str) -> ModelError:
    name = use[argument]
    reason = reserved_name_error(name) or "Use the name as an earlier model has it."
    return error_at(use.node_of(argument), f'{argument}: "{shorten(name)}" can\'t have been a name. {reason}')


def _check_distinct(names: Iterable[_StoredName], taken: Iterable[str] = ()) -> Iterator[ModelError]:
    """Yield an error for each name under which something else is stored. Case is ignored."""
    seen: dict[str, _StoredName] = {}
    types = {name.casefold() for name in taken}
    # Names that were not renamed come first, so that the error is at the `@renamed` which is wrong.
    for each in sorted(names, key=lambda one: one.name != one.stored):
        first = seen.setdefault(each.stored.casefold(), each)
        if each.name != each.stored and each.stored.casefold() in types:
            yield error_at(each.node, f"from: {shorten(each.stored)} is an attribute type.")
        elif first is not each and each.name != each.stored:
            text = (
                f"{each.label} can't be stored as {shorten(each.stored)}: {first.label} on line "
                f"{line_of(first.node)} is stored under that name. If the two have swapped their names, "
                "use @renamed on both."
            )
            yield error_at(each.node, text)


def _check_profiles(draft: ModelDraft) -> Iterator[ModelError]:
    names = {use["name"].casefold() for use in draft.directives("profile")}
    seen: set[str] = set()
    for use in draft.directives("profile"):
        former = use["from"]
        if former is None:
            continue
        if not former.strip():
            yield error_at(use.node_of("from"), "from can't be empty. Use the former name of the profile.")
        elif former.casefold() in names and former != use["name"]:
            text = f'from: the model still has a profile "{shorten(former)}". Members with it keep it.'
            yield error_at(use.node_of("from"), text)
        elif former.casefold() in seen:
            text = f'from: another profile is already renamed from "{shorten(former)}". Remove one.'
            yield error_at(use.node_of("from"), text)
        seen.add(former.casefold())


def check_defaults(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@default`: the attribute can have one, and the value is one that clients could send."""
    for class_ in draft.classes.values():
        unique = {name for use in class_.directives("unique") for name in use["attributes"]}
        for field in class_.fields:
            if field.type and (use := field.directive("default")):
                reason = _reason_against_default(field, is_unique=field.name in unique)
                if reason:
                    yield error_at(use.node, f"{field.full_name} can't have a default: {reason}.")
                else:
                    yield from _check_default(draft, field, use)


def _reason_against_default(field: FieldDraft, *, is_unique: bool) -> str | None:
    assert field.type is not None
    if field.is_derived:
        return "it is derived"
    if is_unique:
        return "it is in a @unique, and two objects can't have the same value there"
    if field.type.numbered:
        return "Stratabase numbers it"
    return "files must be uploaded" if field.type.holds_file else None


def _check_default(draft: ModelDraft, field: FieldDraft, use: DirectiveUse) -> Iterator[ModelError]:
    type_ = field.type
    assert type_ is not None
    try:
        value = read_argument(type_, use["value"])
    except InvalidValue as invalid:
        yield error_at(use.node_of("value"), f"value: {invalid}")
        return
    domain = field.directive("domain")
    # The errors of a wrong domain are reported by its own rule.
    if domain is not None and any(check_domains(draft)):
        return
    for constraint in build_constraints(type_, {} if domain is None else domain.values):
        for violation in constraint.violations(value, type_, None):
            value_text = shorten(use["value"])
            text = f'value: "{value_text}" violates the @domain of {field.full_name}: {violation.message}'
            yield error_at(use.node_of("value"), text)
