"""Names of a package whose modules are imported when one of them is first used (PEP 562)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_packages: dict[str, Mapping[str, str]] = {}
"""By package: its names, each with the module in the package that has it."""


def on_first_use(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package.

    `modules` has the name of a module in the package for each attribute of the package. A process that needs
    none of them, such as a Lambda function that only answers queries, starts faster.
    """
    _packages[package] = modules

    def attribute(name: str) -> Any:
        if name not in modules:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return attribute


def import_all() -> None:
    """Import all such modules now. Then an upgrade of the package doesn't reach a process that runs on."""
    for package, modules in _packages.items():
        for module in dict.fromkeys(modules.values()):
            import_module(f"{package}.{module}")
