"""Owners of objects: names of older versions get the ids of their members, and objects are handed over."""

from collections.abc import Iterator

from cli.building import Progress, Say, count
from cli.fault import Fault
from stratabase.bootstrap import Instance
from stratabase.domain.members.refusals import NoSuchMember
from stratabase.model.types.identifier import id_timestamp
from stratabase.operations.members.hand_over import FormerMember, From, HandOverResult
from stratabase.operations.members.rules import CONSOLE
from stratabase.store.backfill.member_names import MemberBackfill, describe_outcome
from stratabase.wording import is_or_are, pluralize


def resolved(instance: Instance, *, again: bool = False, say: Say | None = None) -> Iterator[str]:
    """Give ids to the names of members in all classes that are not done; yield what became of each class.

    `again`: in those that are done, too. `say` is told how far it is. Raises Unavailable.
    """
    backfill = MemberBackfill(instance.engine, instance.model)
    pending = backfill.classes() if again else backfill.pending()
    members = instance.member_stores.members.roster().members if pending else ()
    for class_name in pending:
        title = f"Resolving the owners of {class_name}"
        tell = Progress(title, count(instance.engine, class_name), say) if say else lambda _: None
        yield from describe_outcome(class_name, backfill.run(class_name, members, tell))


def handed_over(
    instance: Instance, from_: str, to: str, class_name: str | None, *, former: bool
) -> Iterator[str]:
    """Hand over what `from_` owns: the name or id of a member, or of one who was deleted.

    `former`: a deleted member is meant, though a member has the name now. Yields what became of it. Raises
    Fault if `to` is no member, and what HandOver raises.
    """
    members = instance.member_stores.members
    owner = members.by_username(to) or members.by_id(to)
    if owner is None:
        raise Fault(f'There is no member "{to}"; `stratabase members list` shows all.')
    done = HandOverResult()
    while not done.complete:
        done += _once(instance, from_, owner.id, class_name, former=former)
    number = done.handed_over
    yield f'{pluralize(number, "object")} of "{from_}" {is_or_are(number)} now owned by "{owner.username}".'
    met = number or done.locked or done.refused
    if not met and members.by_username(from_) is None and members.by_id(from_) is None:
        yield f'There is no member "{from_}" now. Check the name if a deleted member owned objects.'
    if done.locked:
        locked = f"{pluralize(done.locked, 'object')} {is_or_are(done.locked)} locked"
        yield f"{locked}; unlock what is locked, and repeat the command."
    if done.refused:
        refused = pluralize(done.refused, "object")
        yield f"{refused} cannot be written: too large then, or against a constraint."


def _once(instance: Instance, from_: str, to: str, class_name: str | None, *, former: bool) -> HandOverResult:
    """Do as much as one call does."""
    member = None if former else instance.member_stores.members.by_username(from_)
    owner: From = FormerMember(from_) if member is None else member.id
    if member is None and not former and id_timestamp(from_) is not None:
        owner = from_
    try:
        return instance.member_services.hand_over(CONSOLE, owner, to, class_name)
    except NoSuchMember as refusal:
        raise Fault(f"There is no member with the id {from_}, and no object that one owned.") from refusal
