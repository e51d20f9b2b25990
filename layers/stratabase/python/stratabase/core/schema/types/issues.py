"""The types `Issue` and `ValidationResult`."""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple

from graphql import (
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLField,
    GraphQLID,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from stratabase.core.domain.issues.issue import Issue, IssueType, Level, ReferenceType
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.model import api_names

_TEXT = GraphQLNonNull(GraphQLString)
_NAMES = GraphQLList(_TEXT)
_NO_LABELS: Mapping[Reference, str | None] = {}


def _enum(name: str, values: type[Enum]) -> GraphQLEnumType:
    return GraphQLEnumType(name, {value.value: value.value for value in values})


ISSUE = GraphQLObjectType(
    api_names.ISSUE,
    {
        "sourceRequestReference": GraphQLField(
            _TEXT, description="The path in the request to the cause of the issue."
        ),
        "userMessage": GraphQLField(_TEXT),
        "issueLevel": GraphQLField(GraphQLNonNull(_enum(api_names.ISSUE_LEVEL, Level))),
        "issueReferenceType": GraphQLField(_enum(api_names.ISSUE_REFERENCE_TYPE, ReferenceType)),
        "issueType": GraphQLField(GraphQLNonNull(_enum(api_names.ISSUE_TYPE, IssueType))),
        "entityID": GraphQLField(GraphQLID),
        "_label": GraphQLField(
            GraphQLString, description="The label of the stored object, if the caller may read it."
        ),
        "_clientId": GraphQLField(GraphQLID),
        "entityName": GraphQLField(GraphQLString),
        "attributeNames": GraphQLField(_NAMES),
        "roleNames": GraphQLField(_NAMES),
        "applicationName": GraphQLField(_TEXT),
        "profileName": GraphQLField(_TEXT),
        "traceId": GraphQLField(
            _TEXT, description="The trace id of the request, which the logs contain too."
        ),
    },
    description="A problem with a request.",
)

VALIDATION_RESULT = GraphQLObjectType(
    api_names.VALIDATION_RESULT,
    {
        "isValid": GraphQLField(
            GraphQLNonNull(GraphQLBoolean),
            description="Whether the write would succeed. A warning about a required value that is still "
            "missing does not stop a write that leaves the value unchanged.",
        ),
        "issues": GraphQLField(GraphQLNonNull(GraphQLList(GraphQLNonNull(ISSUE)))),
    },
    description="The result of validating a write.",
)


class IssueRenderer(NamedTuple):
    """Renders issues with the application, the profile, the trace id, and the language of a request."""

    application: str
    profile: str
    trace_id: str
    language: str

    def render(
        self, issue: Issue, keys: Iterable[str | int], labels: Mapping[Reference, str | None] = _NO_LABELS
    ) -> dict[str, Any]:
        """Return the fields of an issue.

        `keys` is the path to the root field; the issue's path follows it. `labels`: those of the objects that
        the issues name.
        """
        object_ = Reference(issue.entity_name or "", issue.entity_id or "")
        reference = issue.reference_type
        return {
            "sourceRequestReference": ".".join(str(step) for step in (*keys, *issue.path)),
            "userMessage": issue.message.in_language(self.language),
            "issueLevel": issue.level.value,
            "issueReferenceType": None if reference is None else reference.value,
            "issueType": issue.type.value,
            "entityID": issue.entity_id,
            "_label": labels.get(object_),
            "_clientId": issue.client_id,
            "entityName": issue.entity_name,
            "attributeNames": issue.attribute_names or None,
            "roleNames": issue.role_names or None,
            "applicationName": self.application,
            "profileName": self.profile,
            "traceId": self.trace_id,
        }
