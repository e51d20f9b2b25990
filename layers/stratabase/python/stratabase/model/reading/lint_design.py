"""Warnings about the design of a model: parts without versions, profiles, and conditions without an index.

Such a model works, but some of its services answer with less than its author expects, or slowly.
"""

from collections.abc import Iterable, Iterator

from stratabase.expressions.implied import CALLER
from stratabase.expressions.parser import parse
from stratabase.expressions.syntax import (
    Call,
    Comparison,
    DottedName,
    LogicalOperation,
    Node,
    Not,
    walk,
)
from stratabase.model.api_names import ID
from stratabase.model.model import Class, ClassKind, Model
from stratabase.model.reading.draft.errors import ModelError, error_at
from stratabase.model.reading.draft.model_draft import ClassDraft, DirectiveUse, ModelDraft

_SERVED_OPERATORS = frozenset({"==", "<", "<=", ">", ">=", "in"})
_PREFIX_FUNCTION = "startsWith"


def lint_parts(draft: ModelDraft, _model: Model) -> Iterator[ModelError]:
    """Yield a warning for each composition of a versioned class whose parts have no versions."""
    for whole in draft.classes.values():
        for field in whole.fields if whole.versioned else ():
            part = draft.classes.get(field.target) if field.is_composition else None
            if part is not None and not part.versioned:
                yield error_at(
                    field.node.name,
                    f"{whole.name} is versioned, but its parts {field.full_name} are not: an earlier version "
                    f"of {whole.name} shows them as they are now, without those that were deleted since. "
                    f"Add @class(versioned: true) to {part.name}.",
                )


def lint_profiles(draft: ModelDraft, _model: Model) -> Iterator[ModelError]:
    """Yield a warning for each profile that can do nothing, or everything without being an administrator."""
    grants = [
        use
        for class_ in draft.classes.values()
        for holder in (class_, *class_.fields)
        for use in holder.directives("grant")
    ]
    for profile in draft.directives("profile"):
        name = profile["name"]
        own = [use for use in grants if use["profile"] == name]
        if profile["administrator"]:
            continue
        if not own:
            yield error_at(
                profile.node_of("name"),
                f"No @grant names the profile {name}, so its members can do everything with all objects. "
                "Add a @grant to each class that they may use, or administrator: true if they may also "
                "manage members.",
            )
        elif not any(use["allow"] for use in own):
            yield error_at(
                profile.node_of("name"),
                f"Every @grant of the profile {name} has an empty allow, so its members can do nothing. "
                "Allow actions in a @grant, or remove the profile.",
            )


def lint_conditions(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield a warning for each `where` that limits the pages of a class, if no index serves it."""
    for class_draft in draft.classes.values():
        class_ = model.classes[class_draft.name]
        if class_.kind is ClassKind.ORDINARY and class_.exposed:
            yield from _lint_conditions_of(class_draft, class_)


def _lint_conditions_of(draft: ClassDraft, class_: Class) -> Iterator[ModelError]:
    for use in draft.directives("grant"):
        if use["where"] and "READ" in use["allow"]:
            compared = tuple(dict.fromkeys(_compared_attributes(class_, parse(use["where"]))))
            if not _is_served(class_, frozenset(compared)):
                yield _unserved(class_, use, compared)


def _unserved(class_: Class, use: DirectiveUse, compared: Iterable[str]) -> ModelError:
    name = next((name for name in compared if class_.attributes[name].type.indexable), None)
    advice = (
        f"Compare a stored attribute of {class_.name} with a constant or a field of caller, add an @index "
        "that begins with it, and filter pages by it too."
        if name is None
        else f'Add @index(attributes: ["{name}"]), and filter pages by {name} too.'
    )
    return error_at(
        use.node_of("where"),
        f"No @index or @unique of {class_.name} covers what this condition compares, so a page for a member "
        f"of the profile {use['profile']} tests all its objects. {advice}",
    )


def _is_served(class_: Class, compared: frozenset[str]) -> bool:
    """Return whether the store finds the objects with given values of these attributes by a key or an index.

    It does so by `_id`, by an index that begins with one of them, and by a unique constraint on some of them.
    """
    return (
        ID in compared
        or any(index.attributes[0] in compared for index in class_.indexes)
        or any(compared.issuperset(unique.attributes) for unique in class_.uniques)
    )


def _compared_attributes(class_: Class, condition: Node) -> Iterator[str]:
    """Yield the stored attributes that parts of a condition, joined by &&, compare with something known.

    What is known before an object is read are constants and the fields of `caller`.
    """
    if isinstance(condition, LogicalOperation):
        for part in condition.parts if condition.operator == "&&" else ():
            yield from _compared_attributes(class_, part)
    elif isinstance(condition, Comparison) and condition.operator.text in _SERVED_OPERATORS:
        pairs = [(condition.left, condition.right), (condition.right, condition.left)]
        # In `x in list`, only the left side is the value of the object.
        for side, other in pairs[:1] if condition.operator.text == "in" else pairs:
            if _is_known(other):
                yield from _stored_attribute(class_, side)
    elif isinstance(condition, Call) and condition.word.text == _PREFIX_FUNCTION:
        side, *others = condition.arguments
        if all(map(_is_known, others)):
            yield from _stored_attribute(class_, side)
    else:
        # A Boolean attribute alone, or its negation, is compared with true or false.
        yield from _stored_attribute(class_, condition.operand if isinstance(condition, Not) else condition)


def _stored_attribute(class_: Class, node: Node) -> Iterator[str]:
    """Yield the attribute that a node names, if the objects of the class store it."""
    if isinstance(node, DottedName) and len(node.words) == 1:
        name = node.words[0].text
        attribute = class_.attributes.get(name)
        if name == ID or (attribute is not None and attribute.derivation is None):
            yield name


def _is_known(node: Node) -> bool:
    """Return whether the value of a node is known without reading an object."""
    return all(each.words[0].text == CALLER for each in walk(node) if isinstance(each, DottedName))
