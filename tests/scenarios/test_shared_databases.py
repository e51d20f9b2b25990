"""Processes share the databases of a folder: none loses its locks, and a kill loses nothing acknowledged.

SQLite's locks belong to a process and a file. If the process closes any descriptor of the file, all of them
are gone. Another process then takes itself for the only one, and removes the log under the first.
"""

import json
import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from tests.forked_commands import start_command
from tests.service import (
    DEADLINE,
    PASSWORD,
    SAMPLE_MODEL,
    Reply,
    RunningService,
    basic,
    eventually,
    free_port,
)
from tests.soak import count, seed

DATABASES = ("objects.db", "members.db", "attempts.db", "mail-queue.db")
SHARED_RANGE = (1073741826, 1073742335)
"""The bytes of a database that a connection locks for as long as it is open: SQLite's SHARED lock."""
LOCKS = Path("/proc/locks")
LIVES = count(1, 40)
"""Kills, each after a series of actions in random order, on one data folder."""
JSON = {"Content-Type": "application/json"}
CREATE = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id } }"
ALL = "{ Employee___getPage(options: {next: 1000}) { items { email } } }"

pytestmark = [
    pytest.mark.local,
    pytest.mark.skipif(not LOCKS.exists(), reason="needs /proc/locks, which only Linux has"),
]


@dataclass
class Acknowledged:
    """What the service and the commands have acknowledged."""

    objects: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    failures: int = 0
    """Failed attempts to sign in since the last start. They expire after a while."""
    mails: int = 0
    """Requests for mails since the last start."""


