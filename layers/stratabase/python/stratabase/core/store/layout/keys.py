"""All keys and index positions in the store. No other module builds them.

| item | partition | sort key |
|---|---|---|
| head, tombstone | `Class#id` | `V#~` |
| closed version | `Class#id` | `V#<start>` |
| link, former link | `Class#id` | `L#<role>#<other id>`, `L#<role>$<other id>` |
| guard of unique values | `U#Class.attribute,...#<SHA-256>` | `U` |
| guard of a one-to-one target | `O#Class.role#<target id>` | `O` |
| counter of a Serial attribute | `N#Class.attribute` | `N` |
| ledger of a deletion, of an update | `P#Class#id` | `P`, `P#<commit id>` |
| ledger of a restoration, list of its parts | `P#Class#id` | `R`, `R#<commit id>` |
| entry of the file ledger | `F#<id>` | `F` |
| job of a kind without a ledger | `J#<kind>#<key>` | `J` |
| idempotency record | `I#<SHA-256>` | `<number of the field>`, `<number of the field>#<id>` |
| registry with the mark of the store, member ids | `META` | `slots`, `memberIds` |
| catalog of stored names, its further parts | `META` | `catalog`, `catalog#<number>` |
| list of served models, piece of the text of one | `META` | `servedModels`, `servedModel#<SHA-256>#<n>` |
| hold of the bytes of files | `META` | `fileHold` |
| checkpoint | `META` | `checkpoint#<SHA-256>` |
| id of an erased object, of one of its parts | `ERASED` | `E#Class#id`, `E#Class#id#Class#id` |

The head, versions and links of an object share a partition. So one range reads all versions in order and ends
with the head, and one range reads all links of a role.
"""

import unicodedata
from functools import lru_cache
from hashlib import sha256
from typing import Any
from zlib import crc32

import orjson

from stratabase.core.domain.objects.entity import Reference, RoleName, SerialName, State
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Unique
from stratabase.core.store.engine.port import Bounds, Key

VERSIONS = "V#"
"""The prefix of the sort keys of closed versions and of the head."""
_LINKS = "L#"
_COUNTER = "N"
HEAD = f"{VERSIONS}~"
"""The sort key of a head. It sorts after all closed versions."""
REGISTRY = Key("META", "slots")
"""The key of the registry."""
MEMBER_ID_BACKFILL = Key("META", "memberIds")
"""The key of the item with the classes in which all member names have ids (members/backfill.py)."""
_CATALOG = "catalog"
SERVED_MODELS = Key("META", "servedModels")
"""The key of the list of the models that have served (served_models.py)."""
FILE_HOLD = Key("META", "fileHold")
"""The key of the item that keeps the sweep from removing bytes for a while."""
ERASED = "ERASED"
"""The partition with the ids of erased objects. No partition of objects has this name: theirs contain `#`."""
LISTING = "index1"
"""The index that lists the objects of each class by id. It also lists all ledgers."""
PURGES = "P#"
"""The partition of LISTING with all ledgers, and the prefix of the ledgers' own partitions.

It is not the name of a class, because names of classes contain no `#`.
"""
FILE_ENTRIES = "F#"
"""The partition of LISTING with all entries of the file ledger, and the prefix of their own partitions."""
IDEMPOTENCY_RECORDS = "I#"
"""The partition of LISTING with the idempotency records that expire, and the prefix of their partitions."""
_DELETED = "T#"
DELETED_BY_TIME = "index2"
"""The index that lists the deleted objects of each class by the time of deletion. LISTING has them by id.

They are in partitions whose names no index of a class has, because no name of a class is a number.
"""
_JOBS = "J#"
_JOB = "J"
_OF_DELETION = "P"
_OF_RESTORATION = "R"


def checkpoint(work: str) -> Key:
    """Return the key of the item with the progress of a long task. `work`: the name of the task.

    The name is hashed, because DynamoDB limits the length of keys.
    """
    return Key("META", f"checkpoint#{sha256(work.encode('utf-8', 'surrogatepass')).hexdigest()}")


def catalog(part: int = 0) -> Key:
    """Return the key of the catalog of stored names. `part`: the number of a further part, from 1."""
    return Key("META", f"{_CATALOG}#{part}" if part else _CATALOG)


def served_text(digest: str, piece: int) -> Key:
    """Return the key of a piece of the text of a served model, by the SHA-256 of the text."""
    return Key("META", f"servedModel#{digest}#{piece}")


def erased(root: Reference, part: Reference | None = None) -> Key:
    """Return the key of the entry of an erased object, or of one that was erased with it as its part."""
    sort = f"E#{root.class_name}#{root.id}"
    return Key(ERASED, sort if part is None else f"{sort}#{part.class_name}#{part.id}")


