"""Rules on derived attributes: each has an expression or a path that gives a value of its type."""

from collections.abc import Iterator, Sequence

from graphql.language import Node

from stratabase.core.model.reading.draft.errors import ModelError, check_not_empty, error_at
from stratabase.core.model.reading.draft.model_draft import (
    DirectiveUse,
    FieldDraft,
    ModelDraft,
    column_offset,
)
from stratabase.core.model.reading.draft.resolution import ResolvedPath, names_in_class, resolve_path
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.operators import ORDER_AGGREGATES, RESULT_TYPES, Aggregate
from stratabase.values.messages import or_list
from stratabase.values.wording import shorten


def check_derived(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@derived` of an attribute, except for the steps of its path."""
    for field in draft.fields:
        if field.type and (use := field.directive("derived")):
            yield from _check_source(use)
            yield from check_not_empty(use, "expression")
            yield from check_not_empty(use, "path")
            yield from _check_not_restricted(field, use)


def _check_source(use: DirectiveUse) -> Iterator[ModelError]:
    if "expression" in use.written and "path" in use.written:
        text = "A derived attribute can't have both an expression and a path. Remove one."
        yield error_at(use.node_of("path"), text)
    elif use.is_valid and not {"expression", "path"} & set(use.written):
        yield error_at(use.node, "A derived attribute needs an expression or a path.")
    elif use["aggregate"] and "expression" in use.written:
        yield error_at(use.node_of("aggregate"), "An aggregate needs a path, not an expression.")


def _check_not_restricted(field: FieldDraft, use: DirectiveUse) -> Iterator[ModelError]:
    name = field.full_name
    if field.required:
        text = f"{name} is derived, so it can't be required. Remove the !."
        yield error_at(field.node.type, text)
    for other in ("domain", "file"):
        if restriction := field.directive(other):
            text = f"{name} is derived, so it can't have @{other}. Restrict what it is derived from."
            yield error_at(restriction.node, text)
    if field.type and field.type.holds_file:
        yield error_at(field.type_node, f"{name} is derived, so it can't store a file.")
    elif field.type and field.type.numbered and "expression" in use.written:
        yield error_at(field.type_node, f"{name} is derived, so it can't be numbered by Stratabase.")


def check_paths(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that the path of every derived attribute leads to a value of its type."""
    for field in draft.fields:
        use = field.directive("derived")
        if field.type and use and use["path"] and "expression" not in use.written:
            names = tuple(use["path"].split("."))
            resolved = resolve_path(draft, field.owner, names)
            if len(resolved.steps) < len(names):
                yield from _report_unknown_step(draft, resolved, names, use.node_of("path"))
            elif resolved.at not in draft.unparsed and use.is_valid:
                yield from _check_path_end(field, resolved, use)


def _report_unknown_step(
    draft: ModelDraft, resolved: ResolvedPath, names: Sequence[str], place: Node
) -> Iterator[ModelError]:
    """Yield an error at the first name of a path that can't be resolved."""
    known = len(resolved.steps)
    offset = column_offset(place, sum(len(name) + 1 for name in names[:known]))
    if resolved.type:
        text = f"{'.'.join(resolved.steps[-1])} is an attribute. The path must end there."
        yield error_at(place, text, offset=offset)
    elif resolved.at in draft.classes and names[known] not in draft.classes[resolved.at].fields_by_name:
        text = f'{resolved.at} has no attribute or role "{shorten(names[known])}".'
        yield error_at(
            place, text, word=names[known], among=names_in_class(draft, resolved.at), offset=offset
        )


def _check_path_end(field: FieldDraft, resolved: ResolvedPath, use: DirectiveUse) -> Iterator[ModelError]:
    """Check the end of a path, its aggregate, and the type of the result."""
    aggregate = Aggregate(use["aggregate"]) if use["aggregate"] else None
    if text := _path_end_error(resolved, aggregate):
        yield error_at(use.node_of("path"), text)
    elif text := _aggregate_error(resolved, aggregate):
        yield error_at(use.node_of("aggregate"), text)
    elif (types := _result_types(resolved.type, aggregate)) and field.type and field.type.name not in types:
        text = f"{field.full_name} is {field.type.name}, but its path gives {or_list(types)}."
        yield error_at(field.type_node, text, word=types[0], among=types)


def _path_end_error(resolved: ResolvedPath, aggregate: Aggregate | None) -> str | None:
    """Return an error message about the end of a path, or None."""
    path = ".".join(name for _, name in resolved.steps)
    if resolved.type and len(resolved.steps) == 1:
        return f"{path} is an attribute of the class itself, not of a role. Use an expression."
    if not resolved.type and aggregate is not Aggregate.COUNT:
        return f"{path} is a role. Continue the path to an attribute of {resolved.at}, or use COUNT."
    if resolved.many and aggregate is None:
        aggregates = or_list(one.name for one in Aggregate)
        return f"{path} leads to many values. Set aggregate to {aggregates}."
    return None


def _aggregate_error(resolved: ResolvedPath, aggregate: Aggregate | None) -> str | None:
    """Return an error message about an aggregate, or None."""
    if aggregate is None:
        return None
    if not resolved.many:
        return f"{aggregate.name} needs many values, but no role of this path leads to many."
    if resolved.type is None or aggregate in resolved.type.aggregates:
        return None
    if aggregate in ORDER_AGGREGATES:
        needed = "a type with an order"
    else:
        needed = or_list(name for name, type_ in TYPES.items() if aggregate in type_.aggregates)
    return f"{aggregate.name} needs {needed}, but {'.'.join(resolved.steps[-1])} is {resolved.type.name}."


def _result_types(type_: AttributeType | None, aggregate: Aggregate | None) -> tuple[str, ...]:
    """Return the names of the types that can hold the result of a path to a type, the most suitable first."""
    if aggregate is not None and aggregate in RESULT_TYPES:
        return (RESULT_TYPES[aggregate],)
    if type_ is None:
        return ()
    return type_.sum_types if aggregate is Aggregate.SUM else (type_.name,)
