"""What is built once per process: from the settings to the functions' answers."""

from stratabase.wiring.functions import (
    graphql_function,
    instance,
    members_function,
    rotate_function,
    sweep_function,
    tokens_function,
)
from stratabase.wiring.instance import Instance

__all__ = [
    "Instance",
    "graphql_function",
    "instance",
    "members_function",
    "rotate_function",
    "sweep_function",
    "tokens_function",
]
