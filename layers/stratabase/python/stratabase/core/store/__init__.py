"""The object store: how entities, their links and their history become items in SQLite or DynamoDB.

`repository.Repository` is the entry: the operations read and commit through it.

| package | content |
|---|---|
| engine | the port that SQLite and DynamoDB implement: `get`, `range` and `commit` |
| layout | the format of every item: keys, attributes, index entries |
| indexes | the registry: which indexes and constraints exist, and whether they are built |
| read | reads by key, links, history |
| query | pages: a planner, and plans that read from indexes |
| write | atomic commits with optimistic concurrency control, locks, deferred cleanup |
| backfill | builds indexes, unique values and counts for objects that are older than they are |
| sqlite, dynamodb | the two engines |
"""
