"""Every page of the documentation of this version can be read, and all of its links lead somewhere."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from stratabase.server.documentation.endpoints import DOCUMENTATION_PATH
from stratabase.server.documentation.pages import PAGE_LIST, BuiltPages, Documentation, documentation
from stratabase.server.documentation.source_pages import SourcePages
from tests.repository import ROOT
from tests.rows import each_row

SOURCE = SourcePages(ROOT)
DOCUMENTATION = documentation()
NAMES = [PAGE_LIST, *SOURCE.files]


class Elements(HTMLParser):
    """The ids, links, attributes and text of a page, but no code."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.open: list[str] = []
        page = DOCUMENTATION.find(name)
        assert page is not None
        self.feed(page.content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not (tag == "a" and "a" in self.open)
        if tag not in ("meta", "link", "br", "hr", "img"):
            self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href" and tag == "a"]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" not in self.open:
            self.texts.append(data)


def address(name: str) -> str:
    return f"{DOCUMENTATION_PATH}/{name}" if name else DOCUMENTATION_PATH


@cache
def pages() -> dict[str, Elements]:
    """Return what each page has, by its address."""
    return {address(name): Elements(name) for name in NAMES}


@each_row("here", [*map(address, NAMES)])
def test_every_link_leads_to_a_page_and_a_heading_of_it(here: str) -> None:
    page = pages()[here]
    internal = [urlsplit(urljoin(here, link)) for link in page.links if not urlsplit(link).scheme]
    assert len(internal) >= len(NAMES)
    missing = [
        parts.geturl()
        for parts in internal
        if parts.path != "/"
        and (parts.path not in pages() or (parts.fragment and parts.fragment not in pages()[parts.path].ids))
    ]
    assert missing == []
    assert {urlsplit(link).scheme for link in page.links} <= {"", "http", "https"}


@each_row("here", [*map(address, NAMES)])
def test_a_page_is_complete_html_without_style_attributes(here: str) -> None:
    page = pages()[here]
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.attributes.isdisjoint({"style", "onclick", "onload"})
    assert "<!--" not in "".join(page.texts)


def test_every_file_for_users_is_a_page() -> None:
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")}
    assert {*SOURCE.files.values()} == {"README.md", *files, "CHANGELOG.md"}


def test_the_list_names_every_page_and_what_it_is_for() -> None:
    page = DOCUMENTATION.find(PAGE_LIST)
    assert page is not None
    shown = page.content.decode()
    assert (
        '<a href="documentation/csv">CSV files</a>: import objects from CSV files, and export them' in shown
    )
    assert all(f'<li><a href="documentation/{name}">' in shown for name in SOURCE.files)


def test_a_page_has_its_title_and_its_sections() -> None:
    page = DOCUMENTATION.find("csv")
    assert page is not None
    shown = page.content.decode()
    assert "<title>CSV files · Stratabase " in shown
    assert '<a href="csv" aria-current="page">CSV files</a>\n<ul>\n<li><a href="#' in shown


def test_a_page_that_readme_does_not_link_is_listed_too(tmp_path: Path) -> None:
    (tmp_path / "docs" / "decisions").mkdir(parents=True)
    for name, text in {
        "README.md": "# Start\n[b](docs/b.md)",
        "CHANGELOG.md": "# Changes",
        "docs/a.md": "# A & B\n[x](../layers/x.py) [secret](../../secret.md)",
        "docs/b.md": "<!-- Generated -->\n\n# B",
        "docs/decisions/c.md": "# C",
    }.items():
        (tmp_path / name).write_text(text)
    source = SourcePages(tmp_path)

    assert list(source.files) == ["readme", "b", "a", "changelog"]
    page = source.render("a")
    assert page is not None
    assert b"<title>A &amp; B " in page
    assert b"x <code>layers/x.py</code>" in page
    assert b'<a href="b">B</a>' in page


def test_a_page_is_rendered_once() -> None:
    assert DOCUMENTATION.find("model") is DOCUMENTATION.find("model")


@pytest.mark.parametrize("name", ["nothing", "README.md", "../README", "decisions", "template.yaml", "."])
def test_nothing_but_pages_can_be_read(name: str, built: Documentation) -> None:
    assert DOCUMENTATION.find(name) is None
    assert built.find(name) is None


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Documentation:
    """The documentation of files, as in a wheel."""
    folder = tmp_path_factory.mktemp("built")
    SOURCE.write(folder)
    return Documentation(BuiltPages(folder).read)


@each_row("name", NAMES)
def test_the_files_of_a_wheel_are_the_pages_of_the_source(name: str, built: Documentation) -> None:
    assert built.find(name) == DOCUMENTATION.find(name)
