"""The language of a response."""

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.language import negotiate_language, response_language
from stratabase.core.http.base.messages import Request
from stratabase.values.formats.preferences import Formats
from tests.rows import each_row


def request(accept_language: str | None = None) -> Request:
    headers = {} if accept_language is None else {"accept-language": (accept_language,)}
    return Request("GET", "/x", "/x", headers=headers)


@each_row(
    ("preferred", "accepted", "language"),
    [
        (["it"], "", "it"),
        (["it_IT"], "", "it"),
        (["xx"], "it", "it"),
        ([], "fr;q=0.9, it;q=0.8, en;q=0.7", "it"),
        ([], "en;q=0.1, it;q=0.2", "it"),
        ([], "it;q=0", "en"),
        ([], "*", "en"),
        ([], "it;q=nonsense", "it"),
        ([], ",,,", "en"),
        ([], None, "en"),
    ],
)
def test_the_first_accepted_and_available_language_is_chosen(
    preferred: list[str], accepted: str | None, language: str
) -> None:
    assert negotiate_language(request(accepted), preferred) == language


@each_row(
    ("own", "accepted", "language"),
    [("it", "en", "it"), ("en", "it", "en"), ("de", "it", "it"), ("de", None, "en")],
)
def test_the_language_of_the_caller_precedes_that_of_the_browser(
    own: str, accepted: str | None, language: str
) -> None:
    caller = Caller("1", "anna", "Clerk", formats=Formats(language=own))
    assert response_language(request(accepted), caller) == language


def test_the_browser_language_applies_without_a_caller() -> None:
    assert response_language(request("it-CH, en;q=0.5")) == "it"
