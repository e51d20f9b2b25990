"""Every key and place that the store uses, made here and nowhere else."""

import unicodedata
from hashlib import sha256
from typing import Any

import orjson

from stratabase.domain.objects.entity import Reference, RoleName, State
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.serials import SerialName
from stratabase.model.class_ import Unique
from stratabase.store.engine.port import Bounds, Key, Place

VERSIONS = "V#"
"""What the sort keys of an object's versions begin with."""
HEAD = f"{VERSIONS}~"
"""The sort key of an object's head: after every closed version `V#<start>`."""
REGISTRY = Key("META", "slots")
"""The key of the registry of index slots, of which there is one, perhaps not written yet."""
MEMBER_IDS = Key("META", "memberIds")
"""The key of the item that tells in which classes all names of members have ids (store/member_backfill)."""
LISTING = "index1"
"""The index in which the objects of a class are listed by their ids."""
PURGES = "P#"
"""Where in that index is listed what deletions have left to be purged; no class has such a name.

So are parts that updates took out of their wholes, and restorations that are not finished.
"""
_OF_DELETION = "P"
_OF_RESTORATION = "R"


def checkpoint(work: str) -> Key:
    """Return the key of the item that says how far a long task has come.

    The key has the same length whatever the task is called, because DynamoDB limits the length of keys.
    """
    return Key("META", f"checkpoint#{sha256(work.encode('utf-8', 'surrogatepass')).hexdigest()}")


def head(reference: Reference) -> Key:
    """Return the key of an object's head."""
    return Key(f"{reference.class_name}#{reference.id}", HEAD)


def reference_of(key: Key) -> Reference:
    """Return the object whose partition a key lies in."""
    class_name, id_ = key.partition.split("#", 1)
    return Reference(class_name, id_)


def id_of(key: Key) -> str:
    """Return the id of the object whose partition a key lies in."""
    return key.partition.split("#", 1)[1]


def version(reference: Reference, start: Instant) -> Key:
    """Return the key of an object's closed version."""
    return Key(head(reference).partition, version_sort(start))


def version_sort(start: Instant) -> str:
    """Return the sort key of a closed version, which are in the order of their starts."""
    return f"{VERSIONS}{start:015d}"


def link(reference: Reference, name: str, other: str) -> Key:
    """Return the key of a link that leads from an object to another one, under a role's name."""
    return Key(f"{reference.class_name}#{reference.id}", f"{links(name)}{other}")


def links(name: str) -> str:
    """Return what the sort keys of an object's links under a role's name begin with."""
    return f"L#{name}#"


def former_link(reference: Reference, name: str, other: str) -> Key:
    """Return the key of what is left of a link that has ended."""
    return Key(head(reference).partition, f"{former_links(name)}{other}")


def former_links(name: str) -> str:
    """Return what the sort keys of an object's former links begin with: right behind those that there are."""
    return f"L#{name}$"


def end_of(key: Key) -> tuple[Reference, RoleName] | None:
    """Return of the key of a link the object that it leads away from, and for which role; None of others."""
    if not key.sort.startswith("L#") or "$" in (name := key.sort.split("#", 2)[1]):  # a former link
        return None
    reference = reference_of(key)
    class_name, _, role_name = name.rpartition(".")  # a class is named where the role is another's
    return reference, RoleName(class_name or reference.class_name, role_name)


def couple(role: RoleName, target: str) -> Key:
    """Return the key of the guard of an object that only one key of a role may lead to."""
    return Key(f"O#{role}#{target}", "O")


def counter(name: SerialName) -> Key:
    """Return the key of what counts a Serial attribute."""
    return Key(f"N#{name.class_name}.{name.attribute}", "N")


def purge(reference: Reference) -> Key:
    """Return the key of what the deletion of an object has left to be purged."""
    return Key(ledgers(reference), _OF_DELETION)


def update_purge(reference: Reference, commit_id: str) -> Key:
    """Return the key of what an update of an object has left to be purged: parts that it has no more."""
    return Key(ledgers(reference), f"{_OF_DELETION}#{commit_id}")


def is_of_deletion(key: Key) -> bool:
    """Return whether the key of a ledger is that of a deletion."""
    return key.sort == _OF_DELETION


def restoration(reference: Reference) -> Key:
    """Return the key of the restoration of an object that takes several commits: there is one at a time."""
    return Key(ledgers(reference), _OF_RESTORATION)


def is_of_restoration(key: Key) -> bool:
    """Return whether the key of a ledger is that of a restoration."""
    return key.sort == _OF_RESTORATION


def staged(reference: Reference, commit_id: str) -> Key:
    """Return the key of the list of parts that one commit of a restoration has brought back."""
    return Key(ledgers(reference), f"{_OF_RESTORATION}#{commit_id}")


def staged_bounds(prefix: str) -> Bounds:
    """Return where these lists lie, for commits whose ids begin with a text."""
    low = f"{_OF_RESTORATION}#{prefix}"
    return Bounds(low, f"{low[:-1]}{chr(ord(low[-1]) + 1)}", high_included=False)


ALL_LEDGERS = Bounds(_OF_DELETION, _OF_RESTORATION)
"""Where the ledgers of an object lie, without these lists."""


def ledgers(reference: Reference) -> str:
    """Return the partition of what is left to be done after the writes of an object."""
    return f"{PURGES}{reference.class_name}#{reference.id}"


def ledger_of(key: Key) -> Reference:
    """Return the object whose write has left what a key leads to."""
    class_name, id_ = key.partition.removeprefix(PURGES).split("#", 1)
    return Reference(class_name, id_)


def listed(reference: Reference) -> Place:
    """Return where an object stands in its class's listing."""
    return Place(listing(reference.class_name), reference.id)


def listing(class_name: str) -> str:
    """Return the partition of a class's listing."""
    return class_name


def indexed(class_name: str, number: int) -> str:
    """Return the partition of one of a class's indexes; no two ever had the same number."""
    return f"{class_name}#{number}"


def guard(class_name: str, unique: Unique, state: State) -> Key | None:
    """Return the key that stands for an object's values of a uniqueness constraint; None when one is null."""
    # In the order of their names, so that naming them otherwise in the model changes no key.
    names = sorted(unique.attributes)
    values = [_canonical(state.get(name)) for name in names]
    if None in values:
        return None
    digest = sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return Key(f"U#{class_name}.{','.join(names)}#{digest}", "U")


def _canonical(value: Any) -> Any:
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value
