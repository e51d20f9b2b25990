"""The distributed engine: one DynamoDB table that any number of processes share.

Read in this order: engine (the port's three calls; get), range_query (a range as queries), commit (a batch
as one write or one transaction), expressions (conditions and updates as DynamoDB writes them), records
(items as typed values), table (names, indexes, limits). Below them: retry and errors (which failures are
tried again, and what the others mean), client (what the engine needs of a client), signed_client with
signature (our own client). Beside them: metering and capacity (what calls consume).

Imports engine. Nothing else of the store. Endpoints and credentials are in stratabase.aws. The records of the
members have a table of their own (adapters/members), which shares client, errors and retry.
"""
