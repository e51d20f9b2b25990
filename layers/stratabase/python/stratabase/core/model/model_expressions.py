"""The compiled expressions of a model, and a cache of the expressions that clients send."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, tzinfo
from functools import cache, lru_cache, partial
from typing import Any

from stratabase.core.model.attribute import Attribute
from stratabase.core.model.member_names import NAMING_ATTRIBUTES, MemberName, member_name
from stratabase.core.model.model import Model
from stratabase.core.model.types import ID_TYPE, TYPES
from stratabase.core.model.types.base import AttributeType, Stored
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.values.cel.environment import EvaluationContext
from stratabase.values.cel.expression import Expression, compile_expression
from stratabase.values.cel.kinds import TEXT, ValueKind
from stratabase.values.cel.scope import ID, AttributeSymbol, RoleSymbol, Scope, Symbol, SymbolTable

CALLER_FIELDS: Mapping[str, ValueKind] = dict.fromkeys(
    ("id", "username", "email", "notes", "profile", "timeFormat", "dateFormat", "timeZone", "language"), TEXT
)
"""The kind of each field of `caller`."""
_MEMBER_NAMES: Mapping[str, Callable[[Mapping[str, Any]], MemberName | None]] = {
    name: partial(member_name, attribute=name) for name in NAMING_ATTRIBUTES
}
"""For each attribute that holds a member's name: a function from an object's state to that name."""


def evaluation_context(caller: Mapping[str, Stored], now: int = 0, zone: tzinfo = UTC) -> EvaluationContext:
    """Return the context in which the expressions of a request are evaluated.

    `caller` holds the fields of the caller, by the names in CALLER_FIELDS. `now` is the time of the request,
    in milliseconds since the epoch. `zone` is the caller's time zone.
    """
    username, id_ = caller.get("username"), caller.get("id")
    if isinstance(username, str) and isinstance(id_, str):
        caller = {**caller, "username": MemberName(username, id_, id_timestamp(id_))}
    return EvaluationContext(caller, now, zone)


class ModelSymbols(SymbolTable):
    """The names in the classes of a model."""

    caller_fields = CALLER_FIELDS

    def __init__(self, model: Model) -> None:
        self._model = model
        self._enumerations = {name: tuple(one.values) for name, one in model.enumerations.items()}

    def find(self, class_name: str, name: str) -> Symbol | None:
        """Return the attribute or role of a class that has this name, or None."""
        class_ = self._model.classes[class_name]
        if name == ID:
            return AttributeSymbol(ID_TYPE.kind)
        if attribute := class_.attributes.get(name):
            return AttributeSymbol(attribute.type.kind, _MEMBER_NAMES.get(name), attribute.type.folding)
        role = class_.roles.get(name)
        return RoleSymbol(role.target, role.many) if role else None

    def names_in(self, class_name: str) -> Iterable[str]:
        """Return the names of the attributes and roles of a class."""
        class_ = self._model.classes[class_name]
        return [*class_.attributes, *class_.roles]

    @property
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum, by its name."""
        return self._enumerations


class PermittedSymbols(ModelSymbols):
    """The names in the classes of a model for which `permits` returns True, given the class and the name."""

    def __init__(self, model: Model, permits: Callable[[str, str], bool]) -> None:
        super().__init__(model)
        self._permits = permits
        types = {
            attribute.type.name
            for class_ in model.classes.values()
            for attribute in class_.attributes.values()
            if permits(class_.name, attribute.name)
        }
        self._enumerations = {name: each for name, each in self._enumerations.items() if name in types}

    def find(self, class_name: str, name: str) -> Symbol | None:
        """Return the attribute or role of a class that has this name and is permitted, or None."""
        return super().find(class_name, name) if name == ID or self._permits(class_name, name) else None

    def names_in(self, class_name: str) -> Iterable[str]:
        """Return the permitted names of the attributes and roles of a class."""
        return [name for name in super().names_in(class_name) if self._permits(class_name, name)]


CACHED_FILTERS = 128
MAX_CACHED_LENGTH = 500
"""Characters. Longer filters are not cached, so that no client can fill the memory."""
_MAX_CACHED_MODELS = 4


class ModelExpressions:
    """The expressions of one model, each compiled on its first use.

    The model has been checked, so its own expressions have no errors.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._names = ModelSymbols(model)
        self._own = cache(self._compile)
        self._filters = lru_cache(CACHED_FILTERS)(self._compile)

    def derived(self, class_name: str, attribute: Attribute) -> Expression | None:
        """Return the expression of a derived attribute, or None if it has a path instead."""
        text = attribute.derivation.expression if attribute.derivation else None
        return None if text is None else self._own(class_name, text, attribute.type)

    def condition(self, class_name: str, text: str) -> Expression:
        """Return a condition of the model: of a warning of a class, or of the `where` of a grant."""
        return self._own(class_name, text, TYPES["Boolean"])

    def filter(self, class_name: str, text: str) -> Expression:
        """Return a condition that a client sent (`filter_exp`). It can use only the class's own attributes.

        Raises InvalidExpression with all errors.
        """
        compile_ = self._filters if len(text) <= MAX_CACHED_LENGTH else self._compile
        return compile_(class_name, text, TYPES["Boolean"], roles=False)

    def filter_over(self, symbols: SymbolTable, class_name: str, text: str) -> Expression:
        """Return a condition that a client sent, which can use only some names. Raises InvalidExpression."""
        return compile_expression(text, Scope(symbols, class_name, allows_roles=False), TYPES["Boolean"])

    def _compile(
        self, class_name: str, text: str, wanted: AttributeType, *, roles: bool = True
    ) -> Expression:
        return compile_expression(text, Scope(self._names, class_name, roles), wanted)


_expressions_by_model: OrderedDict[int, ModelExpressions] = OrderedDict()


def expressions_of(model: Model) -> ModelExpressions:
    """Return the expressions of a model. Each call with the same model returns the same object."""
    expressions = _expressions_by_model.get(id(model))
    # The cache keeps its models alive. So no other model can have the id of a cached one.
    if expressions is None:
        expressions = _expressions_by_model[id(model)] = ModelExpressions(model)
        while len(_expressions_by_model) > _MAX_CACHED_MODELS:
            _expressions_by_model.popitem(last=False)
    return expressions
