"""Markdown becomes HTML that needs neither scripts nor style attributes."""

import re

from stratabase.server.documentation.source_pages import Link, linked_rows, render_markdown
from tests.rows import each_row


def html(text: str) -> str:
    return render_markdown(text, Link).html


def test_headings_have_unique_anchors() -> None:
    rendered = render_markdown("# One\n## `a_b`, and c\n### Same\n## Same\n## Same", Link)

    found = [(each.level, each.anchor) for each in rendered.headings]
    assert found == [(1, "one"), (2, "a_b-and-c"), (3, "same"), (2, "same-1"), (2, "same-2")]
    assert rendered.headings[1].html == "<code>a_b</code>, and c"
    assert '<h2 id="same-2">Same <a class="anchor" href="#same-2"' in rendered.html


def test_tags_are_text() -> None:
    assert html("<b>bold</b>\n\n<script>alert()</script>") == (
        "<p>&lt;b&gt;bold&lt;/b&gt;</p>\n<p>&lt;script&gt;alert()&lt;/script&gt;</p>\n"
    )


def test_comments_are_left_out() -> None:
    text = "<!-- Generated\nby x -->\n\n# One\n\n<!-- y -->\n```html\n<!-- z -->\n```"
    assert re.findall("&lt;!-- .", html(text)) == ["&lt;!-- z"]


def test_a_link_never_runs_a_script() -> None:
    assert "<a" not in html("[now](javascript:alert())")


def test_tables_are_aligned_by_classes() -> None:
    table = html("| a | b |\n|---|--:|\n| 1 | 2 |")
    assert table.startswith('<div class="table"><table>')
    assert '<td class="right">2</td>' in table
    assert "style" not in table


def test_code_is_shown_as_written() -> None:
    assert html("```graphql\n{ a(b: 1 < 2) }\n```") == (
        '<pre><code class="language-graphql">{ a(b: 1 &lt; 2) }\n</code></pre>\n'
    )


@each_row(
    ("text", "shown"),
    [
        ("[why](x.md)", '<span class="file">why <code>docs/x.md</code></span>'),
        ("[`docs/x.md`](x.md)", '<span class="file"><code>docs/x.md</code></span>'),
    ],
)
def test_a_file_that_cannot_be_opened_is_named_by_its_path(text: str, shown: str) -> None:
    assert render_markdown(text, lambda _: Link(file="docs/x.md")).html == f"<p>{shown}</p>\n"


def test_rows_of_a_table_say_what_a_link_is_for() -> None:
    text = "[A](a.md)\n\n| To | Read |\n|---|---|\n| do *b* | [B](b.md) |\n| do a | [A](a.md) |\n\n[C](c.md)"
    assert linked_rows(text) == {"a.md": "do a", "b.md": "do *b*", "c.md": ""}


def test_an_image_is_shown_from_the_url_that_its_source_has() -> None:
    text = "![A list of <b>pets</b>](images/pets.webp)"
    shown = render_markdown(text, Link, lambda source: f"data:{source}").html
    assert shown == '<p><img src="data:images/pets.webp" alt="A list of &lt;b&gt;pets&lt;/b&gt;" /></p>\n'
