"""Where a request comes from, as sessions and the audit trail record it: the IP address, and the device.

The description of a device, such as `Firefox on Linux`, is coarse. It has the family of the browser and the
system, and no versions. So it tells a person whether a device is theirs, and tells nobody much more.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from stratabase.core.http.base.messages import present_request

_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""What a browser's User-Agent contains, and the name of the browser. The first row that fits counts, because
most browsers name others, too."""
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
)
_PROGRAM = re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,31})(?:[/ (]|$)")
"""The name with which the User-Agent of a program begins, such as `curl/8.5`."""
_MAX_READ = 400
"""The number of characters of a User-Agent that are read."""


# A browser sends the same one with each request.
@lru_cache(maxsize=256)
def device_of(user_agent: str) -> str:
    """Return the description of the device that sends a User-Agent. Empty if that says nothing."""
    read = user_agent[:_MAX_READ]
    if not read.startswith("Mozilla/"):
        program = _PROGRAM.match(read)
        return program[1] if program else ""
    browser = next((name for part, name in _BROWSERS if part in read), "Browser")
    system = next((name for part, name in _SYSTEMS if part in read), "")
    return f"{browser} on {system}" if system else browser


class RequestSource(NamedTuple):
    """The IP address and the kind of device of a client. Both are empty for commands and jobs."""

    address: str = ""
    device: str = ""


def request_source() -> RequestSource:
    """Return where the request comes from that is being answered."""
    present = present_request()
    if present is None:
        return RequestSource()
    request = present.request
    return RequestSource(request.source_address, device_of(request.header("user-agent") or ""))
