"""Only SQLite opens database files, because closing a descriptor of one ends the process's locks on it.

While tests run, `tests.database_watch` also finds code in other modules that opens a file which is in use.
"""

import ast
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.structure import Structure

OPENING = {"open", "fdopen", "FileIO", "read_bytes", "read_text", "write_bytes", "write_text", "touch"}
"""The names of functions that open a file."""
COPYING = {f"shutil.{name}" for name in ("copy", "copy2", "copyfile", "move")}
"""The functions that open a file to copy it."""
CREATING = {
    "stratabase.core.store.sqlite.file._create",
    "stratabase.core.store.sqlite.snapshot.copy_database",
}
"""The functions that create a database file, which no connection has open yet."""
CONNECTING = {
    "stratabase.core.store.sqlite.vacuum.vacuum",
    "stratabase.core.store.sqlite.file._open",
    "stratabase.core.store.sqlite.snapshot.copy_database",
    "stratabase.transfer.checking.ExportCheck",
}
"""The functions and classes that connect to a database file. All others use them."""


class Call(NamedTuple):
    """A call in a module: its place, which is a function or a class, and what it calls."""

    place: str
    function: ast.Name | ast.Attribute

    @property
    def name(self) -> str:
        """The name of the called function or method."""
        return self.function.attr if isinstance(self.function, ast.Attribute) else self.function.id


@pytest.fixture(scope="module")
def modules() -> Mapping[str, ast.Module]:
    """The modules that use SQLite, by their dotted names."""
    return Structure().trees_with("import sqlite3")


def calls(name: str, tree: ast.Module) -> Iterator[Call]:
    for definition in tree.body:
        place = f"{name}.{getattr(definition, 'name', '')}"
        for node in ast.walk(definition):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                yield Call(place, node.func)


def test_code_that_uses_sqlite_opens_no_files_by_itself(modules: Mapping[str, ast.Module]) -> None:
    found = {
        call.place
        for name, tree in modules.items()
        for call in calls(name, tree)
        if call.name in OPENING or ast.unparse(call.function) in COPYING
    }
    assert found <= CREATING


def test_sqlite_is_imported_as_a_module_so_that_these_tests_find_its_uses() -> None:
    for name, tree in Structure().trees_with("sqlite3").items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.module != "sqlite3", name
            elif isinstance(node, ast.Import) and node.names[0].name == "sqlite3":
                assert node.names[0].asname is None, name
                assert node in tree.body, name


def test_few_functions_connect_to_a_file(modules: Mapping[str, ast.Module]) -> None:
    found = {
        call.place
        for name, tree in modules.items()
        for call in calls(name, tree)
        if call.name == "connect" and ast.unparse(call.function) == "sqlite3.connect"
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
