"""The schema that each profile sees: the services, fields and input fields that it may use.

Requests are validated against the full schema, so that the documents that clients have saved stay valid.
Introspection, SDL and the errors of invalid documents show only what the caller's profile may use.
"""

from functools import partial

from graphql import GraphQLSchema, print_schema

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.domain.access.grants import access_of
from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.model.model import Model
from stratabase.core.schema.execution.cache import BoundedCache
from stratabase.core.schema.generate import NothingServed, generate_schema
from stratabase.core.schema.request.context import ProfileSchema
from stratabase.values.messages import _

MAX_CACHED_SCHEMAS = 4
"""The number of schemas in memory, besides the full one."""


class ProfileSchemas:
    """The schemas that the profiles of a model see, each generated when it is first used."""

    def __init__(self, model: Model, full: GraphQLSchema) -> None:
        self._model = model
        self._full = ProfileSchema(lambda: full)
        self._by_profile: dict[str | None, ProfileSchema] = {}
        self._schemas: BoundedCache[str, GraphQLSchema] = BoundedCache(MAX_CACHED_SCHEMAS)

    def of(self, profile: str | None) -> ProfileSchema:
        """Return what a profile sees of the schema. None stands for full access."""
        found = self._by_profile.get(profile)
        return found or self._by_profile.setdefault(profile, self._make(profile))

    def _make(self, profile: str | None) -> ProfileSchema:
        access = access_of(self._model, profile)
        if access is None or profile is None:
            return self._full
        capabilities = Capabilities(self._model, access)
        generate = partial(_generate, self._model, capabilities, profile)
        return ProfileSchema(
            lambda: self._schemas.get_or_make(capabilities.key, generate), access, lambda: capabilities.key
        )


def _generate(model: Model, capabilities: Capabilities, profile: str) -> GraphQLSchema:
    try:
        return generate_schema(model, capabilities)
    except NothingServed:
        message = _(
            "The profile {profile} has no permissions in the application {application}. Ask an administrator "
            "for another profile.",
            profile=profile,
            application=model.application,
        )
        raise Refused([Issue(IssueType.APPLICATION_ACCESS_FORBIDDEN, message)]) from None


def print_sdl(schema: GraphQLSchema) -> str:
    """Return a schema in the schema definition language."""
    return print_schema(schema) + "\n"
