"""The addresses to which a browser may return from a provider: pages of front ends, and of the service."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, unquote, urlencode

from stratabase.core.domain.issues.refusals import Refusal
from stratabase.values.messages import Message, _

MAX_RETURN_ADDRESS = 1000
"""The maximum number of characters. A sealed cookie contains the address."""
ANSWER_PARAMETERS = frozenset({"code", "error"})
"""The parameters that the end of a sign-in adds to the query."""
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(?:\?(?P<query>[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*))?"
)
"""An absolute URL without credentials and fragment. What browsers and libraries could read differently, such
as a backslash, a blank or a letter outside of ASCII, does not match."""
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class BadReturnAddress(Refusal):
    """The address to return to is missing, malformed, or neither that of a front end nor of the service."""


class ReturnAddresses:
    """Checks addresses to return to. `origins`: those of front ends, as in STRATABASE_ALLOWED_ORIGINS."""

    def __init__(self, origins: Iterable[str]) -> None:
        # `*` lets any page call the service. Any page must not get the code that ends somebody's sign-in.
        self._origins = frozenset(_canonical(origin) for origin in origins if origin != "*")

    def check(self, address: str, base_url: str) -> str:
        """Return the address. `base_url` is the root URL of the service. Raises BadReturnAddress."""
        match = _ADDRESS.fullmatch(address) if len(address) <= MAX_RETURN_ADDRESS else None
        if match is None:
            raise BadReturnAddress(
                _(
                    'The parameter "{parameter}" must be an absolute URL of at most {limit} characters, such '
                    "as https://app.example.com/signed-in, without a fragment.",
                    parameter="returnTo",
                    limit=MAX_RETURN_ADDRESS,
                )
            )
        path = match["path"] or "/"
        if any(unquote(segment) in {".", ".."} for segment in path.split("/")):
            raise BadReturnAddress(
                _('The path in "{parameter}" must not contain dots.', parameter="returnTo")
            )
        names = {name for name, _value in parse_qsl(match["query"] or "", keep_blank_values=True)}
        if names & ANSWER_PARAMETERS:
            raise BadReturnAddress(_answers())
        if _origin(match) not in self._origins and not _is_within(match, base_url):
            raise BadReturnAddress(
                _(
                    'The page in the parameter "{parameter}" is not one of this service\'s front ends. The '
                    "setting {setting} lists their origins.",
                    parameter="returnTo",
                    setting="STRATABASE_ALLOWED_ORIGINS",
                )
            )
        return address


def with_answer(address: str, answer: Mapping[str, str]) -> str:
    """Return an address that was checked, with further parameters in its query."""
    mark = "&" if "?" in address else "?"
    return f"{address}{mark}{urlencode(answer)}"


def _answers() -> Message:
    return _(
        'The query in "{parameter}" must not contain the parameters code and error, which the end of the '
        "sign-in adds.",
        parameter="returnTo",
    )


def _origin(match: "re.Match[str]") -> str:
    scheme, port = match["scheme"], match["port"]
    suffix = f":{port}" if port and port != _DEFAULT_PORTS[scheme] else ""
    return f"{scheme}://{match['host']}{suffix}"


def _canonical(origin: str) -> str:
    match = _ADDRESS.fullmatch(origin)
    return _origin(match) if match else origin


def _is_within(match: "re.Match[str]", base_url: str) -> bool:
    """Return whether an address is one of the service itself, whose root can have a path, too."""
    base = _ADDRESS.fullmatch(base_url)
    if base is None or _origin(base) != _origin(match):
        return False
    root = (base["path"] or "").rstrip("/")
    path = match["path"] or "/"
    return path == root or path.startswith(f"{root}/")
