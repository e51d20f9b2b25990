"""`stratabase model explain`: prints the plans of a page query, and what the page costs in the store."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from time import monotonic
from typing import Any

from graphql import GraphQLInputObjectType
from graphql.utilities import coerce_input_value, validate_input_value

from stratabase.core.app.platform import open_engine, platform_of
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded, Refused, Unavailable
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query
from stratabase.core.domain.query.read_budget import MEGABYTE, Consumption, ReadBudget, round_trips
from stratabase.core.domain.query.taken_plan import TakenPlan
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.model.api_names import GeneratedType, type_name
from stratabase.core.model.model import Class, Model
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.users import USER, with_users
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.ports import ReadableObjects
from stratabase.core.operations.read.reader import Reader
from stratabase.core.schema.generate import NothingServed, generate_schema
from stratabase.core.schema.inputs.query_reader import QueryReader
from stratabase.core.schema.request.context import InputContext
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.wrappers import record_consumption
from stratabase.core.store.indexes.registry import stored_registry
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.query.filter_analysis import ASSUMED_OBJECTS
from stratabase.core.store.query.planner import (
    MissingIndex,
    PlanCandidate,
    advised_index,
    plan_candidates,
    record_plans,
)
from stratabase.core.store.query.schema import built_schema
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.sources import StoredQueries
from stratabase.core.unusable_store import UnusableStore
from stratabase.members.operations.users import UserSource
from stratabase.members.ports import member_platform
from stratabase.terminal.arguments import Argument, Options
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.settings import read_settings, require_store
from stratabase.values.wording import pluralize

EXPLAIN_HELP = "print the query plan of a page and its cost"
EXPLAIN_ARGUMENTS: tuple[Argument, ...] = (
    ("class_name", {"metavar": "CLASS", "help": "the class that the page is for"}),
    (
        "page_options",
        {"metavar": "OPTIONS", "nargs": "?", "default": "{}", "help": "the options of getPage as JSON"},
    ),
    ("--total-count", {"action": "store_true", "help": "include the page's totalCount"}),
    (
        "--data",
        {"action": "store_true", "help": "read the page from the store; the default with SQLite"},
    ),
)


def explain_page(model: Model, options: Options) -> str:
    """Return the text about the plans of a page query. Raises CommandError."""
    class_ = model.classes.get(options.class_name)
    if class_ is None:
        raise CommandError(
            f'The class "{options.class_name}" does not exist. Use one of: {", ".join(model.classes)}.'
        )
    fields = PageFields(items=True, total_count=options.total_count)
    # The store plans without the roles to users, which it does not know.
    served = with_users(model)
    query = _page_query(served, served.classes[class_.name], _parse_json(options.page_options), fields)
    # Assume that all indexes are built, as they are after `stratabase reindex`.
    schema = built_schema(model)
    query = StoredQueries(served, {USER}).stored_query(Reader(_context(served, None)).with_implied(query))
    candidates = plan_candidates(class_, query, schema)
    missing = advised_index(class_, query, schema, candidates[0])
    lines = [*_plan_lines(candidates, missing), *_store_lines(model, query, candidates[0], options)]
    return "".join(f"{line}\n" for line in lines)


def _parse_json(text: str) -> Mapping[str, Any]:
    try:
        page_options = json.loads(text)
    except ValueError as error:
        raise CommandError(f"OPTIONS is not valid JSON: {error}.") from error
    if not isinstance(page_options, dict):
        raise CommandError('OPTIONS is not a JSON object. Use one such as {"orderBy": ["_id___ASC"]}.')
    return page_options


def _page_query(model: Model, class_: Class, page_options: Mapping[str, Any], fields: PageFields) -> Query:
    """Return the query of getPage with these options. Raises CommandError if they are invalid."""
    try:
        type_ = generate_schema(model).type_map.get(type_name(class_.name, GeneratedType.OPTIONS))
    except NothingServed as error:
        raise CommandError(str(error)) from error
    if not isinstance(type_, GraphQLInputObjectType):
        raise CommandError(f"{class_.name} has no getPage service.")
    # Validate against the generated input type, so that the same rules apply as for clients.
    mistakes: list[str] = []
    validate_input_value(page_options, type_, lambda error, _: mistakes.append(error.message))
    if mistakes:
        raise CommandError("\n".join(f"OPTIONS: {mistake}" for mistake in mistakes))
    try:
        return QueryReader(model, class_).read(
            coerce_input_value(page_options, type_), fields, InputContext()
        )
    except Refused as refusal:
        raise CommandError(f"OPTIONS: {refusal}") from refusal


def _plan_lines(candidates: Sequence[PlanCandidate], missing: MissingIndex | None) -> Iterator[str]:
    """Yield a line for each candidate plan, the chosen one first, and a suggestion for a missing index."""
    chosen, *others = candidates
    yield f"Used: {_plan_line(chosen)}"
    yield from (f"Not used: {_plan_line(other)}" for other in others)
    if missing is not None:
        names = ", ".join(f'"{name}"' for name in missing.attributes)
        yield f"To read less, add: @index(attributes: [{names}]) to {missing.class_.name}"


def _plan_line(candidate: PlanCandidate) -> str:
    assumed = f"an assumed {ASSUMED_OBJECTS:,} objects"
    return f"{candidate.description} (about {candidate.estimated_reads:,.0f} of {assumed})"


def _store_lines(model: Model, query: Query, chosen: PlanCandidate, options: Options) -> Iterator[str]:
    """Yield what the page costs in the store, if there is one. Raises CommandError."""
    settings = read_settings()
    platform = platform_of(settings)
    if not options.data and not (
        platform.is_local(StoreKind.OBJECTS) and (settings.home / "objects.db").exists()
    ):
        return
    require_store(settings)
    try:
        with closing(platform), closing(open_engine(platform)) as engine:
            if _has_served(engine, model):
                users = UserSource(member_platform(platform).members, model)
                entities = open_repository(engine, model, platform.parallel_map, sources={USER: users})
                yield from _cost_lines(settings, entities, model, query, chosen)
            elif options.data:
                yield "The store has not served this model yet, so the cost is unknown."
    except (UnusableStore, Unavailable) as error:
        raise CommandError(str(error)) from error


def _has_served(engine: Engine, model: Model) -> bool:
    """Return whether reading by a model would write nothing, because the registry lists all that it has."""
    registry = stored_registry(engine)
    return RegistryCache(engine, StoredNames(model).stored_model).add_missing(registry) is registry


def _cost_lines(
    settings: Settings, entities: ReadableObjects, model: Model, query: Query, chosen: PlanCandidate
) -> Iterator[str]:
    served = with_users(model)
    taken: list[TakenPlan] = []
    consumed: list[Consumption] = []

    def read(query: Query) -> int | None:
        budget = ReadBudget(settings.read_megabytes * MEGABYTE, settings.read_seconds, monotonic)
        return Reader(_context(served, entities, budget)).page(query).total_count

    try:
        count = read(Query(query.class_name, Order(), fields=PageFields(items=False, total_count=True)))
        yield f"The store has {pluralize(count or 0, 'object')} of {query.class_name}."
    except ReadBudgetExceeded:
        yield f"The store has too many objects of {query.class_name} to count them."
    refusal = ""
    with record_plans(taken.append), record_consumption(consumed.append):
        try:
            read(query)
        except ReadBudgetExceeded as exceeded:
            refusal = f" It is refused: {exceeded}"
    # A renamed model has other names in the store, and so in the descriptions of plans.
    if taken and taken[-1].description != chosen.description and StoredNames(model).is_identity:
        yield f"There, this plan answered the page: {taken[-1].description}"
    items, units = sum(one.items for one in consumed), sum(one.read_units for one in consumed)
    trips = pluralize(round_trips(consumed), "round trip")
    unit = "unit" if units == 1 else "units"
    yield f"There, the page takes {trips}, {pluralize(items, 'item')}, and {units:,g} read {unit}.{refusal}"


def _context(model: Model, entities: Any, budget: ReadBudget | None = None) -> ReadContext:
    return ReadContext(model, entities, budget or ReadBudget(0, 0, monotonic))
