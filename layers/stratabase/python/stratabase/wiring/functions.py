"""The functions of Lambda, each over the one instance of its process."""

import os
from collections.abc import Callable
from functools import cache

from stratabase.edge.front_door import FrontDoor
from stratabase.settings import Settings
from stratabase.wiring.instance import Instance


@cache
def instance() -> Instance:
    """Return the instance of this process, built from its environment. Raises BadSettings."""
    return Instance(Settings.from_environment(os.environ))


def graphql_function() -> FrontDoor:
    """Return the function `graphql`."""
    return instance().graphql()


def tokens_function() -> FrontDoor:
    """Return the function `tokens`."""
    return instance().tokens()


def members_function() -> FrontDoor:
    """Return the function `members`."""
    return instance().members()


def rotate_function() -> Callable[[object, object], None]:
    """Return the function `rotate`, which a schedule calls."""

    def rotate(_event: object, _context: object = None) -> None:
        rotation = instance().gate.rotate()
        instance().log.info(
            "The keys of tokens were rotated",
            key=rotation.key.id,
            made=rotation.made,
            dropped=list(rotation.dropped),
        )

    return rotate