def head(reference: Reference) -> Key:
    """Return the key of an object's head."""
    # Every read passes here for each object. The constructor would take twice as long.
    return tuple.__new__(Key, (f"{reference.class_name}#{reference.id}", HEAD))


def reference_of(key: Key) -> Reference:
    """Return the object to whose partition a key belongs."""
    class_name, id_ = key.partition.split("#", 1)
    return Reference(class_name, id_)


def id_of(key: Key) -> str:
    """Return the id of the object to whose partition a key belongs."""
    return id_in(key.partition)


def id_in(partition: str) -> str:
    """Return the id of the object to whom a partition belongs."""
    return partition.split("#", 1)[1]


def id_starts(class_name: str) -> int:
    """Return where the id starts in the partitions of objects of a class."""
    return len(class_name) + 1


def version(reference: Reference, start: Instant) -> Key:
    """Return the key of a closed version of an object, by its start."""
    return Key(head(reference).partition, version_sort(start))


def version_sort(start: Instant) -> str:
    """Return the sort key of a closed version. These sort by start."""
    return f"{VERSIONS}{start:015d}"


def link(reference: Reference, name: str, other: str) -> Key:
    """Return the key of a link between two objects. `name`: of the role; `other`: the id of the target."""
    return Key(f"{reference.class_name}#{reference.id}", f"{links(name)}{other}")


def links(name: str) -> str:
    """Return the prefix of the sort keys of an object's links for the role with this name."""
    return f"{_LINKS}{name}#"


def former_link(reference: Reference, name: str, other: str) -> Key:
    """Return the key of a former link, with the arguments of `link`."""
    return Key(head(reference).partition, f"{former_links(name)}{other}")


def former_links(name: str) -> str:
    """Return the prefix of the sort keys of former links, which sort directly after the links of the role."""
    return f"{_LINKS}{name}$"


def end_of(key: Key) -> tuple[Reference, RoleName] | None:
    """Return the object and the role of a link by its key, None for keys of other items."""
    if not key.sort.startswith(_LINKS) or "$" in (name := key.sort.split("#", 2)[1]):  # a former link
        return None
    reference = reference_of(key)
    class_name, _, role_name = name.rpartition(".")  # the name has a class if the role is of another class
    return reference, RoleName(class_name or reference.class_name, role_name)


def one_to_one_guard(role: RoleName, target: str) -> Key:
    """Return the key of the guard of a target to which only one object may refer by a one-to-one role."""
    return Key(f"O#{role}#{target}", "O")


def counter(name: SerialName) -> Key:
    """Return the key of the counter of a Serial attribute."""
    return Key(f"N#{name.class_name}.{name.attribute}", _COUNTER)


def serial_of(key: Key) -> SerialName | None:
    """Return the Serial attribute of a counter by its key, None for keys of other items."""
    if key.sort != _COUNTER:
        return None
    return SerialName(*key.partition.removeprefix("N#").split(".", 1))


def is_in_object(key: Key) -> bool:
    """Return whether a key is that of a head, closed version, tombstone, link or former link."""
    return key.sort.startswith((VERSIONS, _LINKS))


def is_ledger(key: Key) -> bool:
    """Return whether a key is that of a ledger, or of a list of the parts of a staged restoration."""
    return key.partition.startswith(PURGES) and not is_in_object(key)


def purge(reference: Reference) -> Key:
    """Return the key of the ledger that the deletion of an object leaves."""
    return Key(ledgers(reference), _OF_DELETION)


def update_purge(reference: Reference, commit_id: str) -> Key:
    """Return the key of the ledger that an update leaves for the parts that it has removed."""
    return Key(ledgers(reference), f"{_OF_DELETION}#{commit_id}")


def is_of_deletion(key: Key) -> bool:
    """Return whether a ledger's key is that of a deletion."""
    return key.sort == _OF_DELETION


def restoration(reference: Reference) -> Key:
    """Return the key of the ledger of a staged restoration. An object has at most one at a time."""
    return Key(ledgers(reference), _OF_RESTORATION)


def is_of_restoration(key: Key) -> bool:
    """Return whether a ledger's key is that of a restoration."""
    return key.sort == _OF_RESTORATION


def is_part_list(key: Key) -> bool:
    """Return whether a key is that of a list of the parts that a staged restoration has restored."""
    return key.sort.startswith(f"{_OF_RESTORATION}#")


def staged_part(reference: Reference, commit_id: str) -> Key:
    """Return the key of the list of the parts that one commit of a staged restoration has restored."""
    return Key(ledgers(reference), f"{_OF_RESTORATION}#{commit_id}")


