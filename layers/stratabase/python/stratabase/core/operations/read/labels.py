"""Read the labels of objects, as far as the caller may read them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from stratabase.core.domain.access.visibility import may_read_label
from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.derived import Computed
from stratabase.core.model.model import Class
from stratabase.core.model.types.label import label_text
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader

ObjectLabels = Mapping[Reference, str | None]
MAX_LABELS = 100
"""The maximum number of objects whose labels are read for the issues of one request."""


def labels_of(reader: Reader, class_: Class, ids: Iterable[str]) -> ObjectLabels:
    """Return the labels of those objects of a class that the caller sees. Raises ReadBudgetExceeded.

    The caller must be allowed to read what the labels consist of.
    """
    attribute = class_.label_attribute
    if attribute is None:
        return {}
    references = [Reference(class_.name, id_) for id_ in ids]
    run(reader.load_with_wholes(references))
    found: Sequence[Entity] = [each for each in map(reader.find, references) if each is not None]
    if attribute.derivation is not None:
        found = run(reader.with_computed(class_.name, found, Computed((attribute.name,))))
    return {each.reference: label_text(each.state.get(attribute.name)) for each in found}


class IssueLabels:
    """The labels of the stored objects that the issues of one request name.

    Only a request with issues reads them, so that one that succeeds reads nothing more.
    """

    def __init__(self, read_context: ReadContext) -> None:
        self._read_context = read_context
        self._asked: dict[Reference, None] = {}
        """The objects whose labels were read, or could not be read."""
        self._labels: dict[Reference, str | None] = {}

    def of(self, issues: Iterable[Issue]) -> ObjectLabels:
        """Return the labels of the objects that issues name, without those that the caller may not read.

        Raises no refusal, because an issue says enough without a label.
        """
        new: dict[str, dict[str, None]] = defaultdict(dict)
        for issue in issues:
            reference = Reference(issue.entity_name or "", issue.entity_id or "")
            if reference.id and reference not in self._asked and len(self._asked) < MAX_LABELS:
                self._asked[reference] = None
                new[reference.class_name][reference.id] = None
        for class_name, ids in new.items():
            class_ = self._read_context.model.classes.get(class_name)
            if class_ is not None and class_.is_stored and may_read_label(self._read_context.access, class_):
                with suppress(Refusal):
                    self._labels |= labels_of(Reader(self._read_context), class_, ids)
        return self._labels
