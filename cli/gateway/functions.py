"""Loads the functions, each from its own file, as Lambda does at a cold start."""

import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from cli.fault import Fault
from cli.gateway import template
from cli.gateway.event import Event

Handler = Callable[[Event, Any], Any]


class Function(NamedTuple):
    """A function that is ready to be called."""

    declared: template.Function
    handler: Handler


class _UncachedLoader(SourceFileLoader):
    """Compiles a file each time: a cache is judged by size and whole seconds, so it can miss an edit."""

    def get_code(self, fullname: str) -> CodeType | None:
        return self.source_to_code(self.get_data(self.get_filename(fullname)), self.path)


def load(declared: template.Function) -> Function:
    """Import a function's file, and let out what the import raises. Fault: there is no file or no handler."""
    handler = getattr(_module(declared), declared.entry, None)
    if not callable(handler):
        raise Fault(f"{declared.file} lacks {declared.entry!r}, the handler that the template names.")
    return Function(declared, handler)


def _module(declared: template.Function) -> ModuleType:
    name = f"_function_{declared.name}"
    loader = _UncachedLoader(name, str(declared.file))
    spec = spec_from_file_location(name, declared.file, loader=loader)
    if spec is None or spec.loader is None or not declared.file.is_file():
        raise Fault(f"{declared.file} is not there; the template names it for {declared.name}.")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
