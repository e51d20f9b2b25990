"""The access that each profile of a model has, made once."""

from functools import lru_cache

from stratabase.domain.access.access import Access
from stratabase.model.expressions import Expressions, expressions_of
from stratabase.model.model import Model


def access_of(model: Model, profile: str | None) -> Access | None:
    """Return what a profile may do; None for everything, and for nobody, who asks on nobody's behalf."""
    return None if profile is None else _known(expressions_of(model)).of(profile)


class _Accesses:
    """The accesses of one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._restricted = {grant.profile for class_ in model.classes.values() for grant in class_.grants}
        self._made: dict[str, Access] = {}

    def of(self, profile: str) -> Access | None:
        """Return the access of a profile."""
        if profile not in self._restricted:
            return None
        if profile not in self._made:
            self._made[profile] = Access(self._model, profile)
        return self._made[profile]


@lru_cache(maxsize=4)
def _known(expressions: Expressions) -> _Accesses:
    # A model itself cannot be a key; its expressions are the same ones as long as it is.
    return _Accesses(expressions.model)
