"""The source of the password page, as browsers, screen readers and attackers see it."""

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.http.base.messages import Response
from stratabase.core.http.pages import page
from stratabase.core.http.pages.notices import (
    Notice,
    Notices,
    confirmation_notices,
    notice_page,
    password_notices,
)
from stratabase.members.member import Member
from stratabase.members.pages.confirm_email import confirmation_page
from stratabase.members.pages.forgot_password import MISSING_NAME, forgot_form, sent_notice
from stratabase.members.pages.set_password import FormError, FormMistake, FormState, PasswordForm
from stratabase.members.password import Weakness
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages.message import LANGUAGES
from tests.rows import each_row

FORM = PasswordForm("Hr", 12)
TOKEN = "m1." + "A" * 43
MISTAKES: tuple[tuple[FormMistake, ...], ...] = (
    (),
    *((weakness,) for weakness in Weakness),
    (Weakness.SHORT, Weakness.NAME),
    (FormError.DIFFERENT,),
    (FormError.LATER,),
)
SENT = {Notice.DONE: sent_notice("Hr")}
NOTICES: tuple[Notices, ...] = (password_notices("Hr"), confirmation_notices("Hr"))
VOID = {"input", "link", "meta"}


@dataclass
class Element:
    """An element of a page, and its direct text."""

    name: str
    attributes: Mapping[str, str | None]
    inside: tuple[str, ...] = ()
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A parsed page. Its elements must be closed in order."""

    source: str
    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), "an attribute comes twice"
        element = Element(tag, dict(attrs), tuple(parent.name for parent in self.open))
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        for element in self.open[-1:]:
            element.text += data

    def all(self, name: str) -> list[Element]:
        return [element for element in self.elements if element.name == name]

    def one(self, name: str) -> Element:
        (element,) = self.all(name)
        return element

    def by_id(self, id_: str) -> Element:
        (element,) = [element for element in self.elements if element.attributes.get("id") == id_]
        return element


def form(
    language: str = "en",
    username: str = "anna",
    mistakes: tuple[FormMistake, ...] = (),
    application: str = "Hr",
) -> Response:
    return PasswordForm(application, 12)(FormState(language, TOKEN, username, mistakes))


def button(
    language: str = "en",
    username: str = "anna",
    application: str = "Hr",
    email: str = "anna@new.example",
) -> Response:
    """Return the page on which an e-mail address is confirmed."""
    formats = Formats(language=language)
    member = Member("m1", username, "anna@example.com", "Clerk", formats=formats, pending_email=email)
    return confirmation_page(application, TOKEN, language, member)


def responses() -> Iterator[tuple[str, Response]]:
    """Yield every page there is, with its language."""
    for language, mistakes in product(LANGUAGES, MISTAKES):
        yield language, form(language, mistakes=mistakes)
    for language in LANGUAGES:
        yield language, button(language)
    for language, notices in product(LANGUAGES, NOTICES):
        for text in notices.values():
            yield language, notice_page("Hr", language, text)


PAGES = [
    (language, Page(response.body.decode()), dict(response.headers)) for language, response in responses()
]


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_each_page_names_its_language_and_the_application() -> None:
    for language, read, headers in PAGES:
        assert read.one("html").attributes["lang"] == language == headers["Content-Language"]
        assert "Hr" in read.one("title").text
        (application,) = [each for each in read.all("span") if "h1" in each.inside]
        assert application.text == "Hr"
        assert read.one("h1").text.strip()


def test_the_content_security_policy_allows_only_the_content_of_the_page() -> None:
    for _, read, headers in PAGES:
        policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert (policy["base-uri"], policy["frame-ancestors"]) == ("'none'", "'none'")
        assert policy["form-action"] == "'self'"
        assert hashed(read.one("style").text) in policy["style-src"].split()
        assert all(hashed(script.text) in policy["script-src"].split() for script in read.all("script"))
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "http" not in headers["Content-Security-Policy"]


def test_pages_are_neither_cached_nor_sent_as_referrer() -> None:
    for _, _, headers in PAGES:
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Type"] == "text/html; charset=utf-8"


def test_no_page_references_another_site() -> None:
    for _, read, _ in PAGES:
        assert "//" not in re.sub(r"// .*", "", read.source)
        for element in read.elements:
            addresses = {
                "src",
                "href",
                "action",
                "srcset",
                "background",
                "formaction",
            } & element.attributes.keys()
            assert {element.attributes[name] for name in addresses} <= {
                "setPassword",
                "forgotPassword",
                "confirmEmail",
                "data:,",
            }
            handlers = [name for name in element.attributes if name.startswith(("on", "style"))]
            assert handlers == []


@each_row("notices_of", [password_notices, confirmation_notices])
@each_row("language", LANGUAGES)
def test_a_page_of_success_leads_to_the_application(
    language: str, notices_of: Callable[[str, str | None], Notices]
) -> None:
    url = 'https://app.example.com/?a=1&b="2"#/home'
    read = Page(notice_page("Hr", language, notices_of("Hr", url)[Notice.DONE]).body.decode())
    link = read.one("a")
    assert (link.attributes, "Hr" in link.text) == ({"href": url}, True)
    without = Page(notice_page("Hr", language, notices_of("Hr", None)[Notice.DONE]).body.decode())
    assert without.all("a") == []


def test_the_token_appears_only_in_the_form_field() -> None:
    for _, read, _ in PAGES:
        assert read.source.count(TOKEN) == len(read.all("form"))
        assert TOKEN not in read.one("title").text
    (token,) = [
        each for each in Page(form().body.decode()).all("input") if each.attributes["name"] == "token"
    ]
    assert token.attributes == {"type": "hidden", "name": "token", "value": TOKEN}


def test_every_field_has_a_label_and_its_descriptions_exist() -> None:
    for _, read, _ in PAGES:
        labelled = {label.attributes["for"] for label in read.all("label")}
        fields = [
            each for each in read.all("input") if not {"hidden"} & {*each.attributes, each.attributes["type"]}
        ]
        assert {each.attributes["id"] for each in fields} == labelled
        for element in read.elements:
            for name in ("aria-describedby", "aria-controls", "for"):
                for id_ in (element.attributes.get(name) or "").split():
                    assert read.by_id(id_)


def test_fields_have_autocomplete_hints_for_password_managers() -> None:
    fields = {each.attributes["name"]: each.attributes for each in Page(form().body.decode()).all("input")}
    assert fields["username"]["autocomplete"] == "username"
    assert fields["username"]["value"] == "anna"
    assert "hidden" in fields["username"]
    assert fields["password"]["autocomplete"] == fields["repeat"]["autocomplete"] == "new-password"
    assert {fields["password"]["type"], fields["repeat"]["type"]} == {"password"}
    # A field that cuts what is pasted would set a password that nobody knows.
    assert "maxlength" not in fields["password"]


@each_row("language", LANGUAGES)
def test_the_password_policy_is_shown_beforehand(language: str) -> None:
    read = Page(form(language).body.decode())
    result = " ".join(item.text for item in read.all("li"))
    assert "12" in result
    assert "128" in result
    assert "policy" in str(read.by_id("password").attributes["aria-describedby"])
    assert read.by_id("error").attributes["role"] == "alert"
    assert read.by_id("error").text == ""
    assert "autofocus" not in read.by_id("error").attributes


@each_row(("language", "error_title"), [("en", "Error: "), ("it", "Errore: ")])
@each_row("mistakes", MISTAKES[1:])
def test_an_error_is_shown_at_the_focused_field(
    language: str, error_title: str, mistakes: tuple[FormMistake, ...]
) -> None:
    read = Page(form(language, mistakes=mistakes).body.decode())
    error = read.by_id("error").attributes
    result = [each.text for each in read.all("p") if "div" in each.inside]
    assert len(set(result)) == len(mistakes)
    assert ("autofocus" in error, error["tabindex"]) == (True, "-1")
    assert read.one("title").text.startswith(error_title)


@each_row(
    ("mistake", "wrong"),
    [(Weakness.COMMON, ["password"]), (FormError.DIFFERENT, ["repeat"]), (FormError.LATER, [])],
)
def test_an_invalid_field_is_marked_as_invalid(mistake: FormMistake, wrong: list[str]) -> None:
    fields = Page(form(mistakes=(mistake,)).body.decode()).all("input")
    marked = [each.attributes for each in fields if each.attributes.get("aria-invalid") == "true"]
    assert [each["id"] for each in marked] == wrong
    assert all("error" in str(each["aria-describedby"]).split() for each in marked)


def test_no_field_is_marked_invalid_without_an_error() -> None:
    assert not any("aria-invalid" in each.attributes for each in Page(form().body.decode()).elements)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_username_is_shown_as_text(username: str, application: str) -> None:
    read = Page(form(username=username, application=application).body.decode())
    usual = Page(form().body.decode())
    assert [each.name for each in read.elements] == [each.name for each in usual.elements]
    assert read.one("strong").text == username
    assert [each.attributes.keys() for each in read.elements] == [
        each.attributes.keys() for each in usual.elements
    ]


@each_row("name", ["<script>alert(1)</script>", '" onfocus="alert(1)', "</style>", "$token", "&lt;"])
def test_names_are_escaped(name: str) -> None:
    read = Page(form(username=name, application=name).body.decode())
    assert read.one("strong").text == name
    (field_,) = [each for each in read.all("input") if each.attributes["name"] == "username"]
    assert field_.attributes["value"] == name
    assert len(read.all("script")) == 1


@given(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(st.characters(exclude_categories=["Cs"])),
)
def test_any_username_and_address_to_confirm_are_shown_unchanged(
    username: str, application: str, email: str
) -> None:
    read = Page(button("en", username, application, email).body.decode())
    usual = Page(button().body.decode())
    assert [each.name for each in read.elements] == [each.name for each in usual.elements]
    assert [each.text for each in read.all("strong")] == [username, email]
    assert [each.attributes for each in read.elements] == [each.attributes for each in usual.elements]


@each_row(("language", "confirm"), [("en", "Confirm address"), ("it", "Conferma l'indirizzo")])
def test_an_address_is_confirmed_by_a_button_without_script(language: str, confirm: str) -> None:
    read = Page(button(language).body.decode())
    assert (read.all("script"), len(read.all("form"))) == ([], 1)
    assert read.one("form").attributes["method"] == "post"
    assert read.one("button").attributes["type"] == "submit"
    assert read.one("button").text == confirm
    assert [each.attributes["name"] for each in read.all("input")] == ["token"]


def texts(response: Response) -> list[str]:
    """Return the texts of a page, except for names."""
    read = Page(response.body.decode())
    shown = [each.text for each in read.elements if each.name not in {"style", "script", "strong", "span"}]
    return [text.strip() for text in shown if text.strip() and text.strip() != "Account:"]


def test_every_language_translates_every_text() -> None:
    makers: list[Callable[[str], Response]] = [
        button,
        partial(forgot_form, "Hr"),
        partial(forgot_form, "Hr", error=MISSING_NAME),
        *(partial(form, mistakes=mistakes) for mistakes in MISTAKES),
        *(
            partial(lambda language, text: notice_page("Hr", language, text), text=text)
            for notices in (*NOTICES, SENT)
            for text in notices.values()
        ),
    ]
    for make in makers:
        english, italian = texts(make("en")), texts(make("it"))
        assert len(english) == len(italian)
        assert set(english).isdisjoint(italian)


def test_every_outcome_has_a_notice() -> None:
    passwords, confirmations = NOTICES
    assert confirmations.keys() == set(Notice)
    assert passwords.keys() == set(Notice) - {Notice.TAKEN}


# --- colours ---

CSS = (page.TEMPLATES / page.STYLE).read_text(encoding="utf-8")


def colours() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the colours of the light and of the dark scheme."""
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    for scheme, block in (("light", light), ("dark", dark)):
        yield scheme, dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


