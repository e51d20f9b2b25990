"""Required attributes have values.

One rule for attributes and roles: a write must fill what is required of the objects that it makes, and cannot
empty what is set. It passes over what it does not touch and what was empty before, since a model may come to
require what older objects lack. Serials are exempt: the service numbers objects itself.
"""

from collections.abc import Iterator

from stratabase.domain.checks.draft import Draft
from stratabase.domain.former_content import misfits
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.singleton import is_unwritten
from stratabase.model.attribute import Attribute

STILL_EMPTY = "it is required and still empty; that does not stop a write that leaves it alone"
"""What a validation says of a required attribute or role that the write passes over."""


def required_values_present(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each required attribute that the write leaves or makes empty, and must not."""
    is_made = draft.before is None or is_unwritten(draft.subject.class_, draft.before)
    for name in _required(draft):
        is_empty = draft.state.get(name) is None and not draft.unreadable(name)
        if is_empty and (is_made or name in draft.changed):
            yield draft.issue(IssueType.ATTRIBUTE_REQUIRED, name, "a value is required")


def values_still_missing(draft: Draft) -> Iterator[Issue]:
    """Yield a report, which stops no write, for each required attribute that the write passes over."""
    if draft.before is None or is_unwritten(draft.subject.class_, draft.before):
        return
    unreadable = {*misfits(draft.subject.class_, draft.before.state)}
    for name in _required(draft):
        is_empty = draft.before.state.get(name) is None or name in unreadable
        if is_empty and name not in draft.changed and not draft.unreadable(name):
            yield draft.issue(IssueType.ATTRIBUTE_REQUIRED, name, STILL_EMPTY).as_report()


def is_demanded(attribute: Attribute) -> bool:
    """Return whether clients must give an attribute a value."""
    return attribute.required and attribute.type.name != "Serial"


def _required(draft: Draft) -> Iterator[str]:
    attributes = draft.subject.class_.attributes.items()
    return (name for name, attribute in attributes if is_demanded(attribute))
