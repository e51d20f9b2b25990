"""The names under which some things are stored, in both directions, without mixing up two names."""

from collections.abc import Mapping
from types import MappingProxyType

_LEFTOVER = "\0"
"""The beginning of what stands for a leftover name. No name contains it, and it is never stored."""


class Renames:
    """Some names with their stored names, such as the attributes of a class, or the values of an enum.

    A store may also have names that the model removed. If such a leftover name equals a present name that is
    stored under another one, it must not be taken for that: it becomes a marked name, and itself again when
    it is stored.
    """

    def __init__(self, stored_names: Mapping[str, str] = MappingProxyType({})) -> None:
        """`stored_names`: by name, for all names, also for those that are stored as they are."""
        stored = set(stored_names.values())
        leftovers = {f"{_LEFTOVER}{name}": name for name in stored_names if name not in stored}
        both = {**stored_names, **leftovers}
        self.to_stored: Mapping[str, str] = {name: each for name, each in both.items() if name != each}
        """By name: its stored name, if that is another one."""
        self.from_stored: Mapping[str, str] = {each: name for name, each in self.to_stored.items()}
        """By stored name: its name, if that is another one."""
