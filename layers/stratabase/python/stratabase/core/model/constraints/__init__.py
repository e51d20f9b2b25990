"""The constraints of `@domain` and `@file` on the values of attributes.

Each constraint is one class. It has the arguments of the directive and their documentation, the check of
these arguments, the check of a value, the issue types, and what a comparison of two models shows. To add a
constraint, write its class, and list it in `CONSTRAINTS`. CONTRIBUTING.md has the rest: a new issue type, and
the translations.

Read `base` first, then any other file. Imports point to `model.types` and `formats`.
"""

from collections.abc import Iterable
from typing import Any

from stratabase.core.model.constraints.allowed_texts import AllowedTexts
from stratabase.core.model.constraints.allowed_values import AllowedValues
from stratabase.core.model.constraints.base import Arguments, Constraint
from stratabase.core.model.constraints.codice_fiscale import CodiceFiscale
from stratabase.core.model.constraints.decimal_digits import DecimalDigits
from stratabase.core.model.constraints.email import EmailAddress
from stratabase.core.model.constraints.file_limits import FileExtensions, FileSize
from stratabase.core.model.constraints.partita_iva import PartitaIva
from stratabase.core.model.constraints.phone import PhoneNumber
from stratabase.core.model.constraints.text_length import TextLength
from stratabase.core.model.constraints.value_range import ValueRange
from stratabase.core.model.types.base import AttributeType

CONSTRAINTS: tuple[type[Constraint], ...] = (
    ValueRange,
    TextLength,
    AllowedTexts,
    AllowedValues,
    DecimalDigits,
    EmailAddress,
    PhoneNumber,
    PartitaIva,
    CodiceFiscale,
    FileExtensions,
    FileSize,
)
"""All constraints, in the order in which values are checked and differences are listed."""


_ARGUMENTS = {name: argument for each in CONSTRAINTS for name, argument in each.arguments.items()}
"""The arguments of `@domain` and `@file`. Constraints that share one define it equally."""


def constraints_for(type_: AttributeType, directive: str = "domain") -> tuple[type[Constraint], ...]:
    """Return the constraints that a directive can put on attributes of a type."""
    return tuple(
        each for each in CONSTRAINTS if each.directive == directive and isinstance(type_, each.types)
    )


def build_constraints(type_: AttributeType, arguments: Arguments) -> tuple[Constraint, ...]:
    """Return the constraints that the arguments of `@domain` or `@file` put on an attribute of a type."""
    built = (each.build(arguments, type_) for each in CONSTRAINTS if isinstance(type_, each.types))
    return tuple(constraint for constraint in built if constraint is not None)


def argument_values(constraints: Iterable[Constraint]) -> dict[str, object]:
    """Return the values of all arguments of all constraints, by name.

    An argument that the constraints don't have gets the `absent` of its class.
    """
    values = {argument: each.absent for each in CONSTRAINTS for argument in each.arguments}
    for constraint in constraints:
        values |= constraint.argument_values()
    return values


def is_tightened(type_: AttributeType, name: str, old: Any, new: Any) -> bool:
    """Return whether a new value of an argument of an attribute refuses more than an old one did.

    The values are those of `argument_values`.
    """
    if new in (None, (), False):
        return False
    return old in (None, (), False) or _ARGUMENTS[name].tightens(type_, old, new)
