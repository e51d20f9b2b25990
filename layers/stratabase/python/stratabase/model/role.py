"""A role: what leads from an object of one class to objects of another."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Role:
    """A named way from a class to `target`: an association, a composition, or the way back from a part."""

    name: str
    target: str
    """The name of the class that it leads to."""
    many: bool = False
    required: bool = False
    """At least one object must be there."""
    opposite: str | None = None
    """The role of `target` that leads back, if there is one."""
    composition: bool = False
    """The objects it leads to are parts of this one."""
    whole: bool = False
    """It leads from a part back to its whole: read-only, made by the composition."""
    holds: bool = False
    """Objects of this class hold the key (always the to-one side)."""
    description: str | None = None
