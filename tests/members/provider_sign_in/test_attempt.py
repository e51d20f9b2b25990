"""The cookies of attempts to sign in with a provider."""

import base64
import hashlib
from dataclasses import asdict, replace

import pytest

from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.http.base.messages import Request
from stratabase.members.provider_sign_in.attempt import (
    ATTEMPT_LIFETIME,
    MAX_ATTEMPTS,
    AttemptCookies,
    SignInAttempt,
    SignInRequest,
    is_challenge,
    new_attempt,
    require_secure,
    s256,
)
from stratabase.members.provider_sign_in.sealed import Seal
from tests.fakes import NOON
from tests.members.provider_sign_in.test_sealed import keys

HTTPS, LOCAL = "https://api.example.com", "http://127.0.0.1:8000"
ASKED = SignInRequest("google", "https://app.example.com/signed-in", "c" * 43)
COOKIES = AttemptCookies(Seal(keys("one"), "attempt"))


def asked(*cookies: str, base_url: str = HTTPS) -> Request:
    """Return a request of a browser that keeps these cookies, in as many headers."""
    return Request("GET", "/", "/", headers={"cookie": cookies}, base_url=base_url)


def kept(set_cookie: str) -> str:
    """Return the name and the value of a cookie, which a browser sends back."""
    return set_cookie.partition(";")[0]


def started(base_url: str = HTTPS, now: int = NOON) -> tuple[SignInAttempt, str]:
    attempt = new_attempt(ASKED, now)
    return attempt, COOKIES.write(attempt, base_url)


def test_an_attempt_has_secrets_of_its_own() -> None:
    one, two = new_attempt(ASKED, NOON), new_attempt(ASKED, NOON)
    secrets = [*(getattr(each, name) for each in (one, two) for name in ("state", "nonce", "verifier"))]
    assert len(set(secrets)) == 6
    assert all(map(is_challenge, secrets)), "32 bytes each"
    assert one.until == NOON + ATTEMPT_LIFETIME
    assert (one.provider, one.return_to, one.challenge, one.links, one.max_age) == (*ASKED[:3], False, None)


def test_the_browser_gives_an_attempt_back() -> None:
    attempt, cookie = started()
    read = COOKIES.read(asked(f"a=b; {kept(cookie)}", "c=d"), attempt.state, NOON)
    assert read == attempt
    linking = replace(attempt, links=True, max_age=600)
    cookie = COOKIES.write(linking, HTTPS)
    assert COOKIES.read(asked(kept(cookie)), attempt.state, NOON) == linking


def test_an_attempt_of_another_version_is_over() -> None:
    """During an upgrade, two versions serve, and one can have sealed what the other one reads."""
    attempt, cookie = started()
    name = kept(cookie).partition("=")[0]
    seal, content = Seal(keys("one"), "attempt"), asdict(attempt)
    older = {each: content[each] for each in content if each != "verifier"}
    for other in ({**content, "new": 1}, older):
        request = asked(f"{name}={seal.close(other, name)}")
        assert COOKIES.read(request, attempt.state, NOON) is None
        assert [*COOKIES.delete_surplus(request)] == []


def test_the_cookie_is_as_private_as_browsers_can_make_it() -> None:
    attempt, cookie = started()
    name, *attributes = cookie.split("; ")
    assert name.startswith(f"__Host-stratabase-signin-{attempt.state[:16]}=")
    assert attributes == ["Max-Age=600", "Path=/", "HttpOnly", "SameSite=Lax", "Secure"]
    assert len(cookie) < 4096
    for secret in (attempt.nonce, attempt.verifier, attempt.state, attempt.return_to):
        assert secret not in cookie


def test_on_this_machine_the_cookie_has_another_name() -> None:
    attempt, cookie = started(LOCAL)
    assert cookie.startswith("stratabase-signin-")
    assert "Secure" not in cookie
    assert COOKIES.read(asked(kept(cookie), base_url=LOCAL), attempt.state, NOON) == attempt
    assert COOKIES.read(asked(kept(cookie)), attempt.state, NOON) is None, "with HTTPS, it counts for nothing"


def test_an_attempt_ends_after_ten_minutes() -> None:
    attempt, cookie = started()
    last = NOON + ATTEMPT_LIFETIME - 1
    assert COOKIES.read(asked(kept(cookie)), attempt.state, last) == attempt
    assert COOKIES.read(asked(kept(cookie)), attempt.state, last + 1) is None


def test_two_tabs_do_not_meet() -> None:
    (one, first), (two, second) = started(), started()
    both = asked(f"{kept(first)}; {kept(second)}")
    assert COOKIES.read(both, one.state, NOON) == one
    assert COOKIES.read(both, two.state, NOON) == two
    assert kept(COOKIES.delete(both, one.state)) == f"{kept(first).partition('=')[0]}="
    assert "Max-Age=0" in COOKIES.delete(both, one.state)


def test_a_state_without_its_cookie_is_nothing() -> None:
    attempt, cookie = started()
    _another, others = started()
    assert COOKIES.read(asked(), attempt.state, NOON) is None
    assert COOKIES.read(asked(kept(others)), attempt.state, NOON) is None
    name, value = kept(cookie).partition("=")[0], kept(others).partition("=")[2]
    assert COOKIES.read(asked(f"{name}={value}"), attempt.state, NOON) is None, "it is sealed for its name"
    same_name = attempt.state[:16] + "A" * 27
    assert COOKIES.read(asked(kept(cookie)), same_name, NOON) is None


@pytest.mark.parametrize("state", ["", "x", "a\r\nSet-Cookie: b=c", "ä" * 43, ";" * 43, "a" * 5000])
def test_a_foreign_state_gets_into_no_header(state: str) -> None:
    assert COOKIES.read(asked("a=b"), state, NOON) is None
    assert kept(COOKIES.delete(asked(), state)) == "__Host-stratabase-signin-unknown="


def test_the_oldest_attempts_make_room() -> None:
    begun = [started(now=NOON + number) for number in range(MAX_ATTEMPTS + 1)]
    names = [kept(cookie).partition("=")[0] for _attempt, cookie in begun]
    full = asked("; ".join(kept(cookie) for _attempt, cookie in reversed(begun)))
    assert [kept(each).partition("=")[0] for each in COOKIES.delete_surplus(full)] == names[:2]
    some = asked("; ".join(kept(cookie) for _attempt, cookie in begun[: MAX_ATTEMPTS - 1]))
    assert [*COOKIES.delete_surplus(some)] == []
    unreadable = "__Host-stratabase-signin-x=y"
    with_strangers = asked("; ".join([*(kept(cookie) for _attempt, cookie in begun[1:]), unreadable, "a=b"]))
    removed = [kept(each).partition("=")[0] for each in COOKIES.delete_surplus(with_strangers)]
    assert removed == ["__Host-stratabase-signin-x", names[1]]


def test_a_challenge_is_that_of_its_verifier() -> None:
    """The values are those of RFC 7636, appendix B."""
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert s256(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    digest = hashlib.sha256(b"\xc3\xa4").digest()
    assert s256("ä") == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert s256("\ud800") != s256("")


def test_plain_http_works_on_this_machine_only() -> None:
    for base_url in (HTTPS, LOCAL, "http://localhost:8000", "http://[::1]:8000"):
        require_secure(base_url)
    for base_url in ("http://api.example.com", "http://127.0.0.1.example.com", "http://192.168.1.2:8000"):
        with pytest.raises(Forbidden, match="HTTPS"):
            require_secure(base_url)
