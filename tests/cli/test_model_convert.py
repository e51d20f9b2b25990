"""`stratabase model convert` converts stored values, and lists those that it keeps."""

import json
from pathlib import Path

import pytest

from stratabase.cli.main import main
from tests.cli.test_model_drop import Company, texts
from tests.cli.test_model_drop import company as company  # noqa: PLC0414 - a fixture
from tests.cli.test_model_drop import local as local  # noqa: PLC0414 - a fixture
from tests.evolution.commands.test_reindex import shop as shop  # noqa: PLC0414 - a fixture

MODEL = """
extend schema @application(name: "Shop")
type Employee @class(versioned: true) @index(attributes: ["number"]) { number: TYPE  name: String }
type Team { title: String }
"""


def test_values_are_converted_and_the_others_are_listed(
    company: Company, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On both engines; nothing is left to do afterwards."""
    company.serves(MODEL.replace("TYPE", "String"))
    ids = [
        answer["Employee___create"]["_id"]
        for answer in company.ask(
            *(f'Employee___create(data: {{number: "{each}"}}) {{ _id }}' for each in ("5", "x", "7"))
        )
    ]
    company.serves(MODEL.replace("TYPE", "Int"))
    capsys.readouterr()
    report = tmp_path / "kept.csv"

    assert main(["model", "convert", "--yes", "--report", str(report)]) == 0

    kept = f'{ids[1]},number,"""x""",Int has no such value'
    assert report.read_text("utf-8").splitlines() == ["class,id,attribute,value,reason", f"Employee,{kept}"]
    assert capsys.readouterr().out.splitlines() == [
        "Employee: converted 2 objects, kept 1 value (checked 3 objects)",
        f'  Employee.number of {ids[1]}: "x" (Int has no such value)',
        "Team: converted 0 objects, kept 0 values (checked 0 objects)",
    ]
    states = [json.loads(item.state) for item in company.items() if item.state]
    assert sorted(str(state["number"]) for state in states) == ["5", "7", "x"]
    assert [type(state["number"]) for state in states].count(int) == 2
    before = texts(company.items())
    assert main(["model", "convert", "Employee.number", "--yes"]) == 0
    assert "converted 0 objects, kept 1 value" in capsys.readouterr().out
    assert texts(company.items()) == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Employe", 'There is no class "Employe". Did you mean Employee?'),
        ("Xyz", 'There is no class "Xyz". Use one of: Employee, Team.'),
        ("Employee.numbr", 'There is no attribute of Employee "numbr". Did you mean number?'),
        ("Employee._createdon", 'There is no attribute of Employee "_createdon". Use one of: number, name.'),
    ],
    ids=["near class", "unknown class", "near attribute", "platform attribute"],
)
def test_an_unknown_name_is_refused(
    local: Company, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    local.serves(MODEL.replace("TYPE", "Int"))
    capsys.readouterr()
    assert main(["model", "convert", name, "--yes"]) == 1
    assert capsys.readouterr().err == f"{message}\n"


def test_nothing_is_converted_without_consent(local: Company, capsys: pytest.CaptureFixture[str]) -> None:
    local.serves(MODEL.replace("TYPE", "Int"))
    assert main(["model", "convert"]) == 2
    assert capsys.readouterr().err.startswith("Standard input is not a terminal")


def test_a_report_that_cannot_be_written_is_an_error(
    local: Company, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local.serves(MODEL.replace("TYPE", "Int"))
    file = tmp_path / "nowhere/kept.csv"
    assert main(["model", "convert", "--yes", "--report", str(file)]) == 1
    assert capsys.readouterr().err == f"Writing {file} failed: No such file or directory.\n"
