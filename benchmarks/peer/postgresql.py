"""A PostgreSQL server with the employees of `benchmarks.staff`."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks import cpu, staff
from tests.repository import ROOT
from tests.service import DEADLINE, free_port

INSTALLED = ROOT / ".postgresql"
"""Where `tools/install-postgresql` unpacks PostgreSQL if it is not installed."""
_LIBRARIES = sorted(INSTALLED.glob("usr/lib/*-linux-*"))
_ENVIRONMENT = {**os.environ, **({"LD_LIBRARY_PATH": str(_LIBRARIES[0])} if _LIBRARIES else {})}
COLUMNS = ("first_name", "last_name", "email", "badge", "salary", "date_of_birth", "hired_on", "phone")
TABLES = """
CREATE TABLE team (id text PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE employee (
  id text PRIMARY KEY DEFAULT gen_random_uuid()::text,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text NOT NULL UNIQUE,
  badge integer,
  salary numeric,
  date_of_birth date,
  hired_on date,
  phone text,
  about text,
  team text REFERENCES team
);
CREATE INDEX ON employee (last_name, first_name);
CREATE INDEX ON employee (hired_on);
CREATE INDEX ON employee (badge);
CREATE INDEX ON employee (team);
"""


class PostgreSQL(NamedTuple):
    """A running server, whose user `postgres` needs no password on the loopback interface."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        """The address of the database."""
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def run(self, sql: str) -> str:
        """Run statements, and return what they print."""
        command = [_program("psql"), "-qtA", "-v", "ON_ERROR_STOP=1", self.url]
        return subprocess.run(
            command, env=_ENVIRONMENT, input=sql, text=True, check=True, capture_output=True
        ).stdout.strip()

    def create_tables(self) -> None:
        """Create the tables, and the teams of a `Staff`."""
        self.run(TABLES)
        self._copy("team (id, name)", (f"{number}\tTeam {number}" for number in range(staff.TEAMS)))

    def grow(self, ids: Sequence[str], first: int = 0) -> None:
        """Create the employees of a `Staff` with these ids, from the `first` one on."""
        rows = (
            "\t".join([id_, *(str(state[name]) for name in COLUMNS), str(number % staff.TEAMS)])
            for number, (id_, state) in enumerate(
                zip(ids[first:], staff.employees("e", first), strict=False), first
            )
        )
        self._copy(f"employee (id, {', '.join(COLUMNS)}, team)", rows)
        self.run("VACUUM ANALYZE employee;")

    def _copy(self, into: str, rows: Iterable[str]) -> None:
        lines = "".join(f"{row}\n" for row in rows)
        self.run(f"COPY {into} FROM stdin;\n{lines}\\.\n")

    def cpu_seconds(self) -> float:
        """Return the CPU seconds of its processes that run now. The peer's pool keeps its connections."""
        return sum(cpu.seconds(pid) for pid in [self.pid, *_children(self.pid)])


@contextmanager
def postgresql() -> Iterator[PostgreSQL]:
    """Run a server with a data folder of its own. If root starts it, it runs as another user."""
    folder = Path(tempfile.mkdtemp(prefix="peer-"))
    users = {each.pw_name for each in pwd.getpwall()}
    user = next(each for each in ("postgres", "nobody") if each in users) if os.geteuid() == 0 else None
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    port = free_port()
    data = str(folder / "data")
    try:
        initdb = [_program("initdb"), "-D", data, "-U", "postgres", "--auth=trust", "--no-sync"]
        subprocess.run(initdb, env=_ENVIRONMENT, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with (folder / "log").open("wb") as log:
            options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", str(folder)]
            command = [_program("postgres"), "-D", data, *options]
            process = subprocess.Popen(
                command, env=_ENVIRONMENT, user=user, cwd=folder, stdout=log, stderr=log
            )
        try:
            server = PostgreSQL(process.pid, port)
            _wait_for(server)
            yield server
        finally:
            process.terminate()
            process.wait()
    finally:
        shutil.rmtree(folder)


def _program(name: str) -> str:
    """Return the path of a program of PostgreSQL: that on the PATH, or of Debian's newest version."""
    found = [
        path
        for root in (INSTALLED, Path("/"))  # Debian has few of them on the PATH.
        for path in sorted(root.glob(f"usr/lib/postgresql/*/bin/{name}"), key=_version)
    ]
    path = shutil.which(name) or (str(found[-1]) if found else None)
    assert path, f"PostgreSQL is not installed: there is no {name}"
    return path


def _version(program: Path) -> int:
    return int(program.parent.parent.name)


def _wait_for(server: PostgreSQL) -> None:
    until = time.monotonic() + DEADLINE
    ready = [_program("pg_isready"), "-q", "-d", server.url]
    while subprocess.run(ready, env=_ENVIRONMENT, check=False).returncode:
        assert time.monotonic() < until, "PostgreSQL does not answer"
        time.sleep(0.1)


def _children(pid: int) -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rsplit(")", 1)[1].split()[1]
        except OSError:  # the process has ended
            continue
        if int(parent) == pid:
            yield int(stat.parent.name)
