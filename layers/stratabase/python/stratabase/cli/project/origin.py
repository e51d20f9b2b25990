"""Where this installation of Stratabase came from, so that a new project installs the same packages."""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from stratabase import __version__
from stratabase.terminal.command_error import CommandError

_PACKAGE, _AWS_PACKAGE = "stratabase", "stratabase-aws"


class PackageOrigin(NamedTuple):
    """What installs a package again."""

    name: str
    requirement: str
    """The requirement in the format of PEP 508, such as `stratabase==0.1.0`."""
    wheel: Path | None = None
    """The wheel on this machine, if the package was installed from one."""


def find_origins(*, aws: bool) -> Sequence[PackageOrigin]:
    """Return the origins of the packages that a project needs, as the installer recorded them (PEP 610).

    Raises CommandError if a package is not installed, or its wheel does not exist any more.
    """
    return [_find_origin(name) for name in ((_PACKAGE, _AWS_PACKAGE) if aws else (_PACKAGE,))]


def _find_origin(name: str) -> PackageOrigin:
    try:
        recorded = distribution(name).read_text("direct_url.json")
    except PackageNotFoundError as error:
        raise CommandError(
            f"A project on AWS needs the package {name}. Install it beside {_PACKAGE}."
        ) from error
    return (
        parse_origin(name, json.loads(recorded))
        if recorded
        else PackageOrigin(name, f"{name}=={__version__}")
    )


def parse_origin(name: str, recorded: Mapping[str, Any]) -> PackageOrigin:
    """Return the origin of a package by its direct_url.json. Raises CommandError if its wheel is missing."""
    url = str(recorded["url"])
    vcs = recorded.get("vcs_info")
    if vcs is not None:
        folder = f"#subdirectory={recorded['subdirectory']}" if "subdirectory" in recorded else ""
        return PackageOrigin(name, f"{name} @ {vcs['vcs']}+{url}@{vcs['commit_id']}{folder}")
    if "archive_info" not in recorded or urlsplit(url).scheme != "file":
        return PackageOrigin(name, f"{name} @ {url}")
    wheel = Path(url2pathname(urlsplit(url).path))
    if not wheel.is_file():
        raise CommandError(
            f"Stratabase was installed from {wheel}, which does not exist any more. The new project needs "
            "the wheel. Put it back, or install Stratabase again."
        )
    return PackageOrigin(name, f"{name}=={__version__}", wheel)
