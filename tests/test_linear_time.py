"""Regular expressions on texts of clients and models run in linear time."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile_texts import PLACES
from tests.repository import ROOT

MADE_IN_FUNCTIONS = {
    ("date_pattern.py", "of"): "of fields of ours and escaped text; a text fits in at most MOST_WAYS ways",
    ("routes.py", "__init__"): "of the template's paths",
    ("cells.py", "__init__"): "of separators that are escaped; no quantifier gives back what it took",
    ("errors.py", "_source_index"): "three quotes",
    ("wording.py", "shorten"): "one character",
    ("template_parameters.py", "_matches"): "of the parameters of the template of a project",
}
"""Where a regular expression is made or found when the program runs, and of what."""


@pytest.mark.soak
def test_every_validation_of_a_malicious_text_takes_linear_time() -> None:
    """The texts have up to a million characters, or some thousands if their length is limited."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile_texts"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    read = done.stdout.splitlines()
    busy = next((name for name in PLACES if name not in read), None)
    assert busy is None, f"{busy} has no end\n{done.stderr}"


def _expressions_in_functions(source: Path) -> Iterator[tuple[str, str]]:
    """Yield the functions of a file that call something of the module `re`."""
    text = source.read_text(encoding="utf-8")
    for function in ast.walk(ast.parse(text)) if "re." in text else ():
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="re"))):
                        yield source.name, function.name
                    case _:
                        pass


def test_only_constant_patterns_are_compiled_by_re() -> None:
    """Patterns of models and clients are compiled by RE2 (stratabase.values.formats.regex)."""
    found = {
        place
        for source in ROOT.glob("layers/stratabase/*/*/**/*.py")
        for place in _expressions_in_functions(source)
    }
    # `re.escape` of names makes no expression by itself.
    assert found - {("date_field.py", "named"), ("routes.py", "_path_expression")} == set(MADE_IN_FUNCTIONS)
