"""The texts of the models that have served from a store, and when; and the models that somebody accepted.

No request reads or writes them. A process writes its model when it starts to serve, and then at most once an
hour. `stratabase model diff` reads them. The list is one item. Each text is compressed, in items of its own,
because an item of DynamoDB holds at most 400 KB.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256

import orjson

from stratabase.core.app.app import App
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.jobs.job import EachRound, Job, JobKind
from stratabase.core.store.engine.actions import new_commit_id, update_items
from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Batch,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    Item,
    Put,
)
from stratabase.core.store.layout import keys
from stratabase.values.frozen import frozen

NOTE_INTERVAL = 60 * 60 * 1000
"""The milliseconds after which a process that serves writes again when its model was last seen."""
MAX_KEPT = 5
"""The maximum number of models that the store keeps."""
MAX_PIECE = 300_000
"""The maximum number of characters of a piece of a compressed text."""
MAX_PIECES = 10
_REVISION = "revision"
_PREDATES_ACCESS = "predates_access"


class ModelTextTooLarge(Exception):
    """The text of a model is too large to be kept. Nothing was written."""

    def __init__(self, size: int) -> None:
        super().__init__(
            f"The model has {size:,} bytes after compression. Stratabase keeps the text of served models "
            f"up to {MAX_PIECE * MAX_PIECES:,} bytes, so `stratabase model diff` can compare this model with "
            "others only if you name its file."
        )


@frozen
class ServedModel:
    """A model that serves, or that has served. Instants are coarse: see NOTE_INTERVAL."""

    digest: str
    """The SHA-256 of its text."""
    pieces: int
    first_seen: Instant
    last_seen: Instant
    replaced: bool = False
    """Whether the process that served it serves another model now."""
    predates_access: bool = False
    """Whether a version of Stratabase served it in which a profile without grants could do everything."""


class ServedModels:
    """The served models of a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[ServedModel, ...]:
        """Return the models that were kept, the one that was seen last first. Raises Unavailable."""
        return self._read()[0]

    def serving(self) -> tuple[ServedModel, ...]:
        """Return the models that serve, as far as the store knows, the one that was seen last first.

        If nothing serves now, it is the one that served last. A model serves beside it if a process has seen
        it after the other one began.
        """
        known = [each for each in self.all() if not each.replaced] or list(self.all()[:1])
        return tuple(
            each
            for each in known
            if each is known[0]
            or (
                each.last_seen >= known[0].first_seen
                and each.last_seen > known[0].last_seen - 2 * NOTE_INTERVAL
            )
        )

    def text(self, model: ServedModel) -> str:
        """Return the text of a model. Raises Unavailable."""
        items = self._engine.get([keys.served_text(model.digest, piece) for piece in range(model.pieces)])
        return zlib.decompress(b64decode("".join((item and item.state) or "" for item in items))).decode()

    def record(self, text: str, now: Instant, replaced: str | None = None) -> None:
        """Note that a model serves. `replaced`: the text of the model that the process has served until now.

        It writes nothing if the model was seen less than NOTE_INTERVAL before. Raises ModelTextTooLarge,
        Unavailable.
        """
        digest = text_digest(text)
        before = None if replaced is None else text_digest(replaced)

        def plan() -> tuple[None, Sequence[Action]]:
            known, revision = self._read()
            after = _with_seen(known, digest, now, None if before == digest else before)
            if after == known:
                return None, ()
            if digest not in {each.digest for each in known}:
                after = (replace(after[0], pieces=self._write_text(digest, text)), *after[1:])
            return None, _list_actions(after, known, revision)

        update_items(self._engine, "served", plan)

    def _read(self) -> tuple[tuple[ServedModel, ...], int | None]:
        (item,) = self._engine.get([keys.SERVED_MODELS])
        if item is None:
            return (), None
        revision = item.attributes[_REVISION]
        assert isinstance(revision, int)
        # Earlier versions write lists without this attribute, and read lists with it.
        predating = item.attributes.get(_PREDATES_ACCESS)
        models = (ServedModel(*fields) for fields in orjson.loads(item.state or "[]"))
        return tuple(
            replace(each, predates_access=not isinstance(predating, str) or each.digest in predating)
            for each in models
        ), revision

    def _write_text(self, digest: str, text: str) -> int:
        """Write the pieces of a text one by one, and return their number."""
        packed = b64encode(zlib.compress(text.encode(), 9)).decode()
        pieces = [packed[at : at + MAX_PIECE] for at in range(0, len(packed), MAX_PIECE)]
        if len(pieces) > MAX_PIECES:
            raise ModelTextTooLarge(len(packed))
        for number, piece in enumerate(pieces):
            put = Put(Item(keys.served_text(digest, number), state=piece), NO_EXPECTATION)
            self._engine.commit(Batch(new_commit_id("served"), (put,)))
        return len(pieces)


