"""The expressions of a model: each is compiled once; those of clients are cached while they are in use."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, tzinfo
from functools import cache, lru_cache, partial
from typing import Any

from stratabase.expressions.environment import EvaluationContext
from stratabase.expressions.expression import Expression, compile_expression
from stratabase.expressions.kinds import TEXT, ValueKind
from stratabase.expressions.scope import ID, AttributeSymbol, RoleSymbol, Scope, Symbol, SymbolTable
from stratabase.model.attribute import Attribute
from stratabase.model.member_names import NAMING_ATTRIBUTES, MemberName, member_name
from stratabase.model.model import Model
from stratabase.model.types import ID_TYPE, TYPES
from stratabase.model.types.base import AttributeType
from stratabase.model.types.identifier import id_timestamp
from stratabase.model.types.storage import Stored

CALLER_FIELDS: Mapping[str, ValueKind] = dict.fromkeys(
    ("id", "username", "email", "notes", "profile", "timeFormat", "dateFormat", "timeZone", "language"), TEXT
)
"""The kind of each field of `caller` (service.md, section 2.4)."""
_MEMBER_NAMES: Mapping[str, Callable[[Mapping[str, Any]], MemberName | None]] = {
    name: partial(member_name, attribute=name) for name in NAMING_ATTRIBUTES
}
"""For the attributes that hold a member's name: from an object's state to the name and whom it means."""


def evaluation_context(caller: Mapping[str, Stored], now: int = 0, zone: tzinfo = UTC) -> EvaluationContext:
    """Return the context of a request, in which `caller.username` is the name of the member who asks.

    `caller`: the fields of the member, by the names of CALLER_FIELDS. `now`: milliseconds since the epoch.
    """
    username, id_ = caller.get("username"), caller.get("id")
    if isinstance(username, str) and isinstance(id_, str):
        caller = {**caller, "username": MemberName(username, id_, id_timestamp(id_))}
    return EvaluationContext(caller, now, zone)


class ModelSymbols(SymbolTable):
    """The names of a model that has been read."""

    caller_fields = CALLER_FIELDS

    def __init__(self, model: Model) -> None:
        self._model = model
        self._enumerations = {name: tuple(one.values) for name, one in model.enumerations.items()}

    def find(self, class_name: str, name: str) -> Symbol | None:
        """Return what a name means in a class."""
        class_ = self._model.classes[class_name]
        if name == ID:
            return AttributeSymbol(ID_TYPE.kind)
        if attribute := class_.attributes.get(name):
            return AttributeSymbol(attribute.type.kind, _MEMBER_NAMES.get(name))
        role = class_.roles.get(name)
        return RoleSymbol(role.target, role.many) if role else None

    def names_in(self, class_name: str) -> Iterable[str]:
        """Return the names of attributes and roles."""
        class_ = self._model.classes[class_name]
        return [*class_.attributes, *class_.roles]

    @property
    def enumerations(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each enum."""
        return self._enumerations


CACHED_FILTERS = 128
MAX_CACHED_LENGTH = 500
"""Characters; longer ones are read anew, so that what is remembered stays small, whoever sends it."""
_MAX_CACHED_MODELS = 4


class ModelExpressions:
    """The expressions of one model, as they are asked for. Those of its own are right: it has been read."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._names = ModelSymbols(model)
        self._own = cache(self._compile)
        self._filters = lru_cache(CACHED_FILTERS)(self._compile)

    def derived(self, class_name: str, attribute: Attribute) -> Expression | None:
        """Return what computes a derived attribute, as it is stored; None if no expression does."""
        text = attribute.derivation.expression if attribute.derivation else None
        return None if text is None else self._own(class_name, text, attribute.type)

    def condition(self, class_name: str, text: str) -> Expression:
        """Return the condition of a warning, or of a grant's `where`, of a class."""
        return self._own(class_name, text, TYPES["Boolean"])

    def filter(self, class_name: str, text: str) -> Expression:
        """Return a condition that a client has sent (`filter_exp`), over a class's own attributes.

        Raises InvalidExpression with everything that is wrong.
        """
        compile_ = self._filters if len(text) <= MAX_CACHED_LENGTH else self._compile
        return compile_(class_name, text, TYPES["Boolean"], roles=False)

    def _compile(
        self, class_name: str, text: str, wanted: AttributeType, *, roles: bool = True
    ) -> Expression:
        return compile_expression(text, Scope(self._names, class_name, roles), wanted)


_expressions_by_model: OrderedDict[int, ModelExpressions] = OrderedDict()


def expressions_of(model: Model) -> ModelExpressions:
    """Return the expressions of a model, the same for the same model."""
    expressions = _expressions_by_model.get(id(model))
    # A model that is known is kept, so no other has its id.
    if expressions is None:
        expressions = _expressions_by_model[id(model)] = ModelExpressions(model)
        while len(_expressions_by_model) > _MAX_CACHED_MODELS:
            _expressions_by_model.popitem(last=False)
    return expressions
