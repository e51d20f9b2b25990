"""The SQLite engine: one embedded database file, which several processes of a machine can share.

Read in this order:

1. engine: the calls of the port, and one connection for each thread that reads.
2. table: the table, with one row for each item.
3. queries: the SELECT statements.
4. writer: the only thread that writes; it groups concurrent commits into one transaction.
5. commit: executes one batch inside a transaction.
6. file: opens, checks, creates and upgrades a database file, and has a connection for one call at a time.
7. errors: maps SQLite's errors to refusals, and waits while another process holds the file.
8. snapshot: all items at one instant.
9. vacuum: rebuilds a file, so that nothing of what was deleted remains.

Sign-in `attempts` and the members (`members.stores`) are in files of their own, with an
`ExclusiveConnection`. Of the store, imports only engine.
"""
