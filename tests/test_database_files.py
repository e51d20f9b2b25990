"""Only SQLite opens database files, because closing a descriptor of one ends the process's locks on it.

While tests run, `tests.database_watch` also finds code in other modules that opens a file which is in use.
"""

import ast
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.structure import Structure

OPENING = {"open", "fdopen", "FileIO", "read_bytes", "read_text", "write_bytes", "write_text", "touch"}
"""The names of functions that open a file."""
CREATING = {"stratabase.store.sqlite.file._create", "stratabase.store.sqlite.snapshot.copy_database"}
"""The functions that create a database file, which no connection has open yet."""
CONNECTING = {
    "stratabase.cli.backfill.drop.scrub",
    "stratabase.store.sqlite.file._open",
    "stratabase.store.sqlite.snapshot.copy_database",
    "stratabase.transfer.checking.ExportCheck",
}
"""The functions and classes that connect to a database file. All others use them."""


def calls(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield each call in a module: the function or class, the object whose method it is, and its name."""
    for definition in tree.body:
        place = getattr(definition, "name", "")
        for node in ast.walk(definition):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                function = node.func
                owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
                yield place, owner, function.attr if isinstance(function, ast.Attribute) else function.id


def test_code_that_uses_sqlite_opens_no_files_by_itself() -> None:
    for module, tree in Structure().trees.items():
        if any(isinstance(node, ast.Import) and node.names[0].name == "sqlite3" for node in tree.body):
            opening = {f"{module}.{place}" for place, _owner, name in calls(tree) if name in OPENING}
            assert opening <= CREATING


def test_few_functions_connect_to_a_file() -> None:
    found = {
        f"{module}.{place}"
        for module, tree in Structure().trees.items()
        for place, owner, name in calls(tree)
        if (owner, name) == ("sqlite3", "connect")
    }
    assert found == CONNECTING


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_opening_a_database_in_use_fails_a_test(tmp_path: Path) -> None:
    path = tmp_path / "watched.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        with pytest.raises(AssertionError, match="while SQLite uses it"):
            path.read_bytes()
    assert path.read_bytes()
