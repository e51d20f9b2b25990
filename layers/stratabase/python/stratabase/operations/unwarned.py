"""Whether an object can be written without asking its warnings of more than itself."""

from stratabase.domain.entity import Entity
from stratabase.domain.instant import Instant
from stratabase.domain.member import Caller
from stratabase.operations.terms import Terms
from stratabase.operations.world import World


class MayBeWarned(Exception):
    """The object may meet a warning: that is to be found out, and told."""


def check_warnings(world: World, entity: Entity, caller: Caller, now: Instant, terms: Terms) -> None:
    """Raise MayBeWarned unless an object that is to be written meets no warning for sure."""
    if world.class_(entity.reference.class_name).warnings:
        circumstances = terms.circumstances_of(caller, now)
        if world.warning_rules.may_warn(entity, circumstances):
            raise MayBeWarned
