"""The storage port, and helpers that work with every engine.

An engine stores items under keys. `store.sqlite` and `stratabase_aws.dynamodb` implement the port
(`port.Engine`), and the rest of the store depends only on it.

Read in this order:

1. port: items, expectations, batches, and the calls with their guarantees.
2. actions: whether items meet expectations, what patches make of them, and commits that are tried again.
3. wrappers: engines that pass calls on to another one; they meter calls, or keep them from blocking the local
   server. capacity: the capacity units that calls consume, which also SQLite shows.
4. overlay: keeps writes in memory, over the items of another engine.
5. snapshot: all items of a store at one instant.
6. parallel: runs several reads at the same time, and counts round trips.
7. sharded_range: reads and counts what is spread over several partitions.
8. read_limiter: charges reads to the read budget of a request.

Imports the domain's refusals and read budget, and no other package of the store.
"""
