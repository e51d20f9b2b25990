"""Writes: turns a change of the domain into one atomic batch of the engine, or into several.

Concurrency control is optimistic. A transaction assumes the state of items that it has not read, and each of
its actions carries the expectation that the assumption holds. If an expectation fails, the engine writes
nothing and returns the items as they are. The transaction corrects its assumptions and tries again, or
raises a refusal.

Read in this order:

1. commit: the entry; attempts a transaction until it is committed or refused.
2. transaction: plans one action for each item, and corrects the plan after a refused attempt.
3. heads: the head item of an object, and the counts in it.
4. association_changes, idempotency: links and counts, and what requests with an idempotency key have done.
5. guard_writes: guards, which reserve unique values and one-to-one targets.
6. deletions: links and parts that end with a deleted object.
7. refusals: the table that maps failed expectations to refusals of the domain, and what is refused while a
   role is not built. It also looks for refusals of many creations at once.
8. staged_restoration, cleanup, cleanup_jobs, job_queue: writes that are too large for one commit, and the
   jobs that they leave.
9. lock_and_unlock, serials: the services that lock objects, and the numbers of Serial attributes. They don't
   use transactions. Whether a lock admits a write, `layout/object_items` says in the condition of each head.

Imports read, indexes, layout and engine. Backfills and the repository import it.
"""
