"""The argument `insight`: shows administrators which calls to the storage a service made, and their cost."""

from collections.abc import Iterable, Iterator
from typing import Any

from graphql import GraphQLArgument, GraphQLEnumType, GraphQLEnumValue

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.query.consumption import Consumption, round_trips
from stratabase.core.model import api_names
from stratabase.core.schema.request.context import Insight, ServiceCall, ServiceResolver
from stratabase.values.messages import _

INSIGHT_ARGUMENT = "insight"
LIGHT, FULL = "LIGHT", "FULL"

_INSIGHT_TYPE = GraphQLEnumType(
    api_names.INSIGHT_TYPE,
    {
        LIGHT: GraphQLEnumValue(LIGHT, description="Only totals."),
        FULL: GraphQLEnumValue(FULL, description="Totals and each call to the storage."),
    },
    description="How much `extensions.insight` tells administrators about calls to the storage.",
)


def insight_argument() -> dict[str, GraphQLArgument]:
    """Return the argument `insight` of a service."""
    return {INSIGHT_ARGUMENT: GraphQLArgument(_INSIGHT_TYPE)}


def measure_when_asked(resolver: ServiceResolver) -> ServiceResolver:
    """Return a resolver that also records calls to the storage if the argument `insight` asks for it."""

    def resolve(call: ServiceCall) -> Any:
        level = call.arguments.get(INSIGHT_ARGUMENT)
        return resolver(call) if level is None else _measured(resolver, call, level)

    return resolve


def _measured(resolver: ServiceResolver, call: ServiceCall, level: str) -> Any:
    context = call.context
    if not context.caller.administrator:
        raise Refused([_for_administrators_only()])
    consumed: list[Consumption] = []
    try:
        with context.services.measuring(consumed.append):
            return resolver(call)
    finally:
        # A call that fails has consumed capacity too.
        context.insights.append(Insight(call.key, level, tuple(consumed)))


def _for_administrators_only() -> Issue:
    message = _("Only administrators can use {argument}. Remove it.", argument=INSIGHT_ARGUMENT)
    return Issue(IssueType.APPLICATION_ACCESS_FORBIDDEN, message, path=(INSIGHT_ARGUMENT,))


def render_insights(insights: Iterable[Insight]) -> dict[str, Any]:
    """Return the totals of all services with `insight`, and each call of those that ask for `FULL`."""
    insights = tuple(insights)
    consumed = [one for insight in insights for one in insight.consumed]
    calls = [call for insight in insights if insight.level == FULL for call in _calls(insight)]
    return {
        "roundTrips": sum(round_trips(insight.consumed) for insight in insights),
        "readUnits": sum(one.read_units for one in consumed),
        "writeUnits": sum(one.write_units for one in consumed),
        "items": sum(one.items for one in consumed),
        "bytes": sum(one.bytes for one in consumed),
        "milliseconds": _rounded(sum(one.milliseconds for one in consumed)),
        **({"calls": calls} if any(insight.level == FULL for insight in insights) else {}),
    }


def _calls(insight: Insight) -> Iterator[dict[str, Any]]:
    for one in insight.consumed:
        yield {
            "path": [insight.key],
            "kind": one.kind,
            "index": one.index,
            "roundTrips": one.round_trips,
            "readUnits": one.read_units,
            "writeUnits": one.write_units,
            "items": one.items,
            "bytes": one.bytes,
            "milliseconds": _rounded(one.milliseconds),
        }


def _rounded(milliseconds: float) -> float:
    return round(milliseconds, 3)
