"""What a change comes to in the store before anything is known of what is there."""

from stratabase.domain.change import Change, OnObject, reference_of
from stratabase.domain.entity import Reference
from stratabase.store import endings, keys, links
from stratabase.store.deed import Deed, Surroundings
from stratabase.store.demands import Demand, demands
from stratabase.store.desk import Desk
from stratabase.store.engine import Delete, Patch, Put
from stratabase.store.head import Counted, Head
from stratabase.store.heads import Writing, action_on_head
from stratabase.store.ties import ties


def drafted(desk: Desk, change: Change, *, forced: bool = False, leaving: bool = False) -> Deed:
    """Return what a change comes to. Raises Taken, Broken, TooLarge.

    `forced`: nothing is refused because a required role would be empty, since that was asked before.
    `leaving`: parts and links that need not end with what is deleted are noted, to be purged later.
    """
    told, later = change, frozenset[Reference]()
    if leaving:
        change = endings.without_parts(told, desk)
        later = endings.difference(told, change)
    if not desk.associations.concern(change):
        plain = [_base(desk, effect, change.commit_id) for effect in change.on_objects()]
        return Deed(desk, change, plain=plain)
    bases = {reference_of(effect): _base(desk, effect, change.commit_id) for effect in change.on_objects()}
    ended = endings.links_of(desk, change, later if leaving else None)
    all_ties = ties(change, desk.associations, lambda reference: ended.get(reference, endings.NONE).pairs)
    wanted = demands(all_ties)
    heads = {
        keys.head(reference): Head(
            reference,
            bases.get(reference),
            wanted.get(reference) or Demand(),
            _counted(desk, reference.class_name),
            change.commit_id,
            forced or reference in later,
        )
        for reference in dict.fromkeys((*bases, *wanted))
    }
    written = {action.key: action for action in links.actions(all_ties)}
    evidence = {
        key: (keys.head(tie.end), tie.keyed.counted)
        for tie in all_ties.left
        if tie.keyed.counted and (key := links.evidence(tie))
    }
    return Deed(
        desk, change, Surroundings(heads, written, evidence, tuple(endings.ledgers(desk, change, ended)))
    )


def _base(desk: Desk, effect: OnObject, commit_id: str) -> Put | Patch | Delete:
    name = reference_of(effect).class_name
    keeps_links = bool(desk.associations.kept(name))
    return action_on_head(effect, Writing(desk.model.classes[name], desk.paths(name), commit_id, keeps_links))


def _counted(desk: Desk, class_name: str) -> Counted:
    associations = desk.associations
    barriers = associations.needs.get(class_name, frozenset())
    return Counted(associations.counted(class_name), barriers, desk.is_singleton(class_name))
