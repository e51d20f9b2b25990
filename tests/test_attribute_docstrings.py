"""Each attribute docstring directly follows the assignment that it describes."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from tests.repository import ROOT
from tests.rows import each_row

FOLDERS = ("layers/stratabase", "functions", "tests", "benchmarks")
DOCSTRING = re.compile(r'''[^:\n{(]\n+ *"""(?!\.)''')
"""A text that begins a line, and is not the first thing in a class or function."""


def _bodies(node: ast.Module | ast.ClassDef) -> Iterator[list[ast.stmt]]:
    """Yield the statements of a module or a class, and of the classes in it. Functions have no attributes."""
    yield node.body
    for each in node.body:
        if isinstance(each, ast.ClassDef):
            yield from _bodies(each)


def _misplaced_docstrings(tree: ast.Module) -> list[int]:
    """Return the lines of texts in the module and its classes that follow no assignment directly."""
    return [
        text.lineno
        for before, text in (pair for body in _bodies(tree) for pair in pairwise(body))
        if isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
        if not isinstance(before, ast.Assign | ast.AnnAssign) or text.lineno != (before.end_lineno or 0) + 1
    ]


def test_each_attribute_docstring_follows_its_assignment() -> None:
    texts = {file: file.read_text() for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")}
    misplaced = {
        str(file): _misplaced_docstrings(ast.parse(text))
        for file, text in texts.items()
        if DOCSTRING.search(text)
    }
    assert {file: lines for file, lines in misplaced.items() if lines} == {}


@each_row(
    ("code", "lines"), [('A = 1\n"""A."""', []), ('A = 1\n\n"""A."""', [3]), ('def f(): ...\n"""F."""', [2])]
)
def test_a_misplaced_docstring_is_found(code: str, lines: list[int]) -> None:
    assert _misplaced_docstrings(ast.parse(code)) == lines
