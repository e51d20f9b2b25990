"""Texts that trigger backtracking in regular expressions, each for the code that parses it.

Run as a program, it reads them all and prints the name of each place that is done.
"""

import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.headerregistry import Address
from typing import Any

from stratabase.core.domain.files.file_name import clean_file_name
from stratabase.core.domain.files.media_type import stored_media_type
from stratabase.core.domain.issues.refusals import Refusal
from stratabase.core.http.base.body import render_xml
from stratabase.core.http.base.media_type import best_match
from stratabase.core.http.base.messages import Request
from stratabase.core.http.base.strict_json import parse_exact_json
from stratabase.core.http.files.upload import read_sent_file
from stratabase.core.model.reading import InvalidModel, read_model
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.members.fields import invisible_character, stray_character
from stratabase.members.mail import Mail
from stratabase.members.mailed_link import parse_link_token
from stratabase.members.mailers.message import build_message
from stratabase.members.sign_in.json_web_tokens import InvalidSignature, open_token
from stratabase.server.http.errors import HttpError
from stratabase.server.http.routes import Routes
from stratabase.values.cel.parser import parse
from stratabase.values.cel.syntax import InvalidExpression
from stratabase.values.folding import fold_without_accents
from stratabase.values.formats.date_pattern import compile_date_pattern
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.locales import load_locale
from stratabase.values.formats.number_pattern import compile_number_pattern
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.messages import verbatim
from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.models import violations
from tests.soak import count

LONG = count(200_000, 1_000_000)
"""Characters; where a place takes fewer, it is given as many as it takes, many times."""
OFTEN = count(100, 2000)
CPU_SECONDS = 60
"""For what takes a few. Whatever takes the square of the time of its text would need more, often hours."""
_REFUSALS = (
    Refusal,
    InvalidValue,
    HttpError,
    InvalidExpression,
    InvalidModel,
    InvalidSignature,
    ValueError,
)


def _judges(type_name: str, **domain: Any) -> Callable[[str], object]:
    return lambda text: violations(type_name, text, **domain)


def _reads(type_name: str, formats: Formats = DEFAULT_FORMATS) -> Callable[[str], object]:
    return lambda text: TYPES[type_name].read(text, formats)


def _often(read: Callable[[str], object]) -> Callable[[str], object]:
    """Return a function that reads a text many times, as one request with many values does."""

    def reads(text: str) -> None:
        for _ in range(OFTEN):
            refused(read, text)

    return reads


def refused(read: Callable[[str], object], text: str) -> None:
    """Read a text. A refusal is accepted, too."""
    with suppress(*_REFUSALS):
        read(text)


_ROUTES = Routes(["/auth/members/{id}/x/{part}", "/public/{name}"])
_RUNNING = Formats("DYyMLdwFuW", "HKhkmsS")
_APART = Formats("EEEE d MMMM y G", "h:m:s.S a", language="kde_TZ")


def _upload(content_type: str, body: bytes) -> Request:
    return Request("POST", "/", "/", headers={"content-type": (content_type,)}, body=body)


def _reads_part(text: str) -> object:
    disposition = f"form-data; name=file; filename=x{text}"[:16_000]
    return read_sent_file(_upload(CONTENT_TYPE, form(*[part(disposition)] * 16)))


