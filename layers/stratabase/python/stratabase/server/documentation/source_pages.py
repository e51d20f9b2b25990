"""Rendering of the pages: which files they are, and what they look like."""

import base64
import html
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from posixpath import normpath
from string import Template
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from stratabase import __version__
from stratabase.server.documentation.pages import PAGE_LIST, documentation_style
from stratabase.values.frozen import frozen

_ALIGNMENT = "text-align:"
_COMMENT = re.compile(r"<!--.*-->", re.DOTALL)
_NOT_IN_ANCHORS = re.compile(r"[^\w -]")


@frozen
class Heading:
    """A heading: its level from 1 to 6, its text as HTML, and the id of its element."""

    level: int
    html: str
    anchor: str


@frozen
class RenderedMarkdown:
    """The HTML of a text, and its headings in their order."""

    html: str
    headings: tuple[Heading, ...]


@frozen
class Link:
    """Where a link leads: the value of `href`, or a file that readers can't open here, by its path."""

    href: str | None = None
    file: str = ""


def render_markdown(
    text: str, resolve: Callable[[str], Link], read_image: Callable[[str], str] = str
) -> RenderedMarkdown:
    """Return a text in Markdown as HTML. Tags in the text are shown as they are, and have no effect.

    Paragraphs that are comments are left out.

    `resolve` gets the target of each link as written, and `read_image` the source of each image. It returns
    the URL to use.
    """
    environment: dict[str, Any] = {}
    tokens = _without_comments(_MARKDOWN.parse(text, environment))
    headings = []
    taken: set[str] = set()
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.children:
            token.children = [*_with_resolved_links(token.children, resolve)]
            for child in token.children:
                if child.type == "image":
                    child.attrSet("src", read_image(str(child.attrGet("src"))))
        if token.type in {"th_open", "td_open"}:
            _align_by_class(token)
        if token.type == "heading_open" and following is not None and following.children is not None:
            anchor = _unused(heading_anchor(following.content), taken)
            token.attrSet("id", anchor)
            html = _MARKDOWN.renderer.render(following.children, _MARKDOWN.options, environment)
            headings.append(Heading(int(token.tag[1:]), html, anchor))
    return RenderedMarkdown(
        _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, environment), tuple(headings)
    )


def linked_rows(text: str) -> dict[str, str]:
    """Return each target of a link in a text, in their order, with the first cell of its row of a table.

    The cell is Markdown, and empty if the link is never in a table.
    """
    found: dict[str, str] = {}
    first_cell: str | None = ""
    for token in _MARKDOWN.parse(text):
        if token.type == "tr_open":
            first_cell = None
        elif token.type == "tr_close":
            first_cell = ""
        elif token.type == "inline":
            first_cell = token.content if first_cell is None else first_cell
            for child in token.children or ():
                if child.type == "link_open":
                    target = str(child.attrGet("href"))
                    found[target] = found.get(target) or first_cell
    return found


def heading_anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it. `heading` is Markdown."""
    return _NOT_IN_ANCHORS.sub("", heading).lower().replace(" ", "-")


def _unused(anchor: str, taken: set[str]) -> str:
    """Return an anchor, with a number if another heading has the same one."""
    number, unused = 0, anchor
    while unused in taken:
        number += 1
        unused = f"{anchor}-{number}"
    taken.add(unused)
    return unused


def _without_comments(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens without the paragraphs that consist of a comment. A paragraph has three tokens."""
    comments = {
        number + offset
        for number, token in enumerate(tokens)
        if token.type == "inline" and _COMMENT.fullmatch(token.content)
        for offset in (-1, 0, 1)
    }
    return [token for number, token in enumerate(tokens) if number not in comments]


def _with_resolved_links(tokens: Sequence[Token], resolve: Callable[[str], Link]) -> Iterator[Token]:
    """Yield the tokens of a paragraph. In place of a link to a file that can't be opened, show its path."""
    file, text = "", ""
    for token in tokens:
        if token.type == "link_open":
            link, text = resolve(str(token.attrGet("href"))), ""
            file = link.file
            if link.href is None:
                token.tag, token.attrs = "span", {"class": "file"}
            else:
                token.attrSet("href", link.href)
        elif token.type == "link_close" and file:
            token.tag = "span"
            if text != file:
                yield Token("text", "", 0, content=" ")
                yield Token("code_inline", "code", 0, content=file)
        else:
            text += token.content
        yield token


def _align_by_class(cell: Token) -> None:
    """Give a cell its alignment by a class: the security policy of the pages allows no `style` attribute."""
    style = str(cell.attrs.pop("style", ""))
    if style.startswith(_ALIGNMENT):
        cell.attrSet("class", style.removeprefix(_ALIGNMENT))


class _Renderer(RendererHTML):
    """Renders tables that scroll on narrow screens, and headings with a link to themselves."""

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        return f'<div class="table">{self.renderToken(tokens, idx, options, env)}'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        return f"{self.renderToken(tokens, idx, options, env)}</div>\n"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        # Markdown has no blocks in a heading, so it consists of three tokens.
        anchor = tokens[idx - 2].attrGet("id")
        link = f' <a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>'
        return link + self.renderToken(tokens, idx, options, env)


_MARKDOWN = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")


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
        rendered = render_markdown(
            text,
            lambda target: self._resolve(target, path, prefix),
            lambda source: self._image(source, path),
        )
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

    def _image(self, source: str, path: str) -> str:
        """Return an image of the repository that a file shows, as a URL that contains it.

        So a page needs no files beside it, and its security policy allows no images from elsewhere.
        """
        file = normpath(PurePosixPath(path).parent / source)
        content = base64.b64encode((self._folder / file).read_bytes()).decode()
        return f"data:image/{PurePosixPath(file).suffix.removeprefix('.')};base64,{content}"

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
