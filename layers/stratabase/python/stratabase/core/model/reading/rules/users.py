"""Rules on members in a model: the roles that lead to `_User`, and the grants of `extend type _User`."""

from collections.abc import Iterator

from graphql.language import NamedTypeNode

from stratabase.core.model.reading.draft.errors import ModelError, error_at, line_of
from stratabase.core.model.reading.draft.model_draft import ClassDraft, DirectiveUse, FieldDraft, ModelDraft
from stratabase.core.model.reading.draft.parser import is_user_extension
from stratabase.core.model.users import USER, USER_ATTRIBUTES
from stratabase.values.messages import and_list
from stratabase.values.wording import shorten

_GRANT = "grant"
_READ = "READ"


def check_user_extension(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that `_User` is extended once, only by grants of READ, on itself and its attributes."""
    if draft.users is None:
        return
    for node in draft.definitions:
        if is_user_extension(node) and node is not draft.users.node:
            line = line_of(draft.users.node)
            yield error_at(
                node.name, f"{USER} is already extended on line {line}. Write all its grants there."
            )
    yield from _check_uses(draft.users, USER)
    seen: set[str] = set()
    for field in draft.users.fields:
        yield from _check_field(field, seen)
        yield from _check_narrowing(draft.users, field)
        seen.add(field.name)


def check_user_roles(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that each role that leads to a member is a to-one association without an opposite."""
    for field in draft.fields:
        if not field.is_user_role:
            continue
        if field.many:
            text = (
                f"{field.full_name} can't lead to many members. "
                f"Use a class with a role {field.name}: {USER}, and a list of its objects."
            )
            yield error_at(field.node.type, text)
        if composition := field.directive("composition"):
            text = f"{field.full_name} leads to a member, who can't be a part. Use @association."
            yield error_at(composition.node, text)
        association = field.directive("association")
        if association and association["opposite"] is not None:
            text = f"{USER} has no roles, so {field.full_name} has no opposite. Remove opposite."
            yield error_at(association.node_of("opposite"), text)
        elif association and association["holds"] is False:
            text = f"{field.owner} always holds the key of {field.full_name}. Remove holds."
            yield error_at(association.node_of("holds"), text)


def _check_uses(holder: ClassDraft | FieldDraft, name: str) -> Iterator[ModelError]:
    """Check that a definition has no directives but grants, and that these allow nothing but READ."""
    for use in holder.uses:
        if use.name != _GRANT:
            yield error_at(use.node, f"{name} can have only @grant, not @{use.name}. Remove it.")
        else:
            yield from _check_actions(use)


def _check_actions(use: DirectiveUse) -> Iterator[ModelError]:
    for action, node in use.items_of("allow"):
        if action != _READ:
            text = f"{USER} can only be read: members are changed over REST. Use allow: [READ], or allow: []."
            yield error_at(node, text)


def _check_narrowing(users: ClassDraft, field: FieldDraft) -> Iterator[ModelError]:
    """Check the grants of an attribute against those of the class. No `access` of a profile covers users."""
    allowed = {use["profile"]: use["allow"] for use in users.directives(_GRANT)}
    for use in field.directives(_GRANT):
        profile = use["profile"]
        if profile not in allowed:
            text = f'{USER} has no @grant for "{shorten(profile)}" to narrow. Add one to {USER} itself.'
            yield error_at(use.node_of("profile"), text)
        elif _READ in use["allow"] and _READ not in allowed[profile]:
            text = f"{USER} doesn't allow READ for \"{shorten(profile)}\", so {field.name} can't allow it."
            yield error_at(use.node_of("allow"), text)


def _check_field(field: FieldDraft, seen: set[str]) -> Iterator[ModelError]:
    name = field.name
    if name not in USER_ATTRIBUTES:
        text = f"{USER} has no attribute {shorten(name)}. It has {and_list(USER_ATTRIBUTES)}."
        yield error_at(field.node.name, text, word=name, among=USER_ATTRIBUTES)
        return
    if name in seen:
        yield error_at(field.node.name, f"{field.full_name} is listed more than once. Remove one.")
    type_name = USER_ATTRIBUTES[name][0].name
    written = field.node.type
    if field.node.arguments or not isinstance(written, NamedTypeNode) or written.name.value != type_name:
        text = f"{field.full_name} exists, and is repeated only for its grants. Write {name}: {type_name}."
        yield error_at(field.type_node, text)
    if not any(use.name == _GRANT for use in field.uses):
        yield error_at(field.node.name, f"{field.full_name} has no @grant to add to it. Remove the field.")
    yield from _check_uses(field, field.full_name)
