"""What identifies a role: its class and its name there."""

from typing import NamedTuple


class RoleName(NamedTuple):
    """A role of a class: `RoleName("Team", "members")`."""

    class_name: str
    role_name: str

    def __str__(self) -> str:
        return f"{self.class_name}.{self.role_name}"
