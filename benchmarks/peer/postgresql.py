"""A PostgreSQL server with the employees of `benchmarks.staff`."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks import cpu, staff
from tests.service import DEADLINE, free_port

COLUMNS = ("first_name", "last_name", "email", "badge", "salary", "date_of_birth", "hired_on", "phone")
TABLES = """
CREATE TABLE employee (
  id text PRIMARY KEY,
  first_name text NOT NULL,
  last_name text NOT NULL,
  email text NOT NULL UNIQUE,
  badge integer,
  salary numeric,
  date_of_birth date,
  hired_on date,
  phone text,
  about text
);
CREATE INDEX ON employee (last_name, first_name);
CREATE INDEX ON employee (hired_on);
CREATE INDEX ON employee (badge);
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
        return subprocess.run(command, input=sql, text=True, check=True, capture_output=True).stdout.strip()

    def fill(self, ids: Sequence[str]) -> None:
        """Create the employees that a `Staff` with these ids has."""
        rows = (
            "\t".join([id_, *(str(state[name]) for name in COLUMNS)])
            for id_, state in zip(ids, staff.employees("e"), strict=False)
        )
        copied = "\n".join(islice(rows, len(ids)))
        self.run(f"{TABLES}COPY employee (id, {', '.join(COLUMNS)}) FROM stdin;\n{copied}\n\\.\n")
        self.run("VACUUM ANALYZE employee;")

    def cpu_seconds(self) -> Mapping[int, float]:
        """Return the CPU seconds of each of its processes that runs now."""
        return {pid: cpu.seconds(pid) for pid in [self.pid, *_children(self.pid)]}


@contextmanager
def postgresql() -> Iterator[PostgreSQL]:
    """Run a server with a data folder of its own. It runs as the user `postgres` if root starts it."""
    folder = Path(tempfile.mkdtemp(prefix="peer-"))
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    port = free_port()
    data = str(folder / "data")
    try:
        initdb = [_program("initdb"), "-D", data, "-U", "postgres", "--auth=trust", "--no-sync"]
        subprocess.run(initdb, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with (folder / "log").open("wb") as log:
            options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-k", str(folder)]
            command = [_program("postgres"), "-D", data, *options]
            process = subprocess.Popen(command, user=user, cwd=folder, stdout=log, stderr=log)
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
    """Return the path of a program of the newest PostgreSQL, or of that on the PATH."""
    versions = Path("/usr/lib/postgresql")  # where Debian has what is not on the PATH
    found = sorted(versions.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    path = shutil.which(name) or (str(found[-1]) if found else None)
    assert path, f"PostgreSQL is not installed: there is no {name}"
    return path


def _wait_for(server: PostgreSQL) -> None:
    until = time.monotonic() + DEADLINE
    ready = [_program("pg_isready"), "-q", "-d", server.url]
    while subprocess.run(ready, check=False).returncode:
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
