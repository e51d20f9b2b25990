"""The DynamoDB engine: one table that any number of processes share.

Read in this order:

1. engine: the calls of the port.
2. range_query, count_query: a range or a count as DynamoDB queries.
3. commit: a batch as a single write or as one `TransactWriteItems`.
4. expressions: conditions and updates in DynamoDB's expression language.
5. records: items in DynamoDB's typed JSON.
6. table: names, indexes, limits.
7. retry, errors: which failures are retried, and which refusals the others become.
8. client, signed_client, signature, http_exchange: the client's interface, and a small client that signs
   requests itself.
   botocore_client: the same over botocore, for those who prefer it.

Of the store, imports only engine. Credentials are in `aws.endpoint`, addresses in `aws.addresses`.
Members are in a separate table (`aws.members`), whose code shares client, errors and retry.
"""
