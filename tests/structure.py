"""Figures about the structure of the code, which `tests/test_structure.py` keeps from getting worse.

`python -m tests.structure` prints them. They are alarms and no goals: code is not merged to improve a figure.
"""

import ast
import io
import statistics
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import grimp

PACKAGES = (Path("layers/stratabase/python/stratabase"), Path("layers/stratabase/aws/stratabase_aws"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


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

    @cached_property
    def bodies(self) -> Sequence[int]:
        """How many lines the body of each function has."""
        return [_body_lines(function) for tree in self.trees.values() for function in _functions(tree)]

    @property
    def figures(self) -> Mapping[str, Callable[[], float]]:
        """All figures that are read from the files, by name: functions, because some take a second."""
        files, lines = len(self._texts), self.lines.values()
        return {
            "files": lambda: files,
            "lines": lambda: sum(lines),
            "lines per file, mean": lambda: sum(lines) / files,
            "lines per file, median": lambda: statistics.median(lines),
            "modules that only one sibling imports": lambda: len(self.only_one_sibling_imports()),
            "lines of a function's body, median": lambda: statistics.median(self.bodies),
            "functions of one line, %": lambda: 100 * self.bodies.count(1) / len(self.bodies),
            "comments per 100 lines": lambda: (
                100 * sum(map(_count_comments, self._texts.values())) / sum(lines)
            ),
            "modules with a test of the same name, %": lambda: 100 * len(self.tested_by_name()) / files,
            "public names that several modules define": lambda: len(self.ambiguous_names()),
        }


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
    for name, figure in Structure().figures.items():
        print(f"{name}: {figure():,.1f}".removesuffix(".0"))  # noqa: T201
