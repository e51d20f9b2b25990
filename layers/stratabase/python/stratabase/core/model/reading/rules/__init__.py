"""The rules of the model language beyond its syntax.

`RULES` lists them in order, by subject: definitions, profiles and names, classes and fields, domains, roles,
derived attributes and expressions, cycles, labels, renames, uniques and indexes, grants, users. A rule takes
the draft of a model and yields the errors that it finds. It ignores what another rule reports, such as
unknown types, invalid arguments and repeated names.

To add a rule, write it in the file of its subject, and list it here. Imports point to `reading.draft` and the
model.
"""

from collections.abc import Callable, Iterable

from stratabase.core.model.reading.draft.errors import ModelError
from stratabase.core.model.reading.draft.model_draft import ModelDraft
from stratabase.core.model.reading.rules.classes import check_class_kinds, check_warnings
from stratabase.core.model.reading.rules.cycles import check_circular_derivation, check_creation
from stratabase.core.model.reading.rules.definitions import (
    check_application,
    check_definitions,
    check_enums,
    check_profiles,
)
from stratabase.core.model.reading.rules.derived import check_derived, check_paths
from stratabase.core.model.reading.rules.domains import check_domains, check_file_limits, check_texts
from stratabase.core.model.reading.rules.expressions import check_expressions
from stratabase.core.model.reading.rules.fields import check_fields
from stratabase.core.model.reading.rules.grants import check_grants, check_readable_uniques
from stratabase.core.model.reading.rules.labels import check_labels
from stratabase.core.model.reading.rules.names import check_generated_names, check_names
from stratabase.core.model.reading.rules.narrower_profiles import check_narrower_profiles
from stratabase.core.model.reading.rules.renames import check_defaults, check_renames
from stratabase.core.model.reading.rules.roles import check_compositions, check_key_holders, check_opposites
from stratabase.core.model.reading.rules.uniques_and_indexes import check_indexes, check_uniques
from stratabase.core.model.reading.rules.users import check_user_extension, check_user_roles

RULES: tuple[Callable[[ModelDraft], Iterable[ModelError]], ...] = (
    check_definitions,
    check_application,
    check_profiles,
    check_narrower_profiles,
    check_names,
    check_generated_names,
    check_renames,
    check_enums,
    check_class_kinds,
    check_fields,
    check_domains,
    check_file_limits,
    check_texts,
    check_defaults,
    check_opposites,
    check_key_holders,
    check_compositions,
    check_creation,
    check_derived,
    check_paths,
    check_expressions,
    check_circular_derivation,
    check_labels,
    check_uniques,
    check_indexes,
    check_warnings,
    check_grants,
    check_readable_uniques,
    check_user_extension,
    check_user_roles,
)
