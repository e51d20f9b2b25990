"""Where this installation of Stratabase came from, so that a new project installs the same package."""

import json
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from stratabase import __version__
from stratabase.terminal.command_error import CommandError

_NAME = "stratabase"


class PackageOrigin(NamedTuple):
    """What installs this package again."""

    requirement: str
    """The requirement in the format of PEP 508, such as `stratabase==0.1.0`."""
    wheel: Path | None = None
    """The wheel on this machine, if the package was installed from one."""


def find_origin() -> PackageOrigin:
    """Return the origin that the installer recorded (PEP 610). Raises CommandError for a missing wheel."""
    recorded = distribution(_NAME).read_text("direct_url.json")
    return parse_origin(json.loads(recorded)) if recorded else PackageOrigin(f"{_NAME}=={__version__}")


def parse_origin(recorded: Mapping[str, Any]) -> PackageOrigin:
    """Return the origin in the content of direct_url.json. Raises CommandError if the wheel is missing."""
    url = str(recorded["url"])
    vcs = recorded.get("vcs_info")
    if vcs is not None:
        return PackageOrigin(f"{_NAME} @ {vcs['vcs']}+{url}@{vcs['commit_id']}")
    if "archive_info" not in recorded or urlsplit(url).scheme != "file":
        return PackageOrigin(f"{_NAME} @ {url}")
    wheel = Path(url2pathname(urlsplit(url).path))
    if not wheel.is_file():
        raise CommandError(
            f"Stratabase was installed from {wheel}, which does not exist any more. The new project needs "
            "the wheel. Put it back, or install Stratabase again."
        )
    return PackageOrigin(f"{_NAME}=={__version__}", wheel)
