"""The expressions of a model: each is read once; those of clients are remembered while they are in use."""

from collections import OrderedDict
from functools import cache, lru_cache

from stratabase.model.attribute import Attribute
from stratabase.model.expressions.expression import Expression, read
from stratabase.model.expressions.scope import ModelNames, Scope
from stratabase.model.model import Model
from stratabase.model.types import TYPES
from stratabase.model.types.base import AttributeType

REMEMBERED_FILTERS = 128
LONGEST_REMEMBERED = 500
"""Characters; longer ones are read anew, so that what is remembered stays small, whoever sends it."""
_REMEMBERED_MODELS = 4


class Expressions:
    """The expressions of one model, as they are asked for. Those of its own are right: it has been read."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._names = ModelNames(model)
        self._own = cache(self._read)
        self._filters = lru_cache(REMEMBERED_FILTERS)(self._read)

    def derived(self, class_name: str, attribute: Attribute) -> Expression | None:
        """Return what computes a derived attribute, as it is stored; None if no expression does."""
        text = attribute.derivation.expression if attribute.derivation else None
        return None if text is None else self._own(class_name, text, attribute.type)

    def condition(self, class_name: str, text: str) -> Expression:
        """Return the condition of a warning, or of a grant's `where`, of a class."""
        return self._own(class_name, text, TYPES["Boolean"])

    def filter(self, class_name: str, text: str) -> Expression:
        """Return a condition that a client has sent (`filter_exp`), over a class's own attributes.

        Raises ExpressionMistakes with everything that is wrong.
        """
        read_ = self._filters if len(text) <= LONGEST_REMEMBERED else self._read
        return read_(class_name, text, TYPES["Boolean"], roles=False)

    def _read(self, class_name: str, text: str, wanted: AttributeType, *, roles: bool = True) -> Expression:
        return read(text, Scope(self._names, class_name, roles), wanted)


_known: OrderedDict[int, Expressions] = OrderedDict()


def expressions_of(model: Model) -> Expressions:
    """Return the expressions of a model, the same for the same model."""
    known = _known.get(id(model))
    # A model that is known is kept, so no other has its id.
    if known is None:
        known = _known[id(model)] = Expressions(model)
        while len(_known) > _REMEMBERED_MODELS:
            _known.popitem(last=False)
    return known
