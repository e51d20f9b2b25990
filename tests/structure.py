"""Figures about the structure of the code, which `tests/test_structure.py` keeps from getting worse.

`python -m tests.structure` prints them. They are alarms and no goals: code is not merged to improve a figure.
"""

import ast
import io
import statistics
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import grimp

PACKAGES = (Path("layers/stratabase/python/stratabase"), Path("layers/stratabase/aws/stratabase_aws"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Figure(NamedTuple):
    """A figure with its name and how it is printed."""

    name: str
    value: float

    def __str__(self) -> str:
        return f"{self.name}: {self.value:,.1f}".removesuffix(".0")


class Structure:
    """The modules of the package, as text, as syntax trees and as importers of one another."""

    def __init__(self, packages: Sequence[Path] = PACKAGES, tests: Path = Path("tests")) -> None:
        files = {
            _module_name(package.parent, file): file
            for package in packages
            for file in sorted(package.rglob("*.py"))
        }
        self._names = [package.name for package in packages]
        self._texts = {name: file.read_text() for name, file in files.items()}
        self._packages = {name for name, file in files.items() if file.name == "__init__.py"}
        self._tests = {file.stem.removeprefix("test_") for file in tests.rglob("test_*.py")}

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        """The syntax tree of each module, by its dotted name."""
        return {name: ast.parse(text) for name, text in self._texts.items()}

    def trees_with(self, text: str) -> Mapping[str, ast.Module]:
        """Return the syntax tree of each module that has a text, by its dotted name."""
        return {name: ast.parse(module) for name, module in self._texts.items() if text in module}

    @cached_property
    def lines(self) -> Mapping[str, int]:
        """How many lines each module has, by its dotted name."""
        return {name: len(text.splitlines()) for name, text in self._texts.items()}

    @cached_property
    def importers(self) -> Mapping[str, set[str]]:
        """The modules that import each module, by the dotted name of the imported one."""
        graph = grimp.build_graph(*self._names, cache_dir=None)
        return {name: graph.find_modules_that_directly_import(name) for name in self._texts}

    def only_one_sibling_imports(self) -> list[str]:
        """Return the modules that nothing but one module of the same package imports."""
        return [
            name
            for name in self._texts
            if name not in self._packages
            and len(self.importers[name]) == 1
            and _parent(next(iter(self.importers[name]))) == _parent(name)
            and not self.importers[name] & self._packages
        ]

    def ambiguous_names(self) -> list[str]:
        """Return the public names that more than one module defines at its top level."""
        names = Counter(name for tree in self.trees.values() for name in set(_public_names(tree)))
        return sorted(name for name, count in names.items() if count > 1)

    def tested_by_name(self) -> list[str]:
        """Return the modules that have a test module of the same name."""
        return [name for name in self._texts if name.rpartition(".")[2] in self._tests]

    def figures(self) -> Iterator[Figure]:
        """Return all figures that are read from the files."""
        bodies = [_body_lines(function) for tree in self.trees.values() for function in _functions(tree)]
        total = sum(self.lines.values())
        comments = sum(_count_comments(text) for text in self._texts.values())
        yield Figure("files", len(self._texts))
        yield Figure("lines", total)
        yield Figure("lines per file, mean", total / len(self._texts))
        yield Figure("lines per file, median", statistics.median(self.lines.values()))
        yield Figure("modules that only one sibling imports", len(self.only_one_sibling_imports()))
        yield Figure("lines of a function's body, median", statistics.median(bodies))
        yield Figure("functions of one line, %", 100 * bodies.count(1) / len(bodies))
        yield Figure("comments per 100 lines", 100 * comments / total)
        yield Figure(
            "modules with a test of the same name, %", 100 * len(self.tested_by_name()) / len(self._texts)
        )
        yield Figure("public names that several modules define", len(self.ambiguous_names()))


def _module_name(root: Path, file: Path) -> str:
    return ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _parent(module: str) -> str:
    return module.rpartition(".")[0]


def _public_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        names: Iterable[str] = ()
        if isinstance(node, ast.ClassDef | Function):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names = [node.target.id]
        yield from (name for name in names if not name.startswith("_"))


def _functions(tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def _body_lines(function: Function) -> int:
    """Return how many lines a function has below its signature and its docstring."""
    body = function.body
    if ast.get_docstring(function) is not None and len(body) > 1:
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def _count_comments(text: str) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(1 for token in tokens if token.type == tokenize.COMMENT and "noqa" not in token.string)


if __name__ == "__main__":
    print(*Structure().figures(), sep="\n")  # noqa: T201
