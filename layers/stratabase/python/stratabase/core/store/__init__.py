"""The object store: how entities, their links and their history become items in SQLite or DynamoDB.

`repository.Repository` is the entry: the operations read and commit through it.

| package | content |
|---|---|
| engine | the port that SQLite and DynamoDB implement, and what works with every engine |
| layout | the format of every item: keys, attributes, index entries |
| indexes | the registry: which indexes and constraints exist, and whether they are built |
| read | reads by key, links, history |
| query | pages: a planner, and plans that read from indexes |
| write | atomic commits with optimistic concurrency control, locks, deferred cleanup |
| catalog | the names that models have used for what is stored |
| sqlite | the engine of this machine; that of DynamoDB is `stratabase_aws.dynamodb` |

`sources` has the objects of classes that are kept elsewhere. `renamed_repository` and `name_translation`
translate between the names of the model and those of the store. `marked_engine` refuses a store of another
instance. `ids` makes the ids of objects, and `staged_snapshot` copies a remote store. `file_ledger` and
`file_references` know the files of objects.
"""