PLACES: Mapping[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "e-mail": (
        _judges("Text", email=True),
        ("a" * LONG, "a" * LONG + "@" + "a." * LONG, "a." * 32 + "@" + "a-" * 90 + ".", "a@" + "a-" * LONG),
    ),
    "phone": (_judges("Text", phone=True), ("0" * LONG + "x", "(" * LONG, "0-" * LONG, "+" + "0 " * LONG)),
    "partita IVA": (_judges("Text", partita_iva=True), ("0" * LONG,)),
    "codice fiscale": (_judges("Text", codice_fiscale=True), ("A" * LONG, "A" * 6 + "L" * LONG, "0" * LONG)),
    "values": (_judges("Text", values=("a",) * 1000), ("a" * LONG,)),
    "a folded text": (
        fold_without_accents,
        (
            "a" + "\u0301\u0316" * LONG,
            "a" + "\u0301" * LONG + "\u0316" * LONG,
            "\u0f73" * LONG,  # each decomposes to two marks, and isn't one itself
            "\u00e9\U0001e030" * (LONG // 10),
        ),
    ),
    "Int": (_reads("Int"), ("1" * LONG, "1" * 30 + "x")),
    "Real": (_often(_reads("Real")), ("1" * 399 + "x", "1" * 199 + "." + "1" * 200, "1" * 300 + "e" * 90)),
    "Real, long": (_reads("Real"), ("1" * LONG, "." * LONG, "1e" * LONG)),
    "Date": (_reads("Date"), ("1" * LONG, "1-" * LONG, "2020-01-01" * 100_000)),
    "Time": (_reads("Time"), ("1" * LONG, "10:00:00." + "1" * LONG)),
    "Datetime": (_reads("Datetime"), ("2020-01-01T10:00:00." + "1" * LONG, "2020-01-01T10:00+" + "0" * LONG)),
    "numbers run together": (
        _often(_reads("Datetime", _RUNNING)),
        ("1" * 22 + " " + "1" * 12 + "x", "1" * 18 + " " + "1" * 10 + "x", "1" * 199),
    ),
    "numbers apart": (
        _often(_reads("Datetime", _APART)),
        ("1" * 199, "Monday 11 January 1111 AD 11:11:11.111 xx"),
    ),
    "a date format": (_often(compile_date_pattern), ("'" * 99, "'a" * 50, "yM" * 50, "a'" * 50)),
    "a number format": (
        _often(compile_number_pattern),
        ("x" * 49 + ";" + "E" * 49 + ";", "," * 99 + "#", "#" * 49 + "." + "0" * 49 + "#", "'" * 99),
    ),
    "a language": (_often(load_locale), ("a" * LONG, "aa-" + "aaaaaaaa-" * 3 + "!")),
    "an expression": (
        _often(parse),
        (
            "a" * 4090 + "$",
            "a" * 2000 + " " * 2000 + "$",
            "(r'" + '\\"' * 2000 + "\\'",
            "'" + "\\'" * 2000,
            "1" * 4090 + "$",
            "a<" * 2000,
        ),
    ),
    "an expression, once": (parse, ("a" * LONG, "!" * 4090 + "$", "(" * 4090)),
    "a token": (
        lambda text: open_token(text, lambda _: None),
        ("a" * LONG, "a." * 4000, "a" * 8000 + "." + "a" * 99),
    ),
    "a link": (parse_link_token, ("a" * LONG, "." * LONG, "a." * 500_000)),
    "an id": (id_timestamp, ("a" * LONG,)),
    "a line of text": (stray_character, ("a" * LONG, "é" * LONG)),
    "a name": (invisible_character, ("a" * LONG, "é" * LONG)),
    "lines of text": (lambda text: stray_character(text, lines=True), ("\r\n" * LONG,)),
    "Accept": (
        lambda text: best_match(text, ("application/json",)),
        (";" * 10_000, "," * 10_000, "a/b;q=0." + "0" * 10_000, "*/*;" * 2500, '"' * 10_000),
    ),
    "JSON": (
        lambda text: parse_exact_json(text, verbatim("The body")),
        ("[" + "1" * LONG + "]", "[" + "1.1e" * 100_000 + "]", '"' + "1-" * LONG + '"'),
    ),
    "XML": (lambda text: render_xml("user", {"notes": text}), ("\x00" * LONG, "&" * LONG)),
    "a path": (
        lambda text: _ROUTES.match("GET", text),
        ("/" * LONG, "/auth/members" + "/a" * LONG, "/auth/members/" + "a" * LONG, "/public/" + "/" * LONG),
    ),
    "the media type of a file": (
        lambda text: stored_media_type(text, b""),
        (" " * LONG, "/" * LONG, "a/b;" + "=" * LONG, "a" * LONG, "a/b" + " " * LONG),
    ),
    "the beginning of a file": (
        lambda text: stored_media_type("image/svg+xml", text.encode()),
        ("<!--" * LONG, " " * LONG, "<!-- -->" + " " * LONG, "<!doctype" + " " * LONG),
    ),
    "the name of a file": (clean_file_name, ("/" * LONG, "." * LONG, "\0" * LONG, "\\" * LONG)),
    "the headers of a part": (
        _reads_part,
        ('"' + r"\"" * 8000, ';a="' * 4000, "; filename*" * 1400, ";" + " " * 16_000, ";a" + " " * 16_000),
    ),
    "the type of a form": (
        lambda text: read_sent_file(_upload(f"multipart/form-data{text}", b"")),
        (";" * LONG, ';a="' * LONG, "; boundary=" * LONG, '"' * LONG, " " * LONG),
    ),
    "the subject of a mail": (
        lambda text: build_message(Mail("a@b.it", text, ""), Address("", "a", "b.it")),
        ("=?" * 500, "=" * 1000, "\r\n" * 500),
    ),
    "a model": (
        lambda text: read_model(text, "model.graphql"),
        ('"""\n' * 3001, '""\n' + "\n" * 100_000, "a " * 100_000, "type " * 20_000, '"""' + "a" * 100_000),
    ),
}
"""What reads a text, and the texts, by the name of the place."""


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    for name, (read, texts) in PLACES.items():
        for text in texts:
            refused(read, text)
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
