"""The DynamoDB engine: one table that any number of processes share.

Read in this order:

1. engine: the calls of the port. It commits a batch as a single write or as one `TransactWriteItems`.
2. range_query: a range or a count as DynamoDB queries.
3. expressions: conditions and updates in DynamoDB's expression language.
4. records: items in DynamoDB's typed JSON.
5. table: names, indexes, limits.
6. retry, errors: which failures are retried, and which refusals the others become.
7. client, signed_client: the client's interface, and a small client that signs its requests.
   botocore_client: the same over botocore, for those who prefer it.

Of the store, imports only engine. Credentials are in `stratabase_aws.endpoint`, and addresses in
`stratabase_aws.addresses`. Members are in a separate table (`stratabase_aws.members`), whose code shares
client, errors and retry.
"""
