"""What a model must keep to: one file per kind of rule, in the order of this list.

A rule gets the manuscript and yields the mistakes that it finds. It keeps quiet about what another rule
reports: unknown types, wrong arguments, names that are taken.
"""

from collections.abc import Callable, Iterable

from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake
from stratabase.model.reading.rules.application import application, profiles
from stratabase.model.reading.rules.associations import associations, holders
from stratabase.model.reading.rules.circles import circles
from stratabase.model.reading.rules.compositions import compositions
from stratabase.model.reading.rules.creation import creation
from stratabase.model.reading.rules.definitions import definitions
from stratabase.model.reading.rules.derived import derived
from stratabase.model.reading.rules.domains import domains
from stratabase.model.reading.rules.enumerations import enumerations
from stratabase.model.reading.rules.expressions import expressions
from stratabase.model.reading.rules.fields import fields
from stratabase.model.reading.rules.files import files
from stratabase.model.reading.rules.generated import generated
from stratabase.model.reading.rules.grants import grants
from stratabase.model.reading.rules.indexes import indexes
from stratabase.model.reading.rules.kinds import kinds
from stratabase.model.reading.rules.names import names
from stratabase.model.reading.rules.paths import paths
from stratabase.model.reading.rules.patterns import patterns
from stratabase.model.reading.rules.uniques import uniques
from stratabase.model.reading.rules.unreadable import unreadable
from stratabase.model.reading.rules.warnings import warnings

RULES: tuple[Callable[[Manuscript], Iterable[Mistake]], ...] = (
    definitions,
    application,
    profiles,
    names,
    generated,
    enumerations,
    kinds,
    fields,
    domains,
    patterns,
    files,
    associations,
    holders,
    compositions,
    creation,
    derived,
    paths,
    expressions,
    circles,
    uniques,
    indexes,
    warnings,
    grants,
    unreadable,
)
