"""Each constraint has all that the packages ask of it: its arguments, their documentation, and its issues."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.model.constraints import CONSTRAINTS, constraints_for, is_tightened
from stratabase.core.model.constraints.allowed_texts import AllowedTexts
from stratabase.core.model.constraints.allowed_values import AllowedValues
from stratabase.core.model.constraints.base import Constraint
from stratabase.core.model.constraints.codice_fiscale import CodiceFiscale
from stratabase.core.model.constraints.decimal_digits import DecimalDigits
from stratabase.core.model.constraints.email import EmailAddress
from stratabase.core.model.constraints.file_limits import FileExtensions, FileSize
from stratabase.core.model.constraints.partita_iva import PartitaIva
from stratabase.core.model.constraints.phone import PhoneNumber
from stratabase.core.model.constraints.text_length import TextLength
from stratabase.core.model.constraints.value_range import ValueRange
from stratabase.core.model.reading.draft.directives import language
from stratabase.core.model.types import TYPES
from stratabase.core.operations.files.upload import _REFUSALS
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.attribute_values import EXAMPLES as VALUES
from tests.rows import each_row

FILE = VALUES["File"].stored[0]


class Examples(NamedTuple):
    """Examples of one constraint."""

    type: str
    """An attribute type that supports it."""
    arguments: Mapping[str, Any]
    """Values of all its arguments."""
    accepted: Any
    refused: Sequence[Any]
    """Values that have violations of each of its issue types."""


EXAMPLES: Mapping[type[Constraint], Examples] = {
    ValueRange: Examples("Int", {"min": "1", "max": "3"}, 2, [0, 4]),
    TextLength: Examples("Text", {"minLength": 1, "maxLength": 2}, "ab", ["", "abc"]),
    AllowedTexts: Examples("Text", {"pattern": ("a{1,1000}",), "values": ("c",)}, "c", ["d", "a" * 100_000]),
    AllowedValues: Examples("Date", {"values": ("2020-01-31",)}, "2020-01-31", ["2020-02-01"]),
    DecimalDigits: Examples("Real", {"digits": 1}, "1.5", ["1.25"]),
    EmailAddress: Examples("String", {"email": True}, "ada@example.com", ["ada"]),
    PhoneNumber: Examples("String", {"phone": True}, "+39 06 1234567", ["x"]),
    PartitaIva: Examples("String", {"partitaIva": True}, "00743110157", ["00743110158"]),
    CodiceFiscale: Examples("String", {"codiceFiscale": True}, "RSSMRA85T10A562S", ["RSSMRA", "1"]),
    FileExtensions: Examples("File", {"extensions": ("png",)}, {**FILE, "name": "a.png"}, [FILE]),
    FileSize: Examples("File", {"maxSize": 3}, FILE, [{**FILE, "size": 4}]),
}


def test_each_constraint_has_examples() -> None:
    assert [*EXAMPLES] == [*CONSTRAINTS]


@each_row("constraint", CONSTRAINTS)
def test_each_constraint_has_all_its_parts(constraint: type[Constraint]) -> None:
    examples = EXAMPLES[constraint]
    type_ = TYPES[examples.type]
    assert constraint in constraints_for(type_, constraint.directive)
    assert constraint.arguments.keys() == examples.arguments.keys()
    assert not [*constraint.find_errors(examples.arguments, type_)]
    built = constraint.build(examples.arguments, type_)
    assert built is not None
    assert built.argument_values().keys() == examples.arguments.keys()
    assert [*built.violations(examples.accepted, type_, DEFAULT_FORMATS)] == []
    violations = [[*built.violations(value, type_, DEFAULT_FORMATS)] for value in examples.refused]
    assert all(violations)
    assert {one.issue for each in violations for one in each} == set(constraint.issues)
    assert set(constraint.issues) <= set(IssueType.__members__)
    assert constraint.directive != "file" or set(constraint.issues) <= _REFUSALS.keys()


@each_row("constraint", CONSTRAINTS)
def test_the_model_language_has_the_arguments_of_each_constraint(constraint: type[Constraint]) -> None:
    parameters = language().directives[constraint.directive].parameters
    for name, argument in constraint.arguments.items():
        assert parameters[name].spelling == argument.type
        same = [each.arguments[name] for each in CONSTRAINTS if name in each.arguments]
        assert same == [argument] * len(same)


@each_row("constraint", CONSTRAINTS)
def test_a_comparison_of_models_knows_whether_an_argument_refuses_more(constraint: type[Constraint]) -> None:
    examples = EXAMPLES[constraint]
    type_ = TYPES[examples.type]
    built = constraint.build(examples.arguments, type_)
    assert built is not None
    for name, value in built.argument_values().items():
        assert is_tightened(type_, name, constraint.absent, value)
        assert not is_tightened(type_, name, value, constraint.absent)
        assert value is True or not is_tightened(type_, name, value, value)