def staged_bounds(prefix: str) -> Bounds:
    """Return the bounds of such lists of parts, for the commits whose ids start with a prefix."""
    low = f"{_OF_RESTORATION}#{prefix}"
    return Bounds(low, f"{low[:-1]}{chr(ord(low[-1]) + 1)}", high_included=False)


ALL_LEDGERS = Bounds(_OF_DELETION, _OF_RESTORATION)
"""The bounds of an object's ledgers, without lists of parts."""


def ledgers(reference: Reference) -> str:
    """Return the partition of an object's ledgers."""
    return f"{PURGES}{reference.class_name}#{reference.id}"


def ledger_of(key: Key) -> Reference:
    """Return the object that a ledger is about, by the ledger's key."""
    class_name, id_ = key.partition.removeprefix(PURGES).split("#", 1)
    return Reference(class_name, id_)


def ledger_name(key: Key) -> str:
    """Return the name of a ledger among all ledgers, by its key."""
    return f"{key.sort}/{key.partition.removeprefix(PURGES)}"


def named_ledger(name: str) -> Key:
    """Return the key of a ledger by its name."""
    sort, reference = name.split("/", 1)
    return Key(f"{PURGES}{reference}", sort)


def jobs(kind: str) -> str:
    """Return the partition of LISTING with the jobs of a kind, before it is divided into shards."""
    return f"{_JOBS}{kind}"


def job(kind: str, key: str) -> Key:
    """Return the key of a job by its key in its kind."""
    return Key(f"{_JOBS}{kind}#{key}", _JOB)


def idempotency_scope(scope: str) -> str:
    """Return the partition of all records of an idempotency key."""
    return f"{IDEMPOTENCY_RECORDS}{scope}"


def idempotency_record(scope: str, step: str) -> Key:
    """Return the key of the record of one step of a mutation with an idempotency key."""
    return Key(idempotency_scope(scope), step)


def idempotency_step(key: Key) -> tuple[str, str]:
    """Return the scope and the step of an idempotency record by its key."""
    return key.partition.removeprefix(IDEMPOTENCY_RECORDS), key.sort


def is_idempotency_record(key: Key) -> bool:
    """Return whether a key is that of an idempotency record."""
    # Objects of a class named "I" are in such partitions too.
    return key.partition.startswith(IDEMPOTENCY_RECORDS) and key.sort[:1].isdigit()


def file_entry(id_: str) -> Key:
    """Return the key of an entry of the file ledger, by the id of an upload or of a released file."""
    return Key(f"{FILE_ENTRIES}{id_}", "F")


def file_entry_id(key: Key) -> str:
    """Return the id of an entry of the file ledger."""
    return key.partition.removeprefix(FILE_ENTRIES)


def file_entries_of(member_id: str) -> str:
    """Return the partition of an index with the uploads of a member."""
    return f"{FILE_ENTRIES}#{member_id}"


def listing_partition(class_name: str) -> str:
    """Return the partition of the first listing of a class, which has one shard."""
    return class_name


def index_partition(class_name: str, number: int) -> str:
    """Return the partition of an index of a class.

    Numbers are never reused, so a partition never contains entries of an earlier index.
    """
    return f"{class_name}#{number}"


def deleted_partition(class_name: str, number: int) -> str:
    """Return the partition with the deleted objects of a class. `number`: of the entry in the registry."""
    return f"{_DELETED}{class_name}#{number}"


def deletion_sort(ended: Instant, id_: str) -> str:
    """Return the sort key of a deleted object in DELETED_BY_TIME."""
    return f"{ended:015d}#{id_}"


def shards_of(partition: str, shards: int) -> tuple[str, ...]:
    """Return the partitions of the shards of an index. A single shard is the partition of the index."""
    return (partition,) if shards == 1 else tuple(f"{partition}#{shard}" for shard in range(shards))


def shard_of(partition: str, shards: int, id_: str) -> str:
    """Return the partition of an index in which an object lies. It depends on the object's id alone."""
    if shards == 1:
        return partition
    return f"{partition}#{crc32(id_.encode('utf-8', 'surrogatepass')) % shards}"


def guard(class_name: str, unique: Unique, state: State) -> Key | None:
    """Return the key of the guard of an object's unique values, None if one of them is null."""
    prefix, names = _guard_prefix(class_name, unique.attributes)
    values = [_canonical(state.get(name)) for name in names]
    if None in values:
        return None
    digest = sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).hexdigest()
    return Key(prefix + digest, "U")


@lru_cache(maxsize=1024)
def _guard_prefix(class_name: str, attributes: tuple[str, ...]) -> tuple[str, list[str]]:
    # Sorted by name, so that another order in the model does not change the key.
    names = sorted(attributes)
    return f"U#{class_name}.{','.join(names)}#", names


def _canonical(value: Any) -> Any:
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value
