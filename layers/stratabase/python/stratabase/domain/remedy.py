"""What would make cheap what is too costly to read."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remedy:
    """What those who keep the model, or those who ask, can do about it."""

    index: tuple[str, ...] = ()
    """The attributes of the index that is missing; none where no index would help."""
    declared: bool = False
    """The model has that index already, and it is still to be filled."""
    costly: tuple[str, ...] = ()
    """What was asked for that takes reading many objects: `totalCount`, `offset`."""
    derived: tuple[str, ...] = ()
    """The derived attributes that were asked for: they are in no index."""
    shared: bool = False
    """The same request has read other things before."""

    def __str__(self) -> str:
        return ", or ".join(self._ways())

    def _ways(self) -> Iterator[str]:
        if self.index:
            yield self._with_index()
        if self.costly:
            yield f"ask without {' and '.join(self.costly)}"
        if self.derived:
            yield self._with_kept()
        if self.shared:
            yield "ask for less in one request"
        elif not self.index and not self.costly and not self.derived:
            yield "narrow the filter, or ask for fewer objects at a time"

    def _with_index(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.index)
        index = f"@index(attributes: [{names}])"
        return f'fill {index} with "stratabase reindex"' if self.declared else f"declare {index} in the model"

    def _with_kept(self) -> str:
        names = " and ".join(f'"{name}"' for name in self.derived)
        them = "is derived, so it is" if len(self.derived) == 1 else "are derived, so they are"
        return f"filter by stored attributes as well, since {names} {them} in no index"
