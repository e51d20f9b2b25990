"""The addresses to which a browser may return, and the ones that lead elsewhere."""

import pytest

from stratabase.members.provider_sign_in.return_address import (
    MAX_RETURN_ADDRESS,
    BadReturnAddress,
    ReturnAddresses,
    with_answer,
)
from tests.rows import each_row

BASE = "https://api.example.com/hr"
ALLOWED = ReturnAddresses(["https://app.example.com", "http://localhost:3000", "https://[2001:db8::1]:8443"])


@each_row(
    "address",
    [
        "https://app.example.com",
        "https://app.example.com/",
        "https://app.example.com/signed-in?next=%2Forders%3Fpage%3D2&empty=",
        "https://app.example.com:443/signed-in",
        "http://localhost:3000/signed-in",
        "https://[2001:db8::1]:8443/",
        "https://api.example.com/hr",
        "https://api.example.com/hr/public/account",
        "https://api.example.com:443/hr/public/graphiql?x=1",
        "https://api.example.com/hr?x=1",
    ],
)
def test_pages_of_front_ends_and_of_the_service_are_accepted(address: str) -> None:
    assert ALLOWED.check(address, BASE) == address


@each_row(
    "address",
    [
        "",
        "/signed-in",
        "//app.example.com/",
        "//evil.example/",
        "app.example.com",
        "https:app.example.com",
        "https:/app.example.com",
        "https:///app.example.com",
        "https://evil.example/",
        "https://app.example.com.evil.example/",
        "https://app.example.com.",
        "https://app.example.com@evil.example/",
        "https://app.example.com:443@evil.example/",
        "https://user@app.example.com/",
        "https://user:password@app.example.com/",
        "https://evil.example\\@app.example.com/",
        "https://evil.example/\\app.example.com",
        "https://app.example.com\\.evil.example/",
        "https:\\\\app.example.com/",
        "https://evil.example#@app.example.com/",
        "https://evil.example?@app.example.com/",
        "https://app.example.com/#/signed-in",
        "https://app.example.com:8443/",
        "https://app.example.com:80/",
        "https://app.example.com:/",
        "https://app.example.com:0443/",
        "https://app.example.com:44３/",  # noqa: RUF001 - the last digit is wide
        "http://app.example.com/",
        "http://localhost/",
        "https://localhost:3000/",
        "https://аpp.example.com/",  # noqa: RUF001 - the first letter is Cyrillic
        "https://app。example.com/",
        "https://app.example.com/ü",
        "https://app.example.com/\u202e",
        " https://app.example.com/",
        "https://app.example.com/ ",
        "https://app.example.com/\n",
        "https://app.example.com/\r\nSet-Cookie: a=b",
        "https://app.example.com/\t",
        "https://app.example.com\x00/",
        "HTTPS://APP.EXAMPLE.COM/",
        "javascript:alert(1)//https://app.example.com/",
        "data:text/html,https://app.example.com/",
        "https://%61pp.example.com/",
        "https://app.example.com/<script>",
        'https://app.example.com/"',
        "https://[::1]/",
        "https://api.example.com/",
        "https://api.example.com",
        "https://api.example.com/hrx",
        "https://api.example.com/other",
        "https://api.example.com/hr/../other",
        "https://api.example.com/hr/%2e%2E/other",
        "https://api.example.com/hr/.%2e/other",
        "https://api.example.com/./hr",
        "http://api.example.com/hr",
        "https://api.example.com:8443/hr",
        "https://app.example.com/?code=1",
        "https://app.example.com/?a=b&error=",
        "https://app.example.com/?%63ode=1",
        "https://app.example.com/" + "a" * MAX_RETURN_ADDRESS,
    ],
)
def test_all_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(BadReturnAddress):
        ALLOWED.check(address, BASE)


def test_that_any_page_may_call_the_service_lets_no_code_go_to_any_page() -> None:
    anybody = ReturnAddresses(["*"])
    with pytest.raises(BadReturnAddress):
        anybody.check("https://evil.example/", BASE)
    assert anybody.check(f"{BASE}/public/account", BASE)


def test_a_service_at_the_root_of_its_host_accepts_all_its_pages() -> None:
    for base in ("http://127.0.0.1:8000", "https://api.example.com"):
        assert ReturnAddresses([]).check(f"{base}/public/graphiql", base)
        assert ReturnAddresses([]).check(base, base)


def test_a_refusal_names_the_setting() -> None:
    with pytest.raises(BadReturnAddress, match="STRATABASE_ALLOWED_ORIGINS"):
        ALLOWED.check("https://evil.example/", BASE)


def test_the_answer_joins_the_query() -> None:
    assert with_answer("https://a.example/b", {"code": "1.2&3"}) == "https://a.example/b?code=1.2%263"
    assert with_answer("https://a.example/?b=c", {"error": "x"}) == "https://a.example/?b=c&error=x"
