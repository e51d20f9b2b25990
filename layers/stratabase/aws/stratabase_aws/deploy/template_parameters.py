"""The parameters that the template declares: which names and values they allow, and their defaults."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from stratabase.core.setting_values import Variable
from stratabase.core.settings import variables
from stratabase.members.password import NEW_SHORTEST_PASSWORD
from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase.values.wording import nearest_word

TEMPLATE_FILE = Path("template.yaml")
DATA_PARAMETERS: Mapping[str, str] = {
    "ObjectsTableName": "TableName",
    "MembersTableName": "MembersTableName",
    "BucketName": "BucketName",
    "SigningKeysArn": "SigningKeys",
    "InstanceId": "InstanceId",
}
"""The parameters with which a stack uses existing data, each with the output that has the value."""
FIRST_VALUES: Mapping[str, str] = {"PasswordLength": str(NEW_SHORTEST_PASSWORD)}
"""The values with which a new stack begins, if nothing else is given.

The defaults of the template are those of stacks from earlier versions, which must not change.
"""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_STORED = "AWS::SSM::"
"""The beginning of types whose values are names of what AWS stores."""


class _Limits(NamedTuple):
    """The least and the greatest value. None: no limit."""

    least: float | None = None
    greatest: float | None = None

    def includes(self, number: float) -> bool:
        """Return whether a number is within the limits. NaN is not."""
        least = -math.inf if self.least is None else self.least
        return least <= number <= (math.inf if self.greatest is None else self.greatest)

    def __str__(self) -> str:
        """Return a text such as ` from 1 to 9`, empty without limits."""
        words = {"from": self.least, "to": self.greatest}
        return "".join(f" {word} {limit:.15g}" for word, limit in words.items() if limit is not None)


_UNLIMITED = _Limits()


@dataclass(frozen=True)
class TemplateParameter:
    """A parameter of the template, with its constraints. None: there is no such constraint."""

    name: str
    type: str
    default: str | None = None
    """None: it must have a value when the stack is created."""
    allowed: tuple[str, ...] = ()
    pattern: str | None = None
    numbers: _Limits = _UNLIMITED
    """Between which values a number must be."""
    length: _Limits = _UNLIMITED
    """How many characters a text must have."""
    explanation: str = ""
    """What the template says about values that the constraints refuse."""
    secret: bool = False
    """Whether AWS never shows the value (NoEcho)."""
    settings: tuple[Variable, ...] = field(default=(), repr=False)
    """The settings of the functions that have this value."""

    def check(self, value: str) -> str:
        """Return what is wrong with a value and what is right, or an empty text."""
        shown = "its value" if self.secret else f'"{value}"'
        for part in self._parts(value):
            for advice in self._advice(part):
                return f"{self.name}: {shown} is not valid. {advice}"
        return ""

    def _parts(self, value: str) -> list[str]:
        """Return the values of a list, or the value, to which the constraints apply."""
        is_list = self.type == "CommaDelimitedList" or self.type.startswith("List<")
        return [each.strip() for each in value.split(",")] if is_list else [value]

    def _advice(self, value: str) -> Iterator[str]:
        """Yield what to use for each constraint that the value breaks."""
        if self.allowed and value not in self.allowed:
            shown = ", ".join(each or '""' for each in self.allowed)
            nearest = nearest_word(value, self.allowed)
            yield f"Use one of: {shown}." + (f" Did you mean {nearest}?" if nearest else "")
        if self.type in ("Number", "List<Number>"):
            number = float(value) if _NUMBER.fullmatch(value) else math.nan
            if not self.numbers.includes(number):
                yield f"Use a number{self.numbers}."
        if not self.length.includes(len(value)):
            yield self.explanation or f"Use a text with a number of characters{self.length}."
        if self.pattern is not None and not _matches(self.pattern, value):
            yield self.explanation or f"Use a value that matches the pattern {self.pattern}."
        # To the service, an empty value is the default.
        for setting in self.settings if value and not self.type.startswith(_STORED) else ():
            try:
                setting.parse(value)
            except ValueError as error:
                yield str(error)


def read_parameters(path: Path = TEMPLATE_FILE) -> Mapping[str, TemplateParameter]:
    """Return the parameters of a template by name. Raises CommandError if it is missing or invalid."""
    document = read_template_document(path)
    settings = _settings_by_parameter(document)
    return {
        name: _parameter(name, declared or {}, settings.get(name, ()))
        for name, declared in (document.get("Parameters") or {}).items()
    }


def find_mistakes(given: Mapping[str, str], declared: Mapping[str, TemplateParameter]) -> list[str]:
    """Return a line for each parameter that the template does not have, or whose value it refuses."""
    return list(filter(None, (_mistake(name, value, declared) for name, value in given.items())))


def require_valid(given: Mapping[str, str], declared: Mapping[str, TemplateParameter], source: str) -> None:
    """Raise CommandError with all mistakes. `source` says where the parameters were found."""
    if mistakes := find_mistakes(given, declared):
        raise CommandError("\n".join(f"{source}: {each}" for each in mistakes), MISUSED)


def with_defaults(
    given: Mapping[str, str], declared: Mapping[str, TemplateParameter], *, exists: bool
) -> dict[str, str]:
    """Return the values of a deployment: what is given, else the defaults. Raises CommandError.

    The SAM CLI keeps the previous value of each parameter that is not passed. So without the defaults, the
    values of one deployment would be those of all later ones. Four kinds keep their previous value:
    parameters without a default, secret ones, those that name existing data, and those of FIRST_VALUES. A
    deployment that reset those of data would serve an empty instance.
    """
    missing = [name for name, each in declared.items() if each.default is None and name not in given]
    if missing and not exists:
        names = ", ".join(missing)
        raise CommandError(
            f"These parameters have no default, and the stack no previous value: {names}. Set them in "
            "parameter_overrides of samconfig.toml.",
            MISUSED,
        )
    defaults = {
        name: each.default
        for name, each in declared.items()
        if each.default is not None and not each.secret and name not in {*DATA_PARAMETERS, *FIRST_VALUES}
    }
    first = {} if exists else {name: value for name, value in FIRST_VALUES.items() if name in declared}
    return {**defaults, **first, **given}


def _mistake(name: str, value: str, declared: Mapping[str, TemplateParameter]) -> str:
    if name in declared:
        return declared[name].check(value)
    nearest = nearest_word(name, tuple(declared))
    advice = f"Did you mean {nearest}?" if nearest else "docs/deploy.md and the template describe them."
    return f"{name}={value} sets no parameter, because the template has no {name}. {advice}"


def _parameter(name: str, declared: Mapping[str, Any], settings: tuple[Variable, ...]) -> TemplateParameter:
    default = declared.get("Default")
    return TemplateParameter(
        name,
        str(declared.get("Type", "String")),
        None if default is None else _text(default),
        tuple(_text(each) for each in declared.get("AllowedValues") or ()),
        declared.get("AllowedPattern"),
        _limits(declared.get("MinValue"), declared.get("MaxValue")),
        _limits(declared.get("MinLength"), declared.get("MaxLength")),
        str(declared.get("ConstraintDescription", "")),
        _text(declared.get("NoEcho", False)) == "true",
        settings,
    )


def _settings_by_parameter(document: Mapping[str, Any]) -> Mapping[str, tuple[Variable, ...]]:
    """Return the settings that get the value of each parameter as it is, in the environment of functions."""
    known = {variable.name: variable for _, variable in variables()}
    shared = (document.get("Globals") or {}).get("Function") or {}
    functions = [each.get("Properties") or {} for each in (document.get("Resources") or {}).values()]
    found = dict[str, dict[str, Variable]]()
    for properties in (shared, *functions):
        environment = properties.get("Environment")
        texts = environment.get("Variables") if isinstance(environment, Mapping) else None
        for name, value in (texts or {}).items():
            for parameter in _references(value) if name in known else ():
                found.setdefault(parameter, {})[name] = known[name]
    return {parameter: tuple(settings.values()) for parameter, settings in found.items()}


def _references(value: Any) -> Iterator[str]:
    """Yield what a value refers to with `!Ref`, also in a branch of `!If [CONDITION, …, …]`."""
    if isinstance(value, TemplateReference):
        yield value
    elif isinstance(value, Mapping):
        yield from _references(value["Fn::If"]) if "Fn::If" in value else ()
        yield from (value["Ref"],) if "Ref" in value else ()
    elif isinstance(value, list) and len(value) == len(("condition", "then", "else")):
        yield from (each for branch in value[1:] for each in _references(branch))


def _text(value: Any) -> str:
    """Return a value of the template as CloudFormation gets it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _limits(*limits: Any) -> _Limits:
    return _Limits(*(None if each is None else float(each) for each in limits))


def _matches(pattern: str, value: str) -> bool:
    """Return whether a pattern matches the whole value. AWS checks patterns that only Java understands."""
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return True


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