def _list_actions(
    models: Sequence[ServedModel], before: Sequence[ServedModel], revision: int | None
) -> Sequence[Action]:
    """Return the actions that replace the list, as it was read, and remove the texts that it lacks now."""
    kept = {each.digest for each in models}
    gone = [
        DeleteItem(keys.served_text(each.digest, piece))
        for each in before
        if each.digest not in kept
        for piece in range(each.pieces)
    ]
    state = orjson.dumps(
        [[each.digest, each.pieces, each.first_seen, each.last_seen, each.replaced] for each in models]
    ).decode()
    expect = (
        NOT_EXISTS
        if revision is None
        else Expectation(conditions=(Condition(_REVISION, ConditionOperator.EQUALS, revision),))
    )
    predating = " ".join(each.digest for each in models if each.predates_access)
    item = Item(keys.SERVED_MODELS, {_REVISION: (revision or 0) + 1, _PREDATES_ACCESS: predating}, state)
    return Put(item, expect), *gone


def text_digest(text: str) -> str:
    """Return the SHA-256 of the text of a model."""
    return sha256(text.encode()).hexdigest()


def _with_seen(
    known: tuple[ServedModel, ...], digest: str, now: Instant, replaced: str | None
) -> tuple[ServedModel, ...]:
    """Return the models, the one that was seen now first. It is the same list if nothing is to be written."""
    own = next((each for each in known if each.digest == digest), ServedModel(digest, 0, now, now))
    others = tuple(
        replace(each, replaced=True) if each.digest == replaced else each
        for each in known
        if each.digest != digest
    )
    is_current = own in known and not own.replaced and now - own.last_seen < NOTE_INTERVAL
    is_current = is_current and not own.predates_access
    if is_current and others == tuple(each for each in known if each.digest != digest):
        return known
    # A model that was away for long, and comes back, begins anew.
    is_back = own.replaced or now - own.last_seen > 2 * NOTE_INTERVAL
    first_seen = now if is_back else own.first_seen
    seen = replace(own, last_seen=now, replaced=False, first_seen=first_seen, predates_access=False)
    return (seen, *others)[:MAX_KEPT]


_KEY = keys.checkpoint("accepted model")


class AcceptedModels:
    """The last step that was accepted in a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def accept(self, old: Iterable[str], new: str) -> None:
        """Record that a model may be served in place of others. Raises Unavailable.

        `old`: the digests of these. `new`: the text of the model.
        """
        state = orjson.dumps({"old": sorted(old), "new": text_digest(new)}).decode()
        self._engine.commit(Batch(new_commit_id("accept"), (Put(Item(_KEY, state=state)),)))

    def is_accepted(self, old: str, new: str) -> bool:
        """Return whether a model may be served in place of another one. Raises Unavailable.

        `old`: the digest of that one. `new`: the text of the model.
        """
        (item,) = self._engine.get([_KEY])
        if item is None:
            return False
        accepted = orjson.loads(item.state or "{}")
        return old in accepted["old"] and accepted["new"] == text_digest(new)


def record_served_model(app: App, replaced: str | None = None) -> None:
    """Keep the text of the model in the store. Most calls only read an item.

    `replaced` is the text of the model that this process served before. Raises ModelTextTooLarge,
    Unavailable.
    """
    if app.model_text is not None:
        ServedModels(app.engine).record(app.model_text, app.clock.now(), replaced)


def served_model_jobs(app: App) -> tuple[JobKind[None]]:
    """Return the kind of job that keeps the text of the model in each round, unless it is too large.

    Functions on AWS have no start of their own that could do it.
    """

    def note(_job: Job[None]) -> Iterator[None]:
        with suppress(ModelTextTooLarge):
            record_served_model(app)
        return iter(())

    return (JobKind("served model", EachRound(), note, lease=None),)
