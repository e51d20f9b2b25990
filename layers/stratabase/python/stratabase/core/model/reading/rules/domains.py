"""Rules on `@domain`, `@file` and `@text`: they fit the type of the attribute, and values are possible."""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.core.model.constraints import CONSTRAINTS, build_constraints, constraints_for
from stratabase.core.model.constraints.base import Constraint, read_argument
from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, FieldDraft, ModelDraft
from stratabase.core.model.types.base import AttributeType, Stored
from stratabase.core.model.types.string import TextType
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.messages import or_list
from stratabase.values.wording import shorten


def check_domains(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@domain` of an attribute."""
    for field in draft.fields:
        if field.type and (use := field.directive("domain")):
            yield from _check_applicable(field.type, use)
            yield from _check_constraints(field.type, use)
            yield from _check_values(field.type, use)


def check_file_limits(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@file` of an attribute."""
    for field in draft.fields:
        if field.type and (use := field.directive("file")):
            yield from _check_file_directive(field, field.type, use)
            yield from _check_constraints(field.type, use)


def check_texts(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@text` of an attribute."""
    for field in draft.fields:
        if not field.type or not (use := field.directive("text")):
            continue
        derived = field.directive("derived")
        if not isinstance(field.type, TextType):
            text = f"@text can be used only with the types String and Text, but {field.full_name} is "
            yield error_at(use.node, f"{text}{field.type.name}.")
        elif derived and derived["path"]:
            text = f"{field.full_name} is compared like the attribute to which its path leads. Remove @text."
            yield error_at(use.node, text)


def _check_applicable(type_: AttributeType, use: DirectiveUse) -> Iterator[ModelError]:
    """Yield an error for each argument that the type can't have, and for a directive without arguments."""
    known = sorted({argument for each in constraints_for(type_) for argument in each.arguments})
    advice = f"Use {or_list(known)}" if known else "Remove @domain"
    if not use.written and use.is_valid:
        yield error_at(use.node, f"@domain on {type_.name} has no arguments. {advice}.")
    for name, argument in use.written.items():
        if name not in known:
            yield error_at(argument, f"{name} can't be used with {type_.name}. {advice}.")


def _check_file_directive(field: FieldDraft, type_: AttributeType, use: DirectiveUse) -> Iterator[ModelError]:
    if not constraints_for(type_, "file"):
        text = f"@file can be used only with the type File, but {field.full_name} is {type_.name}."
        yield error_at(use.node, text)
    if not use.written and use.is_valid:
        arguments = [name for each in CONSTRAINTS if each.directive == "file" for name in each.arguments]
        yield error_at(use.node, f"@file has no arguments. Use {or_list(arguments)}.")


def _check_constraints(type_: AttributeType, use: DirectiveUse) -> Iterator[ModelError]:
    """Yield the errors of each constraint in its arguments, with their places."""
    arguments = _arguments(use)
    for constraint in constraints_for(type_, use.name):
        for error in constraint.find_errors(arguments, type_):
            place, word = use.node_of(error.argument), ""
            if error.item is not None:
                word, place = use.items_of(error.argument)[error.item]
            yield error_at(place, error.message, word=word, among=error.suggestions)


def _arguments(use: DirectiveUse) -> Mapping[str, Any]:
    """Return the arguments of a directive, without lists that are empty because all items have errors."""
    return {name: value for name, value in use.values.items() if use.is_valid or value != ()}


def _check_values(type_: AttributeType, use: DirectiveUse) -> Iterator[ModelError]:
    """Yield an error for each item of `values` that is invalid, repeated, or breaks another constraint."""
    if not any("values" in each.arguments for each in constraints_for(type_)):
        return
    if use["values"] == () and use.is_valid:
        yield error_at(use.node_of("values"), "No value is possible: values is empty. Add a value.")
    others = _other_constraints(type_, use)
    seen: list[Stored] = []
    for text, node in use.items_of("values"):
        try:
            value = read_argument(type_, text)
        except InvalidValue as invalid:
            yield error_at(node, f"values: {invalid}")
            continue
        if value in seen:
            yield error_at(node, f'"{shorten(text)}" is listed more than once. Remove one.')
        for constraint in others:
            for violation in constraint.violations(value, type_, None):
                reason = f'"{shorten(text)}" violates another constraint of this @domain: {violation.message}'
                yield error_at(node, reason)
        seen.append(value)


def _other_constraints(type_: AttributeType, use: DirectiveUse) -> tuple[Constraint, ...]:
    """Return the constraints of a directive whose arguments have no errors, except those that list values."""
    arguments = _arguments(use)
    usable = {
        argument: arguments.get(argument)
        for each in constraints_for(type_)
        if "values" not in each.arguments and not any(each.find_errors(arguments, type_))
        for argument in each.arguments
    }
    return build_constraints(type_, usable)
