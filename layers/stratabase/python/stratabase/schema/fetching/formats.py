"""The formats that fields ask for: each is looked at once, before anything is read or written."""

from typing import Any, NamedTuple

from graphql import FieldNode, GraphQLField, get_argument_values

from stratabase.domain.issue import Issue, IssueType, Path
from stratabase.domain.subject import Subject
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.preferences import Formats
from stratabase.schema.moments import MOMENT, MomentField
from stratabase.schema.objects import ATTRIBUTE, AttributeField

ARGUMENT = "format"


class Format(NamedTuple):
    """A field that asks for a format, and the response keys that lead to it from the root field on."""

    field: GraphQLField
    node: FieldNode
    keys: Path

    def mistake(self, variables: Any, formats: Formats) -> Issue | None:
        """Return what is wrong with the format, if anything is."""
        extensions = self.field.extensions
        shown: AttributeField | MomentField = extensions.get(ATTRIBUTE) or extensions[MOMENT]
        pattern = get_argument_values(self.field, self.node, variables).get(ARGUMENT)
        try:
            shown.attribute.type.serializer(pattern or "default", formats)
        except InvalidValue as mistake:
            return _issue(shown, mistake, (*self.keys, ARGUMENT))
        return None


def _issue(shown: AttributeField | MomentField, mistake: InvalidValue, path: Path) -> Issue:
    name = shown.attribute.name
    if isinstance(shown, MomentField):
        message = f"{shown.type_name}.{name}({ARGUMENT}): {mistake}"
        return Issue(IssueType.MALFORMED_REQUEST, message, path=path)
    message = f"{shown.owner.name}.{name}({ARGUMENT}): {mistake}"
    return Subject(shown.owner).attribute_issue(IssueType.MALFORMED_REQUEST, message, name, path=path)
