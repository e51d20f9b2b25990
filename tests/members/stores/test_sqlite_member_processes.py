"""Several processes that share the members file."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from stratabase.members.member import Member
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.repository import ROOT
from tests.soak import count

pytestmark = pytest.mark.soak

TIMES = count(20, 500)


def compete(path: Path, action: str) -> list[list[int]]:
    """Let two processes do an action at once; return the turns that each of them won."""
    command = [sys.executable, "-m", "tests.members.stores.competing_process", str(path), action]
    pipe = subprocess.PIPE
    rivals = [
        subprocess.Popen([*command, str(n), str(TIMES)], cwd=ROOT, text=True, stdin=pipe, stdout=pipe)
        for n in range(2)
    ]
    for each in rivals:
        assert each.stdout
        assert each.stdout.readline() == "ready\n"
    for each in rivals:
        assert each.stdin
        each.stdin.write("go\n")
        each.stdin.flush()
    answers = [each.communicate(timeout=600)[0] for each in rivals]
    assert [each.returncode for each in rivals] == [0, 0]
    return [json.loads(answer) for answer in answers]


def test_one_of_several_processes_wins_a_username(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    won = compete(path, "add")
    assert sorted([*won[0], *won[1]]) == list(range(TIMES))
    with closing(SqliteMembers(path)) as members:
        assert len(members.roster().members) == TIMES


def test_concurrent_processes_never_remove_the_last_administrator(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    with closing(SqliteMembers(path)) as members:
        for id_ in ("0", "1"):
            members.add(Member(id_, f"boss{id_}", f"{id_}@example.com", "Boss"))
    demoted = compete(path, "demote")
    assert demoted[0] + demoted[1]


def test_concurrent_changes_of_a_member_by_processes_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "members.db"
    with closing(SqliteMembers(path)) as members:
        members.add(Member("0", "anna", "anna@example.com", "Clerk"))
        compete(path, "change_field")
        member = members.by_id("0")
    assert member is not None
    assert (member.email, member.notes) == (f"anna{TIMES - 1}@example.com", f"{TIMES - 1}")
    assert member.revision == 2 * TIMES + 1
