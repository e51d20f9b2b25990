"""Erases objects with their parts and versions, in steps that can be interrupted and repeated.

1. `begin` checks that the object may be deleted, and writes the ids of the object and its parts to the list
   of erased ids, with a job that finishes what is interrupted.
2. The object is deleted like any other, by an ordinary commit: its associations end, and concurrent writes
   fail. Then its tombstone is removed together with a note in the list. From then on, nobody can restore it.
3. `complete` removes all that is left: in items of other objects and in kept answers, in scans that are
   repeated until one finds nothing; then the bytes of files; then the items of the object and its parts.
4. An embedded database is rebuilt, and the list keeps nothing but ids and instants.

An import and a restore erase what the list has in the same way. They delete without the checks of step 1,
because the object was erased when it could be.
"""

from collections.abc import Callable, Generator, Iterator, Sequence

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.jobs.job import Job, JobKind
from stratabase.core.model.model import Model
from stratabase.core.operations.context import Services
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.store.engine.parallel import ParallelMap, sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.evolution.erasure.begin import KIND, ErasureBeginning, root_of
from stratabase.evolution.erasure.complete import ErasureCompletion, Receipt
from stratabase.evolution.erasure.erased_ids import ErasedId


class Erasures:
    """Erases objects of a model."""

    def __init__(  # noqa: PLR0913 - the parts of an app
        self,
        services: Services,
        model: Model,
        engine: Engine,
        files: FileStores,
        *,
        parallel_map: ParallelMap = sequential_map,
        vacuum: Callable[[], bool] | None = None,
    ) -> None:
        """`model`: without the classes of members. `vacuum`: rebuilds an embedded database, if it is one."""
        self._beginning = ErasureBeginning(services, model, engine)
        self._completion = ErasureCompletion(
            services, model, engine, files, parallel_map=parallel_map, vacuum=vacuum
        )

    def begin(self, shown: Reference, caller: Caller) -> Reference:
        """Delete an object for good, unless that was done before; return it with its stored name.

        `shown`: with the name of the model. Afterwards, `steps` erases what is left. Raises NotFound if there
        never was such an object, Conflicting if it may not be deleted, Unavailable.
        """
        return self._beginning.begin(shown, caller)

    def steps(self, root: Reference) -> Iterator[None]:
        """Erase all that is left of an object, and yield after each step. Raises Unavailable.

        Any number of processes can do this at the same time. Each of them ends when all is erased.
        """
        return self._completion.steps(root)

    def apply(self, listed: Sequence[ErasedId]) -> Generator[None, None, int]:
        """Erase the objects on a list of erased ids that the store has nevertheless. Yield after each step.

        All entries are added to the list of the store. Return the number of objects. Raises Unavailable.
        """
        return self._completion.apply(listed)

    def receipt(self, root: Reference) -> Receipt:
        """Return what was erased of an object so far. `root`: with its stored name."""
        return self._completion.receipt(root)

    def leave_to_job(self, root: Reference) -> None:
        """Let the job finish an erasure now, which this process does not go on with."""
        self._beginning.leave_to_job(root)

    def kinds(self) -> list[JobKind[str]]:
        """Return the kind of job that finishes erasures."""
        queue = self._beginning.queue
        return [JobKind(KIND, queue, self._run, on_added=queue.on_added)]

    def _run(self, job: Job[str]) -> Iterator[None]:
        """Finish an erasure that was interrupted, or withdraw one that has not deleted its object yet."""
        root = root_of(job)
        self._beginning.settle(root)
        yield from self.steps(root)
