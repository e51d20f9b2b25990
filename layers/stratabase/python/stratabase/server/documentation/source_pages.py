"""Rendering of the pages: which files they are, and what they look like."""

import html
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath
from posixpath import normpath
from string import Template
from urllib.parse import urlsplit

from stratabase import __version__
from stratabase.server.documentation.markdown import (
    Link,
    RenderedMarkdown,
    linked_rows,
    render_markdown,
)
from stratabase.server.documentation.pages import PAGE_LIST, documentation_style

_README, _CHANGELOG = "README.md", "CHANGELOG.md"
_FRAME = Path(__file__).parent / "frame.html"
_INTRODUCTION = f"""\
# Documentation

These pages describe Stratabase {__version__}, the version that serves them. The path of a file, such as
`docs/decisions/`, is its path in the repository of Stratabase.
"""


class SourcePages:
    """The pages, from a folder in which the files have the same paths as in the repository.

    A page has the name of its file, in lower case and without `.md`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def render(self, name: str) -> bytes | None:
        """Return a page in HTML, or None if there is no such page."""
        return self._render(name) if name == PAGE_LIST or name in self.files else None

    def write(self, folder: Path) -> None:
        """Write all pages as files, as `BuiltPages` reads them."""
        for name in (PAGE_LIST, *self.files):
            (folder / f"{name}.html").write_bytes(self._render(name))

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The path of each page in the repository, by name, in the order in which README.md links them."""
        existing = {f"docs/{file.name}" for file in self._folder.glob("docs/*.md")}
        linked = [path for path in self._descriptions if path in existing]
        return {
            PurePosixPath(path).stem.lower(): path
            for path in (_README, *linked, *sorted(existing - {*linked}), _CHANGELOG)
        }

    @cached_property
    def _descriptions(self) -> Mapping[str, str]:
        """What the pages are for, by path, in the order in which README.md links them."""
        return linked_rows(self._read(_README))

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        """The title of each page, by name."""
        return {name: self._title(path) for name, path in self.files.items()}

    @cached_property
    def _frame(self) -> Template:
        return Template(_FRAME.read_text("utf-8"))

    def _title(self, path: str) -> str:
        """Return the text of the first heading in a file, which is Markdown, or the path if it has none."""
        lines = self._read(path).splitlines()
        return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), path)

    def _read(self, path: str) -> str:
        return (self._folder / path).read_text("utf-8")

    def _render(self, name: str) -> bytes:
        path = self.files.get(name, _README)  # the links in the list are relative to the root, too
        text = self._list_text() if name == PAGE_LIST else self._read(path)
        # Relative addresses, so that the pages work behind any host name and base path.
        prefix = "documentation/" if name == PAGE_LIST else ""
        rendered = render_markdown(text, lambda target: self._resolve(target, path, prefix))
        values = {
            "title": self._titles.get(name, "Documentation"),
            "version": __version__,
            "start": "../" if name == PAGE_LIST else "../../",
            "index": "documentation" if name == PAGE_LIST else "../documentation",
        }
        return self._frame.substitute(
            {key: html.escape(value) for key, value in values.items()},
            style=documentation_style(),
            content=rendered.html,
            navigation="" if name == PAGE_LIST else self._navigation(name, rendered),
        ).encode()

    def _list_text(self) -> str:
        """Return the list of all pages as Markdown."""
        lines = [_INTRODUCTION]
        for name, path in self.files.items():
            purpose = self._descriptions.get(path)
            lines.append(f"- [{self._titles[name]}]({path})" + (f": {purpose}" if purpose else ""))
        return "\n".join(lines)

    def _resolve(self, target: str, path: str, prefix: str) -> Link:
        """Return where a link in a file leads: to a page, to another site, or to a file of the repository."""
        parts = urlsplit(target)
        if parts.scheme or parts.netloc or not parts.path:
            return Link(target)
        file = normpath(PurePosixPath(path).parent / parts.path)
        name = next((name for name, each in self.files.items() if each == file), None)
        if name is None:
            return Link(file=f"{file}/" if target.endswith("/") else file)
        return Link(prefix + name + (f"#{parts.fragment}" if parts.fragment else ""))

    def _navigation(self, current: str, rendered: RenderedMarkdown) -> str:
        """Return links to all pages, and to the sections of the current one."""
        items = []
        for name, title in self._titles.items():
            is_current, sections = "", ""
            if name == current:
                is_current = ' aria-current="page"'
                sections = "".join(
                    f'<li><a href="#{each.anchor}">{each.html}</a></li>\n'
                    for each in rendered.headings
                    if each.level == 2
                )
            nested = f"\n<ul>\n{sections}</ul>\n" if sections else ""
            items.append(f'<li><a href="{name}"{is_current}>{html.escape(title)}</a>{nested}</li>\n')
        return f'<nav aria-label="Pages">\n<ul>\n{"".join(items)}</ul>\n</nav>\n'
