"""Parsing of REST bodies in JSON and XML, and messages of refusals."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stratabase.core.http.base import body
from stratabase.core.http.base.body import BodyFormat, render_body
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.refusals import Malformed, UnsupportedMediaType
from stratabase.core.http.base.shape import Field, Shape
from tests.rows import each_row

SHAPE = Shape(
    "user",
    {
        "username": Field("A name.", required=True, max_length=10),
        "notes": Field("A text.", nullable=True),
        "age": Field("A number.", "integer"),
        "disabled": Field("A switch.", "boolean"),
    },
)


def request(content: bytes, form: str | None = None, content_type: str | None = None) -> Request:
    query = {"format": (form,)} if form else {}
    headers = {"content-type": (content_type,)} if content_type else {}
    return Request("POST", "/x", "/x", headers=headers, query=query, body=content)


def read(content: bytes | str, form: str) -> dict[str, Any]:
    raw = content if isinstance(content, bytes) else content.encode()
    return body.read_body(request(raw, form), SHAPE)


@dataclass(frozen=True)
class Good:
    """A body, and its fields."""

    name: str
    form: str
    content: bytes | str
    fields: dict[str, Any] = field(default_factory=lambda: {"username": "anna"})


@dataclass(frozen=True)
class Bad:
    """A body, and words that its refusal must hold."""

    name: str
    form: str
    content: bytes | str
    words: str


ALL = {"username": "anna", "notes": None, "age": -7, "disabled": True}

GOOD = [
    Good("all fields", "json", '{"username": "anna", "notes": null, "age": -7, "disabled": true}', ALL),
    Good(
        "all fields",
        "xml",
        "<user><username>anna</username><notes/><age>-7</age><disabled>true</disabled></user>",
        ALL,
    ),
    Good("as few as may be", "json", '{"username":"anna"}'),
    Good("as few as may be", "xml", "<user><username>anna</username></user>"),
    Good("an empty string", "json", '{"username":""}', {"username": ""}),
    Good("an empty string", "xml", "<user><username/></user>", {"username": ""}),
    Good("ten characters, more bytes", "json", '{"username":"éééééééééé"}', {"username": "é" * 10}),
    Good("beyond the basic plane", "json", '{"username":"\\ud83d\\ude00"}', {"username": "😀"}),
    Good("beyond the basic plane", "xml", "<user><username>&#x1F600;</username></user>", {"username": "😀"}),
    Good("blanks around", "json", ' \n{"username":"anna"}\t'),
    Good("indented", "xml", '<?xml version="1.0"?>\n<user>\n  <username>anna</username>\n</user>\n'),
    Good(
        "UTF-8, and it says so",
        "xml",
        '<?xml version="1.0" encoding="utf-8" standalone="yes"?><user><username>é</username></user>',
        {"username": "é"},
    ),
    Good("a byte order mark", "xml", "\ufeff<user><username>anna</username></user>"),
    Good("CDATA", "xml", "<user><username>a<![CDATA[<&]]>b</username></user>", {"username": "a<&b"}),
    Good("the five entities", "xml", "<user><username>&lt;&amp;&gt;</username></user>", {"username": "<&>"}),
    Good("a comment", "xml", "<user><!-- she --><username>an<!-- and -->na</username></user>"),
    Good(
        "prefixes that nobody uses",
        "xml",
        '<user xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><username>anna</username></user>',
    ),
]

MANY = json.dumps(dict.fromkeys(map(str, range(1000)), 1))
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))

BAD = [
    Bad(
        "nothing",
        "json",
        "",
        "The request body is empty. Send username, notes, age, and disabled as JSON.",
    ),
    Bad("nothing", "xml", "", "as XML"),
    Bad("no JSON", "json", "username=anna", "must be a JSON object"),
    Bad("XML where JSON is wanted", "json", "<user/>", "must be a JSON object"),
    Bad("a list", "json", '[{"username": "anna"}]', "must be a JSON object, not an array"),
    Bad("null", "json", "null", "not null"),
    Bad("a missing field", "json", "{}", '"username" is required.'),
    Bad("a missing field", "xml", "<user/>", '"username" is required.'),
    Bad(
        "a field that must not be null", "json", '{"username": null}', '"username" must be a string, not null'
    ),
    Bad("a number for a string", "json", '{"username": 7}', '"username" must be a string, not a number'),
    Bad("a list for a string", "json", '{"username": ["a"]}', "not an array"),
    Bad("a string for a number", "json", '{"username": "a", "age": "7"}', '"age" must be a whole number'),
    Bad("a fraction", "json", '{"username": "a", "age": 7.5}', '"age" must be a whole number, not a number'),
    Bad("a boolean for a number", "json", '{"username": "a", "age": true}', "not a boolean"),
    Bad("a number for a boolean", "json", '{"username": "a", "disabled": 1}', "must be true or false"),
    Bad(
        "no number",
        "xml",
        "<user><username>a</username><age>&#1639;</age></user>",
        '"age" must be a whole number',
    ),
    Bad("digits without end", "xml", f"<user><age>{'7' * 5000}</age></user>", '"age" must be a whole number'),
    Bad("no boolean", "xml", "<user><username>a</username><disabled>yes</disabled></user>", "true or false"),
    Bad("an empty boolean", "xml", "<user><username>a</username><disabled/></user>", "true or false"),
    Bad("too long", "json", '{"username": "12345678901"}', "at most 10 characters, not 11"),
    Bad("too long", "xml", "<user><username>12345678901</username></user>", "at most 10 characters"),
    Bad(
        "an unknown field",
        "json",
        '{"username": "a", "id": "1"}',
        'The field "id" is not supported. Supported fields: username, notes',
    ),
    Bad(
        "an unknown field",
        "xml",
        "<user><username>a</username><id>1</id></user>",
        "Supported fields: username, notes, age, and disabled.",
    ),
    Bad("a name without end", "json", f'{{"{"x" * 1000}": 1}}', f'field "{"x" * 40}…" is not supported'),
    Bad("names without end", "json", MANY, "and 992 more are not supported"),
    Bad("all at once", "json", '{"age": "x", "y": 1}', '"username" is required. "age" must be'),
    Bad(
        "a field twice",
        "json",
        '{"username": "a", "username": "b"}',
        'The request body repeats "username". Use each field only once.',
    ),
    Bad(
        "a field twice, spelled anew",
        "json",
        '{"username": "a", "user\\u006eame": "b"}',
        'repeats "username"',
    ),
    Bad(
        "a field twice",
        "xml",
        "<user><username>a</username><username/></user>",
        "repeats the element <username>",
    ),
    Bad("half a surrogate pair", "json", '{"username": "\\ud800"}', "surrogate"),
    Bad("halves the wrong way round", "json", '{"username": "\\udc00\\ud800"}', "surrogate"),
    Bad("a surrogate in UTF-8", "json", b'{"username": "\xed\xa0\x80"}', "UTF-8"),
    Bad("a surrogate in UTF-8", "xml", b"<user><username>\xed\xa0\x80</username></user>", "UTF-8"),
    Bad(
        "a surrogate by number",
        "xml",
        "<user><username>&#xD800;</username></user>",
        "invalid character number",
    ),
    Bad("a bare control character", "json", '{"username": "\x01"}', "control character"),
    Bad("a bare control character", "xml", "<user><username>\x01</username></user>", "invalid token"),
    Bad(
        "a control character by number", "xml", "<user><username>&#1;</username></user>", "invalid character"
    ),
    Bad("NUL", "xml", "<user><username>\0</username></user>", "XML in UTF-8"),
    Bad("U+FFFF", "xml", "<user><username>\uffff</username></user>", "invalid token"),
    Bad("NaN", "json", '{"username": NaN}', "must be a JSON object"),
    Bad("a number past all", "json", f'{{"age": 1{"0" * 5000}}}', "which is out of range"),
    Bad("nested without end", "json", '{"a":' * 10_000, "nested too deeply"),
    Bad("lists without end", "json", "[" * 60_000, "nested too deeply"),
    Bad("an object too many", "json", '{"username": {"a": {"b": 1}}}', "must be a string, not an object"),
    Bad("UTF-16", "json", '{"username":"a"}'.encode("utf-16"), "UTF-8"),
    Bad("a byte order mark", "json", '\ufeff{"username":"a"}', "byte order mark"),
    Bad("Latin-1", "json", '{"username":"é"}'.encode("latin-1"), "UTF-8"),
    Bad("more after it", "json", '{"username":"a"}{}', "must be a JSON object"),
    Bad("no XML", "xml", '{"username": "anna"}', "not well-formed"),
    Bad("half of it", "xml", "<user><username>a", "no element found"),
    Bad("more after it", "xml", "<user/><user/>", "junk after document element"),
    Bad("another root", "xml", "<member/>", "must be <user>, not <member>"),
    Bad("a root of a namespace", "xml", '<user xmlns="urn:x"/>', "not <user> in a namespace"),
    Bad("a prefix", "xml", '<x:user xmlns:x="urn:x"/>', "not <user> in a namespace"),
    Bad("an attribute", "xml", '<user id="1"/>', "<user> must not have attributes"),
    Bad(
        "an attribute of a field",
        "xml",
        '<user><username lang="it"/></user>',
        "<username> must not have attributes",
    ),
    Bad("text beside the fields", "xml", "<user>anna</user>", "text outside its child elements"),
    Bad(
        "an element in a field", "xml", "<user><username><b/></username></user>", "It must contain only text."
    ),
    Bad("nested without end", "xml", "<user>" * 9_000, "It must contain only text."),
    Bad(
        "a processing instruction",
        "xml",
        "<user><?php phpinfo() ?></user>",
        "must not contain processing instructions",
    ),
    Bad(
        "a style sheet",
        "xml",
        '<?xml-stylesheet href="http://127.0.0.1/x"?><user/>',
        "must not contain processing instructions",
    ),
    Bad("a DOCTYPE", "xml", "<!DOCTYPE user><user/>", "without a DOCTYPE"),
    Bad(
        "a DTD elsewhere",
        "xml",
        '<!DOCTYPE user SYSTEM "http://127.0.0.1:9/x.dtd"><user/>',
        "without a DOCTYPE",
    ),
    Bad(
        "an entity",
        "xml",
        '<!DOCTYPE user [<!ENTITY x "anna">]><user><username>&x;</username></user>',
        "without a DOCTYPE",
    ),
    Bad(
        "a file as an entity",
        "xml",
        '<!DOCTYPE user [<!ENTITY x SYSTEM "file:///etc/hostname">]><user><username>&x;</username></user>',
        "without a DOCTYPE",
    ),
    Bad(
        "a parameter entity",
        "xml",
        '<!DOCTYPE user [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x"> %x;]><user/>',
        "without a DOCTYPE",
    ),
    Bad(
        "a billion laughs",
        "xml",
        f'<!DOCTYPE user [<!ENTITY l0 "ha">{LAUGHS}]><user><username>&l9;</username></user>',
        "without a DOCTYPE",
    ),
    Bad("an entity of HTML", "xml", "<user><username>&nbsp;</username></user>", "undefined entity"),
    Bad(
        "an inclusion",
        "xml",
        '<user xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include/></user>',
        '"username" is required.',
    ),
    Bad("UTF-16", "xml", "<user><username>a</username></user>".encode("utf-16"), "XML in UTF-8"),
    Bad("UTF-16 without a mark", "xml", "<user/>".encode("utf-16-le"), "XML in UTF-8"),
    Bad("UTF-32", "xml", "<user/>".encode("utf-32"), "XML in UTF-8"),
    Bad("UTF-7", "xml", b"+ADw-user/+AD4-", "not well-formed"),
    Bad(
        "UTF-7, and it says so",
        "xml",
        '<?xml version="1.0" encoding="UTF-7"?><user/>',
        'declaration specifies "UTF-7"',
    ),
    Bad("Latin-1, and it says so", "xml", '<?xml version="1.0" encoding="ISO-8859-1"?><user/>', "ISO-8859-1"),
    Bad("UTF-16, as it says wrongly", "xml", '<?xml version="1.0" encoding="UTF-16"?><user/>', "UTF-16"),
    Bad("no encoding at all", "xml", '<?xml version="1.0" encoding="x-nothing"?><user/>', "x-nothing"),
    Bad("Latin-1", "xml", "<user><username>é</username></user>".encode("latin-1"), "XML in UTF-8"),
]


@each_row("good", GOOD)
def test_a_valid_body_is_parsed(good: Good) -> None:
    assert read(good.content, good.form) == good.fields


@each_row("bad", BAD)
def test_an_invalid_body_is_refused_with_a_clear_message(bad: Bad) -> None:
    with pytest.raises(Malformed) as refused:
        read(bad.content, bad.form)
    assert bad.words in str(refused.value)
    assert len(str(refused.value)) < 500


@each_row(
    ("form", "content_type", "read_as"),
    [
        (None, None, "json"),
        (None, "application/json; charset=UTF-8", "json"),
        (None, "application/x-www-form-urlencoded", "json"),
        (None, "text/plain;charset=utf-8", "json"),
        ("xml", None, "xml"),
        ("xml", "text/xml", "xml"),
        ("xml", "application/octet-stream", "xml"),
    ],
)
def test_the_query_parameter_selects_the_format(
    form: str | None, content_type: str | None, read_as: str
) -> None:
    content = {"json": b'{"username":"anna"}', "xml": b"<user><username>anna</username></user>"}[read_as]
    assert body.read_body(request(content, form, content_type), SHAPE) == {"username": "anna"}


@each_row(
    ("form", "content_type", "words"),
    [
        (None, "application/xml", "must be JSON, but the Content-Type header is application/xml"),
        ("json", "TEXT/XML", "text/xml"),
        ("json", "application/soap+xml", "application/soap+xml"),
        ("xml", "application/json", "must be XML, but the Content-Type header is application/json"),
        ("xml", "application/merge-patch+json", "format=json"),
        (None, "application/json; charset=iso-8859-1", "must be in UTF-8"),
        ("xml", 'text/xml; charset="utf-16"', "must be in UTF-8"),
    ],
)
def test_a_contradicting_content_type_is_refused(form: str | None, content_type: str, words: str) -> None:
    with pytest.raises(UnsupportedMediaType) as refused:
        body.read_body(request(b"{}", form, content_type), SHAPE)
    assert words in str(refused.value)


texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cn")), max_size=10)


@given(
    username=texts,
    notes=st.none() | texts.filter(bool),
    age=st.integers(-(10**17), 10**17),
    disabled=st.booleans(),
    form=st.sampled_from(BodyFormat),
)
def test_written_bodies_are_read_back(form: BodyFormat, **fields: Any) -> None:
    content = render_body(form, SHAPE, fields)
    assert body.read_body(request(content, form.value), SHAPE) == fields


@st.composite
def damaged_bodies(draw: st.DrawFn) -> tuple[bytes, str]:
    """Return a good body of which some bytes may be others, and its form."""
    form = draw(st.sampled_from(BodyFormat))
    content = render_body(form, SHAPE, ALL)
    first = draw(st.integers(0, len(content)))
    rest = content[first + draw(st.integers(0, 3)) :]
    return content[:first] + draw(st.binary(max_size=3)) + rest, form.value


def is_read(content: bytes, form: str) -> bool:
    """Return whether a body is accepted. Accepted fields must have the right shape."""
    try:
        found = read(content, form)
    except Malformed:
        return False
    assert read(render_body(BodyFormat(form), SHAPE, found), form) == found
    assert "username" in found
    assert found.keys() - SHAPE.fields.keys() == set()
    return True


@pytest.mark.soak
def test_any_bytes_are_read_or_refused_as_malformed() -> None:
    outcomes: set[bool] = set()

    @given(st.tuples(st.binary(max_size=200), st.sampled_from(["json", "xml"])) | damaged_bodies())
    @example((b'{"username": "anna"}', "json"))
    @example((b'{"username": "anna", "other": 1}', "json"))
    def check(content_and_form: tuple[bytes, str]) -> None:
        outcomes.add(is_read(*content_and_form))

    check()
    assert outcomes == {True, False}


@pytest.mark.soak
def test_any_markup_is_read_or_refused_as_malformed() -> None:
    outcomes: set[bool] = set()

    @given(st.text("<>/&;![]CDATA?usernam \n'\"#x1-", max_size=100))
    @example("<username>anna</username>")
    @example("<username>anna</username><other>1</other>")
    def check(inner: str) -> None:
        outcomes.add(is_read(f"<user>{inner}</user>".encode(), "xml"))

    check()
    assert outcomes == {True, False}


def test_nothing_is_fetched_and_no_file_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    read("<user><username>anna</username></user>", "xml")  # what must be imported has been
    touched: list[object] = []
    monkeypatch.setattr("socket.socket.connect", lambda *given: touched.append(given))
    monkeypatch.setattr("builtins.open", lambda *given, **_: touched.append(given))
    for bad in BAD:
        with pytest.raises(Malformed):
            read(bad.content, bad.form)
    assert touched == []
