"""Where the request comes from that is being answered, and the coarse description of the device."""

from itertools import chain

from stratabase.core.domain.caller import Caller
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.handler import HttpHandler
from stratabase.members.request_source import RequestSource, device_of, request_source
from tests.rows import each_row

ADDRESS = "/public/here"


def test_outside_of_requests_there_is_no_source() -> None:
    assert request_source() == RequestSource("", "")


def test_the_source_of_a_request_is_its_address_and_device() -> None:
    found: list[RequestSource] = []

    def respond(request: Request, caller: Caller | None) -> Response:
        del request, caller
        found.append(request_source())
        return Response(204)

    get = Operation(respond, "here", "Notes where it was called from.", {204: ResponseSpec("Noted.")})
    handler = HttpHandler({ADDRESS: Endpoint({"GET": get})}, Authentication({}))
    headers = {"user-agent": ("Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0",)}
    for request in (
        Request("GET", ADDRESS, ADDRESS, headers=headers, source_address="192.0.2.1"),
        Request("GET", ADDRESS, ADDRESS, source_address="192.0.2.2"),
    ):
        assert handler.answer(request).status == 204
    assert found == [RequestSource("192.0.2.1", "Firefox on Linux"), RequestSource("192.0.2.2", "")]
    assert request_source() == RequestSource("", "")


_KHTML = "AppleWebKit/537.36 (KHTML, like Gecko)"
_LINUX, _WINDOWS = "(X11; Linux x86_64)", "(Windows NT 10.0; Win64; x64)"
_MAC, _IPHONE = "(Macintosh; Intel Mac OS X 10_15_7)", "(iPhone; CPU iPhone OS 18_1 like Mac OS X)"
_PIXEL = "(Linux; Android 15; Pixel 9)"

DEVICES = [
    (f"Mozilla/5.0 {_LINUX} Gecko/20100101 Firefox/131.0", "Firefox on Linux"),
    (f"Mozilla/5.0 {_WINDOWS} {_KHTML} Chrome/130.0.0.0 Safari/537.36", "Chrome on Windows"),
    (f"Mozilla/5.0 {_WINDOWS} {_KHTML} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0", "Edge on Windows"),
    (f"Mozilla/5.0 {_MAC} {_KHTML} Version/18.0 Safari/605.1.15", "Safari on macOS"),
    (f"Mozilla/5.0 {_IPHONE} {_KHTML} CriOS/130.0 Mobile/15E148 Safari/604.1", "Chrome on iPhone"),
    (f"Mozilla/5.0 {_IPHONE} {_KHTML} FxiOS/131.0 Mobile/15E148 Safari/604.1", "Firefox on iPhone"),
    (f"Mozilla/5.0 {_PIXEL} {_KHTML} Chrome/130.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
    (f"Mozilla/5.0 {_PIXEL} {_KHTML} SamsungBrowser/26.0 Chrome/122.0", "Samsung Internet on Android"),
    (f"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {_KHTML} Chrome/130.0.0.0", "Chrome on ChromeOS"),
    ("Mozilla/5.0 (compatible; Thing/1.0)", "Browser"),
    ("curl/8.5.0", "curl"),
    ("python-requests/2.32", "python-requests"),
    ("Insomnia", "Insomnia"),
    ("Apache-HttpClient/4.5 (Java/17)", "Apache-HttpClient"),
    ("", ""),
    ("<script>alert(1)</script>", ""),
    ("=cmd|' /C calc'!A0", ""),
    ("a" * 33, ""),
    ("curl\r\nX: y", ""),
    ("Änne/1", ""),
    ("\ud800", ""),
    (f"Mozilla/5.0 {'x' * 400} Firefox/131.0", "Browser"),
]


@each_row(("user_agent", "device"), DEVICES)
def test_a_device_is_the_family_of_a_browser_and_a_system_or_the_name_of_a_program(
    user_agent: str, device: str
) -> None:
    assert device_of(user_agent) == device


def test_a_description_has_no_version() -> None:
    assert not set("0123456789") & set(chain.from_iterable(device_of(each) for each, _device in DEVICES))
