"""The documentation lists everything that a user can set."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from graphql import DirectiveDefinitionNode, EnumTypeDefinitionNode, parse

from stratabase.core.model.language import language_text
from stratabase.core.settings import variables
from tests.repository import ROOT
from tests.rows import each_row

SETTINGS = ROOT / "docs" / "settings.md"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FOLDERS = ("layers", "functions", "tests", "benchmarks")
MODULE = re.compile(r"`((?:[a-z_]+/)*[a-z_0-9]+\.py)`")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")
"""A link within the repository: the path of a file, and a heading in it."""


@each_row("name", [variable.name for _, variable in variables()])
def test_the_settings_page_lists_every_setting(name: str) -> None:
    assert f"`{name}`" in SETTINGS.read_text(encoding="utf-8")


@each_row("page", PAGES)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    for target, heading in LINK.findall(page.read_text(encoding="utf-8")):
        file = page.parent / target if target else page
        assert file.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}


@each_row("page", [page for page in PAGES if page.name != "install.md"])
def test_commands_are_written_as_one_page_says(page: Path) -> None:
    """An absolute path is the choice of that page, such as a unit of systemd."""
    assert not re.search(r"(?<!/)\.venv/bin/stratabase", page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def files() -> Sequence[str]:
    found = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))
    return [f"/{file.relative_to(ROOT)}" for file in (*found, *ROOT.glob("*.py"))]


@each_row("page", PAGES)
def test_modules_that_a_page_names_exist(page: Path, files: Sequence[str]) -> None:
    for module in MODULE.findall(page.read_text(encoding="utf-8")):
        assert any(file.endswith(f"/{module}") for file in files), module


def test_the_model_page_describes_every_directive_argument_and_type() -> None:
    page = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    definitions = parse(language_text()).definitions
    directives = [each for each in definitions if isinstance(each, DirectiveDefinitionNode)]
    assert len(directives) > 10
    for directive in directives:
        assert f"@{directive.name.value}" in page
        for argument in directive.arguments or ():
            assert re.search(rf"\b{argument.name.value}\b", page), (directive.name.value, argument.name.value)
    values = [
        value.name.value
        for each in definitions
        if isinstance(each, EnumTypeDefinitionNode)
        for value in each.values or ()
    ]
    assert [value for value in values if value not in page] == []


LISTS_OF_FILES = {"constraints", "rules", "services", "types"}
"""Packages whose code lists their files, each of which is one more of the same."""


def packages() -> Iterator[Path]:
    """Yield the folder of each package that has several modules or packages."""
    for file in (ROOT / "layers").rglob("stratabase*/**/__init__.py"):
        if file.parent.name not in LISTS_OF_FILES:
            yield file.parent


def members_of(package: Path) -> Iterator[str]:
    """Yield the names of the modules and packages in a package."""
    for each in package.iterdir():
        if (each.suffix == ".py" and not each.name.startswith("__")) or (each / "__init__.py").is_file():
            yield each.stem


def test_the_docstring_of_a_package_names_each_of_its_modules() -> None:
    texts = {package: (package / "__init__.py").read_text("utf-8") for package in packages()}
    found = {package: ast.get_docstring(ast.parse(text)) for package, text in texts.items()}
    missing = [
        f"{package.relative_to(ROOT)} doesn't name {name}"
        for package, text in found.items()
        for name in members_of(package)
        if len([*members_of(package)]) > 1 and not re.search(rf"\b{name}\b", text or "")
    ]
    assert len(found) > 60
    assert missing == []


def listed_in(docstring: str) -> Iterator[str]:
    """Yield the names with which the rows of a docstring's lists and tables begin."""
    yield from re.findall(r"^(?:-|\d+\.) `(\w+)`", docstring, re.MULTILINE)
    for names in re.findall(r"^\d+\. (\w+(?:, \w+)*): ", docstring, re.MULTILINE):
        yield from names.split(", ")
    yield from (name for name in re.findall(r"^\| (\w+) \|", docstring, re.MULTILINE) if name != "package")


def test_the_lists_of_a_package_name_modules_that_it_has() -> None:
    listed = {
        package: [
            *listed_in(ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or "")
        ]
        for package in packages()
    }
    gone = [
        f"{package.relative_to(ROOT)} names {name}"
        for package, names in listed.items()
        for name in names
        if name not in members_of(package)
    ]
    assert len([name for names in listed.values() for name in names]) > 100
    assert gone == []


def test_the_makefile_names_files_of_tests_that_exist() -> None:
    words = (ROOT / "Makefile").read_text("utf-8").split()
    named = [word for word in words if word.startswith("tests/") and not set(word) & set("*$()")]
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []
