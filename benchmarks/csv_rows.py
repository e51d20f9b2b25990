"""CSV files with 100,000 rows: import and export of a class with one unique constraint and three indexes."""

import csv
import os
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from time import perf_counter, process_time
from unittest.mock import patch

from benchmarks.table import Figure, print_table
from stratabase.cli.main import main as run_command

ROWS = 100_000
_TEAMS = 20
_MAX_MICROSECONDS = 1_000_000 / 3_000
"""The CPU time of an object at 3,000 objects a second."""
MODEL = """
extend schema @application(name: "Hr") @profile(name: "Administrator", administrator: true)
type Employee @unique(attributes: ["email"])
  @index(attributes: ["last_name"]) @index(attributes: ["date_of_birth"]) @index(attributes: ["salary"]) {
  first_name: String! @domain(maxLength: 80)
  last_name: String! @domain(maxLength: 80)
  email: String! @domain(email: true)
  date_of_birth: Date @domain(min: "1910-01-01")
  salary: Real @domain(min: "0", digits: 2)
  team: Team @association(opposite: "members")
}
type Team @unique(attributes: ["name"]) { name: String! members: [Employee!] @association(opposite: "team") }
"""


def main(folder: Path) -> None:
    """Import the rows without and with a role, import them again, and export them."""
    (folder / "model.graphql").write_text(MODEL)
    _write(folder / "teams.csv", ["name"], [[f"Team {number}"] for number in range(_TEAMS)])
    plain, with_role = folder / "plain.csv", folder / "role.csv"
    header = ["first_name", "last_name", "email", "date_of_birth", "salary"]
    _write(plain, header, [_row(number) for number in range(ROWS)])
    _write(
        with_role,
        [*header, "team.name"],
        [[*_row(ROWS + number), f"Team {number % _TEAMS}"] for number in range(ROWS)],
    )
    environment = {
        "STRATABASE_MODEL": str(folder / "model.graphql"),
        "STRATABASE_HOME": str(folder / "home"),
    }
    with patch.dict(os.environ, environment):
        _run("import", folder / "teams.csv", "--class", "Team")
        figures = [
            *_figures("checked", "import", plain, "--class", "Employee", "--dry-run"),
            *_figures("imported", "import", plain, "--class", "Employee", limit=_MAX_MICROSECONDS),
            *_figures("imported with a role", "import", with_role, "--class", "Employee"),
            *_figures("unchanged", "import", plain, "--class", "Employee", "--update-by", "email"),
            *_figures("exported", "export", folder / "out.csv", "--class", "Employee", objects=2 * ROWS),
        ]
    print_table(f"CSV files with {ROWS:,} rows, SQLite", figures)


def _row(number: int) -> list[str]:
    born = f"{1960 + number % 40}-0{1 + number % 9}-1{number % 10}"
    return [f"First {number}", f"Last {number % 997}", f"p{number}@example.com", born, f"{number % 5000}.50"]


def _write(file: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with file.open("w", newline="") as target:
        csv.writer(target).writerows([header, *rows])


def _figures(
    name: str, command: str, file: Path, *arguments: str, limit: float | None = None, objects: int = ROWS
) -> list[Figure]:
    start, cpu = perf_counter(), process_time()
    _run(command, file, *arguments)
    cpu, seconds = process_time() - cpu, perf_counter() - start
    return [
        Figure(f"{name}: CPU of an object", cpu / objects * 1e6, "µs", limit, "our aim" if limit else ""),
        Figure(f"{name}: objects a second of CPU", objects / cpu, "/s"),
        Figure(f"{name}: objects a second", objects / seconds, "/s"),
    ]


def _run(command: str, file: Path, *arguments: str) -> None:
    with redirect_stdout(StringIO()):
        assert run_command([command, str(file), *arguments]) == 0
