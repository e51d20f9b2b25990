"""CSV files with 100,000 rows: import and export of a class with one unique constraint and three indexes."""

import csv
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

from benchmarks.table import Figure, print_table

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
    commands = _Commands(
        {"STRATABASE_MODEL": str(folder / "model.graphql"), "STRATABASE_HOME": str(folder / "home")}
    )
    commands.run("import", folder / "teams.csv", "Team")
    figures = [
        *commands.figures("checked", "import", plain, "--dry-run"),
        *commands.figures("imported", "import", plain, limit=_MAX_MICROSECONDS),
        *commands.figures("imported with a role", "import", with_role),
        *commands.figures("unchanged", "import", plain, "--update-by", "email"),
        *commands.figures("exported", "export", folder / "out.csv", objects=2 * ROWS),
    ]
    print_table(f"CSV files with {ROWS:,} rows, SQLite", figures)


def _row(number: int) -> list[str]:
    born = f"{1960 + number % 40}-0{1 + number % 9}-1{number % 10}"
    return [f"First {number}", f"Last {number % 997}", f"p{number}@example.com", born, f"{number % 5000}.50"]


def _write(file: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with file.open("w", newline="") as target:
        csv.writer(target).writerows([header, *rows])


class _Commands:
    """Runs commands as a user does, each in a process of its own, with its start."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = {**os.environ, **environment}

    def run(self, command: str, file: Path, class_name: str, *options: str) -> None:
        """Run a command."""
        arguments = [
            sys.executable,
            "-m",
            "stratabase.cli",
            command,
            str(file),
            "--class",
            class_name,
            *options,
        ]
        subprocess.run(
            arguments,
            check=True,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def figures(
        self,
        name: str,
        command: str,
        file: Path,
        *options: str,
        limit: float | None = None,
        objects: int = ROWS,
    ) -> list[Figure]:
        """Run a command, and return what an object takes."""
        start, cpu = perf_counter(), _cpu_of_children()
        self.run(command, file, "Employee", *options)
        cpu, seconds = _cpu_of_children() - cpu, perf_counter() - start
        return [
            Figure(f"{name}: CPU of an object", cpu / objects * 1e6, "µs", limit, "our aim" if limit else ""),
            Figure(f"{name}: objects a second of CPU", objects / cpu, "/s"),
            Figure(f"{name}: objects a second", objects / seconds, "/s"),
        ]


def _cpu_of_children() -> float:
    """Return the CPU seconds of the processes that have ended."""
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
