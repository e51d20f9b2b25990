"""Explains a failed import by a package whose version Stratabase can't use."""

import re
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version

from stratabase.terminal.command_error import CommandError

_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[^]]*])?\s*\(?([^;)]*)")
"""A package with its bounds in the metadata of another one."""
_AT_LEAST = re.compile(r">=\s*([\d.]+)")
_BELOW = re.compile(r"<\s*([\d.]+)")
_NUMBER = re.compile(r"\d+")
_SEPARATORS = re.compile(r"[-_.]+")


def wrong_package(error: Exception) -> CommandError | None:
    """Return an error that names the required and the installed version of the package that lacks something.

    None, if the error has another reason than the version of a package that Stratabase requires.
    """
    if not isinstance(error, ImportError) or not error.name:
        return None
    module = error.name.partition(".")[0]
    names = {_normalized(name) for name in packages_distributions().get(module, [module])}
    for name, bounds in _requirements():
        if name in names and not _fits(installed := _installed(name), bounds):
            if installed is None and not bounds:  # of an extra
                return CommandError(f"This needs the package {name}. Install it beside stratabase.")
            return CommandError(
                f"Stratabase needs {name} {bounds}, but this environment has {installed or 'none'}. "
                "Install Stratabase in an environment of its own."
            )
    return None


def _requirements() -> list[tuple[str, str]]:
    """Return the packages that Stratabase requires: normalized name, and bounds such as `<3.4,>=3.3.2`."""
    try:
        found = requires("stratabase") or []
    except PackageNotFoundError:  # not installed, but run from its sources
        return []
    parsed = [_REQUIREMENT.match(text) for text in found]
    return [(_normalized(each[1]), each[2].strip()) for each in parsed if each]


def _normalized(name: str) -> str:
    """Return the name of a package as indexes write it. Some packages install with `_` in their names."""
    return _SEPARATORS.sub("-", name).lower()


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _fits(installed: str | None, bounds: str) -> bool:
    """Return whether a version is within bounds that have only `>=` and `<`."""
    if installed is None:
        return False
    at_least = _AT_LEAST.findall(bounds)
    below = _BELOW.findall(bounds)
    found = _numbers(installed)
    return all(found >= _numbers(each) for each in at_least) and all(found < _numbers(each) for each in below)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBER.findall(text)[:3])