def luminance(colour: str) -> float:
    """Return how bright a colour is (WCAG 2.2)."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


TEXT, SHAPE = 4.5, 3.0
"""What WCAG 2.2 asks for (AA): of text, and of what else one must see."""


@each_row(("scheme", "shades"), [*colours()])
@each_row(
    ("one", "other", "least"),
    [
        ("ink", "card", TEXT),
        ("quiet", "card", TEXT),
        ("accent", "card", TEXT),
        ("on-accent", "accent", TEXT),
        ("error", "error-ground", TEXT),
        ("line", "card", SHAPE),
        ("accent", "ground", SHAPE),
        ("error", "card", SHAPE),
    ],
)
def test_colours_have_sufficient_contrast(
    scheme: str, shades: dict[str, str], one: str, other: str, least: float
) -> None:
    assert contrast(shades[one], shades[other]) >= least


def test_both_colour_schemes_define_all_colours() -> None:
    (_, light), (_, dark) = colours()
    assert light.keys() == dark.keys() == set(re.findall(r"var\(--([a-z-]+)\)", CSS))


def test_colours_are_defined_in_one_place() -> None:
    assert set(re.findall(r"#[0-9a-f]{3,8}\b", CSS)) == {
        c for _, shades in colours() for c in shades.values()
    }
