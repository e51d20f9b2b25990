"""Rules on roles: opposites name each other, one side holds the key, and roles to wholes have valid names."""

import re
from collections.abc import Iterator

from stratabase.core.model.reading.draft.errors import ModelError, error_at, line_of
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, FieldDraft, ModelDraft
from stratabase.core.model.reading.rules.names import reserved_name_error
from stratabase.values.wording import shorten

_ROLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_opposites(draft: ModelDraft) -> Iterator[ModelError]:
    """Check the opposite of every association."""
    for field in draft.fields:
        use = field.directive("association")
        if use and field.is_association and not field.is_user_role and use["opposite"] is not None:
            yield from _check_opposite(draft, field, use)


def _check_opposite(draft: ModelDraft, field: FieldDraft, use: DirectiveUse) -> Iterator[ModelError]:
    target = draft.classes[field.target]
    other = target.fields_by_name.get(use["opposite"])
    if other is None or not other.is_association or other.target_class != field.owner:
        fitting = [role.name for role in target.roles.values() if _can_be_opposite(field, role)]
        text = _no_opposite_message(field, use["opposite"], other)
        yield error_at(use.node_of("opposite"), text, word=use["opposite"], among=fitting)
    elif other.name == field.name and other.owner == field.owner:
        text = f"{field.full_name} can't be its own opposite. Remove opposite, or add a second role."
        yield error_at(use.node_of("opposite"), text)
    elif (opposite := named_opposite(other)) != field.name and _names_an_opposite(draft, other):
        yield error_at(use.node_of("opposite"), _one_sided_message(field, other, opposite))


def _can_be_opposite(field: FieldDraft, role: FieldDraft) -> bool:
    return role.is_association and role.target_class == field.owner and role.full_name != field.full_name


def _no_opposite_message(field: FieldDraft, opposite: str, other: FieldDraft | None) -> str:
    """Return why the named role can't be the opposite. `other` is the field of that name, if there is one."""
    if other is None:
        can_be = f"that can be the opposite of {field.full_name}"
        return f"{field.target_class} has no role {shorten(opposite)} {can_be}."
    if other.is_composition:
        fact, rule = "is a composition", "an association"
    else:
        fact = f"leads to {other.target_class}" if other.target_class else "is not a role"
        rule = f"a role to {field.owner}"
    return f"{other.full_name} {fact}, but the opposite of {field.full_name} must be {rule}."


def _is_reliable(other: FieldDraft) -> bool:
    """Return whether the arguments of another role's `@association` have no errors."""
    use = other.directive("association")
    return use is None or use.is_valid


def _names_an_opposite(draft: ModelDraft, other: FieldDraft) -> bool:
    """Return whether another role names no opposite or an existing one, so that no other rule reports it."""
    opposite = named_opposite(other)
    return _is_reliable(other) and (
        opposite is None or opposite in draft.classes[other.target].fields_by_name
    )


def _one_sided_message(field: FieldDraft, other: FieldDraft, opposite: str | None) -> str:
    named = f"names {shorten(opposite)}" if opposite is not None else "names no opposite"
    right = f'@association(opposite: "{field.name}")'
    return f"Opposites must name each other, but {other.full_name} {named}. Write {right} there."


def named_opposite(field: FieldDraft) -> str | None:
    """Return the name of the opposite that a role names, or None."""
    use = field.directive("association")
    opposite: str | None = use["opposite"] if use else None
    return opposite


def check_key_holders(draft: ModelDraft) -> Iterator[ModelError]:
    """Check the side of every association that holds the key: a to-one side, and only one."""
    for field in draft.fields:
        if not field.is_association or field.is_user_role:
            continue
        if other := mutual_opposite(draft, field):
            yield from (
                _check_two_holders(field, other)
                if not field.many and not other.many
                else _check_implied_holder(field)
            )
        elif named_opposite(field) is None:
            yield from _check_implied_holder(field)


def mutual_opposite(draft: ModelDraft, field: FieldDraft) -> FieldDraft | None:
    """Return the opposite of an association if both roles name each other, or else None."""
    if field.is_user_role:
        return None
    other = draft.classes[field.target].fields_by_name.get(named_opposite(field) or "")
    fits = other and other.is_association and other.target_class == field.owner
    return other if other and fits and other is not field and named_opposite(other) == field.name else None


def _check_implied_holder(field: FieldDraft) -> Iterator[ModelError]:
    """Check the argument `holds` of a role for which the cardinalities determine who holds the key."""
    use = field.directive("association")
    if use is None or use["holds"] is None or use["holds"] is not field.many:
        return
    if field.many:
        text = f"{field.full_name} leads to many objects, so it can't hold the key. Remove holds."
    else:
        text = f"{field.full_name} is the to-one side, so it must hold the key. Remove holds."
    yield error_at(use.node_of("holds"), text)


def _check_two_holders(field: FieldDraft, other: FieldDraft) -> Iterator[ModelError]:
    """Check two to-one roles that are opposites. To report errors once, only the later role is checked."""
    if _stands_after(field, other):
        mine, others = _claims_key(field), _claims_key(other)
        if mine and others:
            use = field.directive("association")
            assert use is not None
            remedy = "Remove the holds argument from one of them."
            text = f"Only one of {other.full_name} and {field.full_name} can hold the key. {remedy}"
            yield error_at(use.node_of("holds"), text)
        elif not mine and not others and _is_reliable(field) and _is_reliable(other):
            remedy = "Add holds: true to one of them."
            text = f"One of {other.full_name} and {field.full_name} must hold the key. {remedy}"
            yield error_at(other.node.name, text)


def _stands_after(field: FieldDraft, other: FieldDraft) -> bool:
    """Return whether one field is defined after the other."""
    return _position(field) > _position(other)


def _position(field: FieldDraft) -> tuple[int, int]:
    assert field.node.loc is not None
    return line_of(field.node), field.node.loc.start


def holds_key(draft: ModelDraft, field: FieldDraft) -> bool:
    """Return whether the objects with a role hold the key of an association.

    A to-one role does, unless its opposite is a to-one role too and holds the key instead.
    """
    if field.many or not field.is_association:
        return False
    other = mutual_opposite(draft, field)
    return other is None or other.many or _claims_key(field)


def _claims_key(field: FieldDraft) -> bool:
    use = field.directive("association")
    return bool(use and use["holds"])


def check_compositions(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that the argument `whole` of every composition is a valid name.

    The rules on names check whether the name is taken.
    """
    for field in draft.fields:
        use = field.directive("composition")
        if not use or not field.target_class or use["whole"] is None:
            continue
        if not _ROLE_NAME.fullmatch(use["whole"]):
            name = shorten(use["whole"])
            text = f'"{name}" is not a valid name. Use letters, digits, and _, and begin with a letter.'
            yield error_at(use.node_of("whole"), text)
        elif error := reserved_name_error(use["whole"]):
            yield error_at(use.node_of("whole"), error)
