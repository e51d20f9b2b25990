"""The storage port, and helpers that work with every engine.

An engine stores items under keys and has the calls `get`, `range`, `count`, `commit` and `increment`.
`store.sqlite` and `stratabase_aws.dynamodb` implement it. The rest of the store depends only on this port.

Read in this order:

1. port: items, expectations, batches, and the calls with their guarantees.
2. expectations: evaluates expectations against items.
3. patches: applies patches to items.
4. delegating: passes all calls on to another engine; the base of wrappers.
5. overlay: keeps writes in memory, over the items of another engine.
6. offloading: keeps engine calls from blocking the local server.
7. snapshot: all items of a store at one instant.
8. parallel: runs several reads at the same time, and counts round trips.
9. sharded_range: reads and counts what is spread over several partitions.
10. updates: commits that are planned again if an item has changed.
11. read_limiter: charges reads to the read budget of a request.
12. metering, capacity: the capacity units that calls consume, which also SQLite shows.

Imports the domain's refusals and read budget, and no other package of the store.
"""
