"""The handler of the Lambda function `reindex`, which builds what a changed model needs."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from stratabase_aws.functions.handlers import LambdaContext, app

if TYPE_CHECKING:
    from stratabase.core.app.app import App

STEP_MILLISECONDS = 60_000
"""The maximum duration of a step of the build, including retries. With less time left, the build stops."""
_MAX_DUPLICATES = 20
"""The maximum number of duplicates of a class in the answer."""


def reindex_handler(
    service: "Callable[[], App]" = app,
    now: Callable[[], int] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Callable[[Mapping[str, Any] | None, LambdaContext], Mapping[str, Any]]:
    """Return the handler of the function `reindex`.

    It takes an event such as `{"class": "Employee"}` or `{"classes": ["Employee", "Team"]}`; without either,
    it builds all classes. It answers with the state of each class that it has built: how many objects this
    call has processed, `ready`, the `unfinished` entries, and their `duplicates`. If the time was not enough,
    `finished` is false, and `next` is the event with which to call the function again: it continues there.

    Raises ValueError for an event that names something else. `service`: returns the app of the process.
    `now`: returns milliseconds since 1970.
    """

    def reindex(event: Mapping[str, Any] | None, context: LambdaContext) -> Mapping[str, Any]:
        built = service()
        left, states = _class_names(event or {}, built), dict[str, Any]()
        build = _Build(built, context, now, sleep)
        while left and build.has_time():
            state = build.run(left[0])
            states[left[0]] = state
            if state.pop("stopped"):
                break
            left = left[1:]
        answer = {"finished": not left, "classes": states}
        built.log.info("Reindex", finished=not left, classes=states)
        return {**answer, "next": {"classes": left}} if left else answer

    return reindex


def _class_names(event: Mapping[str, Any], service: "App") -> Sequence[str]:
    """Return the names of the classes in an event. Raises ValueError if they do not exist."""
    stored = [class_.name for class_ in service.model.classes.values() if class_.is_stored]
    wanted = [event["class"]] if "class" in event else event.get("classes", stored)
    if not isinstance(wanted, list) or (unknown := [name for name in wanted if name not in stored]):
        named = wanted if not isinstance(wanted, list) else ", ".join(map(str, unknown))
        raise ValueError(f"These classes do not exist: {named}. Use: {', '.join(stored)}.")
    return wanted


class _Build:
    """The builds of one invocation, as long as it has time."""

    def __init__(
        self,
        service: "App",
        context: LambdaContext,
        now: Callable[[], int] | None,
        sleep: Callable[[float], None],
    ) -> None:
        # Imported here, because no other function needs it.
        from stratabase.core.store.indexes.registry_cache import now_in_milliseconds  # noqa: PLC0415
        from stratabase.evolution.backfill.class_heads import OutOfTime  # noqa: PLC0415
        from stratabase.evolution.backfill.reindex import Reindex  # noqa: PLC0415
        from stratabase.evolution.backfill.resharding import Resharding  # noqa: PLC0415

        def pause(seconds: float) -> None:
            if seconds and not self.has_time(seconds):
                raise OutOfTime
            sleep(seconds)

        self._context = context
        self._out_of_time = OutOfTime
        self._resharding = Resharding(
            service.engine,
            service.model,
            now=now or now_in_milliseconds,
            sleep=pause,
            parallel_map=service.platform.parallel_map,
            has_time=self.has_time,
        )
        self._reindex = Reindex(
            service.engine,
            service.model,
            now=now or now_in_milliseconds,
            sleep=pause,
            parallel_map=service.platform.parallel_map,
            has_time=self.has_time,
        )

    def has_time(self, seconds: float = 0) -> bool:
        """Return whether there is time for another step, after a pause."""
        return self._context.get_remaining_time_in_millis() - seconds * 1000 >= STEP_MILLISECONDS

    def run(self, class_name: str) -> dict[str, Any]:
        """Build a class, or go on with it; return its state, with `stopped` if the time is over."""
        objects = 0

        def count(number: int) -> None:
            nonlocal objects
            objects += number

        outcome = self._reindex.run(class_name, count)
        is_stopped = outcome.is_stopped
        if not is_stopped:
            try:
                self._resharding.finish(class_name)
                self._reindex.free_indexes([class_name])
            except self._out_of_time:
                is_stopped = True
        duplicates = [*islice(_duplicates(outcome.duplicates), _MAX_DUPLICATES)]
        more = len(outcome.duplicates) - len(duplicates) + outcome.more
        ready = not (outcome.interrupted or outcome.duplicates or is_stopped)
        state = {
            "objects": objects,
            "ready": ready,
            "unfinished": [*outcome.interrupted],
            "duplicates": duplicates,
            "stopped": is_stopped,
        }
        return {**state, "moreDuplicates": more} if more else state


def _duplicates(found: Sequence[Any]) -> Iterator[dict[str, Any]]:
    from stratabase.core.store.indexes.entries import directive_label  # noqa: PLC0415 - see above

    for each in found:
        yield {"of": directive_label(each.unique), "values": dict(each.values), "ids": [*each.ids]}
