"""Every key and place in the store, made here and nowhere else.

| item | partition | sort key |
|---|---|---|
| head | `Class#id` | `V#~` |
| closed version | `Class#id` | `V#<start>` |
| link, former link | `Class#id` | `L#<role>#<other id>`, `L#<role>$<other id>` |
| guard of unique values | `U#Class.attribute,...#<SHA-256>` | `U` |
| guard of a one-to-one target | `O#Class.role#<target id>` | `O` |
| counter of a Serial attribute | `N#Class.attribute` | `N` |
| ledger of a deletion, of an update | `P#Class#id` | `P`, `P#<commit id>` |
| ledger of a restoration, list of its parts | `P#Class#id` | `R`, `R#<commit id>` |
| registry, member ids, checkpoint | `META` | `slots`, `memberIds`, `checkpoint#<SHA-256>` |
"""

import unicodedata
from hashlib import sha256
from typing import Any

import orjson

from stratabase.domain.objects.entity import Reference, RoleName, State
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.serials import SerialName
from stratabase.model.model import Unique
from stratabase.store.engine.port import Bounds, IndexKey, Key

VERSIONS = "V#"
"""The prefix of the sort keys of an object's versions."""
HEAD = f"{VERSIONS}~"
"""The sort key of an object's head, which is after every closed version."""
REGISTRY = Key("META", "slots")
"""The key of the registry, of which there is one; it may not be written yet."""
MEMBER_IDS = Key("META", "memberIds")
"""The key of the item that tells in which classes all names of members have ids (store/member_backfill)."""
LISTING = "index1"
"""The index in which the objects of a class are listed by their ids."""
PURGES = "P#"
"""The partition in which ledgers are listed, and the prefix of their own; no class has this name."""
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
    """Return the object in whose partition a key is."""
    class_name, id_ = key.partition.split("#", 1)
    return Reference(class_name, id_)


def id_of(key: Key) -> str:
    """Return the id of the object in whose partition a key is."""
    return key.partition.split("#", 1)[1]


def version(reference: Reference, start: Instant) -> Key:
    """Return the key of an object's closed version."""
    return Key(head(reference).partition, version_sort(start))


def version_sort(start: Instant) -> str:
    """Return the sort key of a closed version; these are in the order of their starts."""
    return f"{VERSIONS}{start:015d}"


def link(reference: Reference, name: str, other: str) -> Key:
    """Return the key of a link that leads from an object to another one, under a role's name."""
    return Key(f"{reference.class_name}#{reference.id}", f"{links(name)}{other}")


def links(name: str) -> str:
    """Return the prefix of the sort keys of an object's links under a role's name."""
    return f"L#{name}#"


def former_link(reference: Reference, name: str, other: str) -> Key:
    """Return the key of a former link."""
    return Key(head(reference).partition, f"{former_links(name)}{other}")


def former_links(name: str) -> str:
    """Return the prefix of the sort keys of an object's former links, which are right behind its links."""
    return f"L#{name}$"


def end_of(key: Key) -> tuple[Reference, RoleName] | None:
    """Return the object and the role of a link, from its key; None for other keys."""
    if not key.sort.startswith("L#") or "$" in (name := key.sort.split("#", 2)[1]):  # a former link
        return None
    reference = reference_of(key)
    class_name, _, role_name = name.rpartition(".")  # a class is named where the role is another's
    return reference, RoleName(class_name or reference.class_name, role_name)


def one_to_one_guard(role: RoleName, target: str) -> Key:
    """Return the key of the guard of a one-to-one target, to which only one key of a role may lead."""
    return Key(f"O#{role}#{target}", "O")


def counter(name: SerialName) -> Key:
    """Return the key of the counter of a Serial attribute."""
    return Key(f"N#{name.class_name}.{name.attribute}", "N")


def purge(reference: Reference) -> Key:
    """Return the key of the ledger that the deletion of an object leaves."""
    return Key(ledgers(reference), _OF_DELETION)


def update_purge(reference: Reference, commit_id: str) -> Key:
    """Return the key of the ledger that an update leaves, for parts that the object has no more."""
    return Key(ledgers(reference), f"{_OF_DELETION}#{commit_id}")


def is_of_deletion(key: Key) -> bool:
    """Return whether the key of a ledger is that of a deletion."""
    return key.sort == _OF_DELETION


def restoration(reference: Reference) -> Key:
    """Return the key of the ledger of a restoration in several commits; an object has one at a time."""
    return Key(ledgers(reference), _OF_RESTORATION)


def is_of_restoration(key: Key) -> bool:
    """Return whether the key of a ledger is that of a restoration."""
    return key.sort == _OF_RESTORATION


def staged_part(reference: Reference, commit_id: str) -> Key:
    """Return the key of the list of parts that one commit of a restoration has brought back."""
    return Key(ledgers(reference), f"{_OF_RESTORATION}#{commit_id}")


def staged_bounds(prefix: str) -> Bounds:
    """Return the bounds of these lists, for commits whose ids begin with a prefix."""
    low = f"{_OF_RESTORATION}#{prefix}"
    return Bounds(low, f"{low[:-1]}{chr(ord(low[-1]) + 1)}", high_included=False)


ALL_LEDGERS = Bounds(_OF_DELETION, _OF_RESTORATION)
"""The bounds of an object's ledgers, without these lists."""


def ledgers(reference: Reference) -> str:
    """Return the partition of an object's ledgers."""
    return f"{PURGES}{reference.class_name}#{reference.id}"


def ledger_of(key: Key) -> Reference:
    """Return the object of a ledger's key."""
    class_name, id_ = key.partition.removeprefix(PURGES).split("#", 1)
    return Reference(class_name, id_)


def listing_key(reference: Reference) -> IndexKey:
    """Return the place of an object in its class's listing."""
    return IndexKey(listing_partition(reference.class_name), reference.id)


def listing_partition(class_name: str) -> str:
    """Return the partition of a class's listing."""
    return class_name


def index_partition(class_name: str, number: int) -> str:
    """Return the partition of one of a class's indexes; no two ever had the same number."""
    return f"{class_name}#{number}"


def guard(class_name: str, unique: Unique, state: State) -> Key | None:
    """Return the key of the guard of an object's unique values; None when one of them is null."""
    # In the order of their names, so that naming them otherwise in the model changes no key.
    names = sorted(unique.attributes)
    values = [_canonical(state.get(name)) for name in names]
    if None in values:
        return None
    digest = sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return Key(f"U#{class_name}.{','.join(names)}#{digest}", "U")


def _canonical(value: Any) -> Any:
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value
