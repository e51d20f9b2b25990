"""The differences between two models, and what each of them means for the stored objects.

Two models are compared by their stored names, so that a rename is not a removal. Each kind of change has one
function, which yields its changes with their severity, the reason, what to do, and the questions that only
the stored objects can answer. `MODEL_RULES` lists them all.

Read `change` first (the result, and the pairs that the rules compare), then any file of rules: `classes`,
`attributes` (with `type_changes`), `enumerations`, `roles`, `directives`, `access` (grants, profiles and the
application) and `returning_names`. `questions` has what can be counted. Imports point to `core.model`.
"""

from collections.abc import Sequence

from stratabase.core.model.model import Model
from stratabase.core.model.stored_names import RemovedName
from stratabase.evolution.difference import (
    access,
    attributes,
    classes,
    directives,
    enumerations,
    returning_names,
    roles,
    type_changes,
)
from stratabase.evolution.difference.access import with_former_default
from stratabase.evolution.difference.change import ModelChange, ModelComparison, Severity

__all__ = ["ModelChange", "Severity", "diff_models", "with_former_default"]

MODEL_RULES = (
    *access.ACCESS_RULES,
    *returning_names.RETURNING_RULES,
    *classes.CLASS_RULES,
    *attributes.ATTRIBUTE_RULES,
    *type_changes.TYPE_RULES,
    *roles.ROLE_RULES,
    *directives.DIRECTIVE_RULES,
    *enumerations.ENUM_RULES,
)
"""All kinds of changes, in the order in which changes of the same severity are listed."""
_ORDER = (Severity.DECISION, Severity.REINDEX, Severity.SAFE)


def diff_models(old: Model, new: Model, removed: Sequence[RemovedName] = ()) -> list[ModelChange]:
    """Return the changes from one model to another, those that need a decision first.

    The list is empty if the models differ only in order. `removed`: the stored names that the store knows
    from models before `old`, and that `old` does not have.
    """
    comparison = ModelComparison(old, new)
    found = [change for rule in MODEL_RULES for change in rule(comparison, removed)]
    return sorted(found, key=lambda change: _ORDER.index(change.severity))
