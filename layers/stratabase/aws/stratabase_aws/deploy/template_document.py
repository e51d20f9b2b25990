"""Reads template.yaml, with the short forms of CloudFormation's intrinsic functions (`!Ref`, `!Sub` …)."""

from pathlib import Path
from typing import Any

import yaml

from stratabase.terminal.command_error import CommandError


class TemplateReference(str):
    """The name of a parameter or a resource in `!Ref`."""

    __slots__ = ()


def read_template_document(path: Path) -> dict[str, Any]:
    """Return the content of a template. Raises CommandError if it does not exist or is invalid.

    `!Ref` is a TemplateReference. All other intrinsic functions in their short form are their arguments.
    """
    try:
        document = yaml.load(path.read_bytes(), Loader=_Loader)  # noqa: S506 - it derives from SafeLoader
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}. Run the command in the project folder.") from error
    except yaml.YAMLError as error:
        raise CommandError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(document, dict):
        raise CommandError(
            f"{path} is not a CloudFormation template. It must be a mapping of names to values."
        )
    return document


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A YAML loader that replaces CloudFormation's tags (`!Sub`, `!If` …) with their arguments."""


def _untagged(loader: Any, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


def _reference(loader: Any, node: yaml.ScalarNode) -> TemplateReference:
    return TemplateReference(loader.construct_scalar(node))


_Loader.add_multi_constructor("!", _untagged)
_Loader.add_constructor("!Ref", _reference)
