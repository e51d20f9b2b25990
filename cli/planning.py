"""How pages are found, told to people."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphql import GraphQLInputObjectType
from graphql.utilities import coerce_input_value, validate_input_value

from cli.fault import Fault
from stratabase.domain.issues.refusals import Refused
from stratabase.domain.query.page import PageFields, Query
from stratabase.model.api_names import GeneratedType, type_name
from stratabase.model.model import Class, Model
from stratabase.schema.generate import NothingServed, generate_schema
from stratabase.schema.inputs.query_reader import QueryReader
from stratabase.schema.request.context import InputContext
from stratabase.store.indexes.entries import BuildState
from stratabase.store.indexes.registry import Registry
from stratabase.store.query.planner import ASSUMED_OBJECTS, PlanCandidate, missing_index, plan_candidates


def explanation(model: Model, class_name: str, options: str, *, total_count: bool) -> str:
    """Return the ways to find a page of a class, the one taken first; `options` are those of getPage."""
    class_ = model.classes.get(class_name)
    if class_ is None:
        raise Fault(f"There is no class {class_name!r}; there are {', '.join(model.classes)}.")
    query = _query(model, class_, _json(options), PageFields(items=True, total_count=total_count))
    # As it is once each index has been filled; on a new one, `reindex` sees to that.
    paths = Registry().with_class(class_, BuildState.READY, now=0).paths(class_name)
    return "\n".join(_lines(class_, query, plan_candidates(class_, query, paths))) + "\n"


def _lines(class_: Class, query: Query, found: Sequence[PlanCandidate]) -> Iterator[str]:
    taken, *others = found
    yield f"Taken: {_shown(taken)}"
    yield from (f"Not taken: {_shown(other)}" for other in others)
    missing = missing_index(class_, query)
    known = {index.attributes[: len(missing)] for index in class_.indexes}
    if missing and missing not in known and taken.estimated_reads > ASSUMED_OBJECTS / 10:
        names = ", ".join(f'"{name}"' for name in missing)
        yield f"Cheaper with: @index(attributes: [{names}])"


def _shown(candidate: PlanCandidate) -> str:
    return f"{candidate.description} (about {candidate.estimated_reads:,.0f} of {ASSUMED_OBJECTS:,} objects)"


def _json(text: str) -> Mapping[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as mistake:
        raise Fault(f"OPTIONS is no JSON: {mistake}.") from mistake
    if not isinstance(given, dict):
        raise Fault('OPTIONS is no JSON object: give one such as {"orderBy": ["_id___ASC"]}.')
    return given


def _query(model: Model, class_: Class, given: Mapping[str, Any], wanted: PageFields) -> Query:
    try:
        type_ = generate_schema(model).type_map.get(type_name(class_.name, GeneratedType.OPTIONS))
    except NothingServed as error:
        raise Fault(str(error)) from error
    if not isinstance(type_, GraphQLInputObjectType):
        raise Fault(f"{class_.name} has no pages.")
    mistakes: list[str] = []
    validate_input_value(given, type_, lambda error, _: mistakes.append(error.message))
    if mistakes:
        raise Fault("\n".join(f"OPTIONS: {mistake}" for mistake in mistakes))
    try:
        return QueryReader(model, class_).read(coerce_input_value(given, type_), wanted, InputContext())
    except Refused as refusal:
        raise Fault(f"OPTIONS: {refusal}") from refusal
