"""Read the labels of the objects that issues name, as far as the caller may read them.

Only a request with issues comes here, so one that succeeds reads nothing more.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress

from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.derived import Computed
from stratabase.core.model.api_names import LABEL
from stratabase.core.model.types.label import label_text
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.schema.request.context import GraphQLContext

Labels = Mapping[Reference, str | None]
MAX_LABELS = 100
"""In one response. The issues of further objects have none."""


def read_labels(context: GraphQLContext, issues: Iterable[Issue]) -> Labels:
    """Return the labels of the objects that issues name, without those that the caller may not read.

    They are those of the stored objects. Never raises: an issue says enough without a label.
    """
    by_class: dict[str, dict[Reference, None]] = defaultdict(dict)
    for issue in issues:
        if issue.entity_name is not None and issue.entity_id is not None:
            by_class[issue.entity_name][Reference(issue.entity_name, issue.entity_id)] = None
    labels: dict[Reference, str | None] = {}
    with suppress(Refusal):
        for class_name, references in by_class.items():
            labels |= _labels_of_class(context, class_name, [*references][: MAX_LABELS - len(labels)])
    return labels


def _labels_of_class(context: GraphQLContext, class_name: str, references: list[Reference]) -> Labels:
    class_, access = context.services.model.classes[class_name], context.access
    attribute = class_.label_attribute
    if not (references and class_.is_stored) or attribute is None:
        return {}
    if access is not None and access.read_obstacle(class_name, attribute.name) is not None:
        return {}
    reader = Reader(context.read_context)
    run(reader.load_with_wholes(references))
    found: list[Entity] = [each for each in map(reader.find, references) if each is not None]
    if attribute.derivation is not None:
        found = run(reader.with_computed(class_name, found, Computed((LABEL,))))
    return {each.reference: label_text(each.state.get(attribute.name)) for each in found}