class Shared:
    """A service with two workers, and the commands that use its data folder at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model = folder / "hr.graphql"
        self._model.write_text(SAMPLE_MODEL.read_text())
        unreachable = f"smtp://127.0.0.1:{free_port()}"  # so that mail waits in the queue
        self.service = RunningService(
            folder / "home",
            model=self._model,
            reload=True,
            arguments=["--workers=2"],
            settings={
                "STRATABASE_MAIL": "smtp",
                "STRATABASE_SMTP": unreachable,
                "STRATABASE_TRUSTED_PROXIES": "127.0.0.1",  # so that no limit of an address applies
            },
        )
        self.done = Acknowledged()
        self._choice = random.Random(seed())
        self._number = 0

    # ------------------------------------------------------------------------------------------------ actions

    def create_object(self) -> None:
        email = f"{self._next()}@example.com"
        data = {"first_name": "A", "last_name": "B", "email": email, "salary": "0"}
        assert "errors" not in self.service.graphql(CREATE, {"data": data})
        self.done.objects.add(email)

    def create_member(self) -> str:
        name = f"rest{self._next()}"
        body = {"username": name, "email": f"{name}@example.com", "profile": "Administrator"}
        reply = self._post("/auth/administration/members", body, Authorization=basic("admin", PASSWORD))
        # The mail can't be sent, but the member exists.
        assert reply.status in {201, 503}, reply.body
        self.done.members.add(name)
        return name

    def create_member_by_command(self) -> None:
        name = f"command{self._next()}"
        self.service.add_member(name)
        self.done.members.add(name)

    def fail_to_sign_in(self) -> None:
        body = {"username": f"stranger{self._next()}", "password": "wrong"}
        assert self._post("/public/token/getJwtToken", body).status == 401
        self.done.failures += 1

    def forget_password(self) -> None:
        body = {"username": self.create_member()}
        assert self._post("/public/administration/forgotPassword", body).status == 202
        self.done.mails += 1

    def change_model(self) -> None:
        before = self.workers()
        text = f"{SAMPLE_MODEL.read_text()}\n# {self._next()}\n"
        changed = self._model.with_suffix(".new")
        changed.write_text(text)
        changed.replace(self._model)
        eventually(lambda: len(self.workers()) == 2 and not self.workers() & before)

    def command(self, *arguments: str) -> str:
        """Run a command, and return what it prints."""
        with TemporaryFile("w+") as output:
            assert start_command(arguments, self.service.settings, output).wait(DEADLINE) == 0
            output.seek(0)
            return output.read()

    def back_up(self) -> None:
        folder, known = self._folder / f"backup{self._next()}", set(self.done.members)
        self.command("backup", str(folder))
        with closing(sqlite3.connect(folder / "members.db")) as copy:
            assert known <= {name for (name,) in copy.execute("SELECT username FROM members")}

    def export(self) -> None:
        self.command("export", "--members", str(self._folder / f"export{self._next()}"))

    def import_csv(self) -> None:
        file = self._folder / f"import{self._next()}.csv"
        email = f"{self._number}@imported.example.com"
        file.write_text(f"first_name,last_name,email,salary\nA,B,{email},0\n")
        self.command("import", str(file), "--class", "Employee")
        self.done.objects.add(email)

    def actions(self) -> Sequence[Callable[[], object]]:
        """Return the actions that write, and those that once removed a log, and some or all others."""
        always: list[Callable[[], object]] = [
            self.create_object,
            self.create_member,
            self.create_member_by_command,
            self.fail_to_sign_in,
            self.forget_password,
            self.change_model,
            self.back_up,
            partial(self.command, "store", "show"),
        ]
        others: list[Callable[[], object]] = [
            self.export,
            self.import_csv,
            *(
                partial(self.command, *command.split())
                for command in (
                    "members disable admin2",
                    "members resolve-owners",
                    "keys list",
                    "keys rotate",
                    "store adopt --yes",
                    "store upgrade --yes",
                    "files check",
                    "model diff",
                    "reindex",
                )
            ),
        ]
        return [*always, *self._choice.sample(others, count(1, len(others)))]

    # ------------------------------------------------------------------------------------------------- checks

    def workers(self) -> set[int]:
        """Return the ids of the processes that serve."""
        children = Path(f"/proc/{self.service.pid}/task/{self.service.pid}/children").read_text().split()
        return set(map(int, children))

    def check_locks(self) -> None:
        """Assert that each worker holds its lock on each database, and that no log was removed under it."""
        for worker in self.workers():
            names = open_files(worker)
            removed = [name for name in names if name.endswith("(deleted)") and str(self._folder) in name]
            assert removed == []
            paths = [self.service.home / name for name in DATABASES]
            assert all(str(path) in names for path in paths), names
            # A connection locks the database for good when it opens the log, with its first transaction.
            used = [path for path in paths if f"{path}-wal" in names]
            assert len(used) >= 2, names
            unlocked = [path.name for path in used if not holds_shared_lock(worker, path)]
            assert unlocked == [], f"a worker has no lock on {unlocked}"

    def check_content(self) -> None:
        """Assert that everything acknowledged is stored, for the service as for commands."""
        page = self.service.graphql(ALL)["data"]["Employee___getPage"]
        assert self.done.objects <= {item["email"] for item in page["items"]}
        headers = {"Authorization": basic("admin", PASSWORD)}
        listed = self.service.request("GET", "/auth/administration/members", headers=headers).json()
        assert self.done.members <= {member["username"] for member in listed}
        assert self.done.members <= {line.split()[0] for line in self.command("members", "list").splitlines()}

    def check_records(self) -> None:
        """Assert that the attempts and the requests for mails since the last start are stored."""
        assert self.count("attempts.db", "attempts") >= self.done.failures
        assert self.count("mail-queue.db", "requests") >= self.done.mails
        self.done.failures = self.done.mails = 0

    def count(self, database: str, rows: str) -> int:
        with closing(sqlite3.connect(self.service.home / database)) as connection:
            (number,) = connection.execute(f"SELECT count(*) FROM {rows}").fetchone()
            return int(number)

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _post(self, path: str, body: Mapping[str, Any], **headers: str) -> Reply:
        address = f"203.0.{self._number // 200}.{self._number % 200}"
        headers = {**JSON, "X-Forwarded-For": address, **headers}
        return self.service.request("POST", path, headers=headers, body=json.dumps(body))


def open_files(process: int) -> Sequence[str]:
    """Return the paths of the files that a process has open."""
    names = []
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            names.append(str(descriptor.readlink()))
    return names


def holds_shared_lock(process: int, path: Path) -> bool:
    inode = path.stat().st_ino
    for line in LOCKS.read_text().splitlines():
        _number, kind, _mode, _access, owner, place, first, last = line.replace("->", "").split()
        is_here = int(owner) == process and int(place.rpartition(":")[2]) == inode
        if kind == "POSIX" and is_here and (first, last) == tuple(map(str, SHARED_RANGE)):
            return True
    return False


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Shared]:
    shared = Shared(tmp_path)
    shared.service.start()
    yield shared
    shared.service.stop()


@pytest.mark.long
@pytest.mark.soak
def test_no_process_loses_its_locks_and_no_kill_loses_what_was_acknowledged(shared: Shared) -> None:
    shared.service.add_member("admin2")
    choice = random.Random(seed())
    for _life in range(LIVES):
        shared.check_locks()
        actions = list(shared.actions())
        choice.shuffle(actions)
        for action in actions:
            action()
            shared.check_locks()
        shared.check_content()
        shared.service.kill()
        shared.check_records()
        shared.service.start()
        shared.check_content()
