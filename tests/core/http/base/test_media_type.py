"""Content negotiation."""

from stratabase.core.http.base.media_type import best_match, parse_media_type
from tests.rows import each_row

OFFERED = ("application/modern+json", "application/json")


@each_row(
    ("accept", "expected"),
    [
        ("", "application/modern+json"),
        (" , ", "application/modern+json"),
        ("*/*", "application/modern+json"),
        ("application/*", "application/modern+json"),
        ("application/json", "application/json"),
        ("APPLICATION/JSON; charset=utf-8", "application/json"),
        ("application/modern+json, application/json", "application/modern+json"),
        ("application/json, application/modern+json", "application/modern+json"),
        ("application/json, application/modern+json;q=0.9", "application/json"),
        ("application/json, text/plain, */*", "application/json"),
        ("application/json;q=0.1, */*;q=0.2", "application/modern+json"),
        ("application/modern+json;q=0, */*", "application/json"),
        ("application/json;q=nan", "application/json"),
        ("text/html", None),
        ("application/json;q=0, application/modern+json;q=0.0", None),
        ("*/*;q=0", None),
    ],
)
def test_preferences_of_the_client_precede_those_of_the_server(accept: str, expected: str | None) -> None:
    assert best_match(accept, OFFERED) == expected


def test_parameters_are_parsed_without_quotes_and_case() -> None:
    media = parse_media_type('Application/JSON ; Charset="UTF-8"; odd')
    assert media == ("application/json", {"charset": "utf-8", "odd": ""})
