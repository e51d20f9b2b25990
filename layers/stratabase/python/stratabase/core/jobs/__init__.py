"""Jobs: durable work that a write leaves for later, the queues that keep it, and the runner that does it.

Read `job` first, then `runner`. A write adds a job to its own batch: `EngineQueue.put` in
`store/write/job_queue` returns the action, and `EngineQueue.announce` follows the commit. `CONTRIBUTING.md`
says what a kind of job needs.

A job is an item of the store that causes it: its key, when it is due, and how many attempts have begun. A
kind of job is one row, a `JobKind`: its queue, and the function that does a job. `core/features.py` names
all kinds.

A job is done at least once:

1. The runner lists what is due, and asks again before it begins, because the list may be old.
2. It takes the job on a lease: it moves the instant at which the job is due to the end of the lease, if
   nobody else has moved it. So the clock of each runner counts at the moment of use. If the process ends, the
   job becomes due again. Kinds whose steps are conditional writes need no lease: two runners do no harm.
3. If an attempt fails, the job is due again after a pause, which grows. After the last pause, the runner sets
   the job aside: it stays in its queue, where `stratabase store jobs` shows it and makes it due again.

An outage of the store, which raises Unavailable, is not a failure of a job. It ends the round.

Imports `core.domain`, `core.observe` and `values` only.
"""
