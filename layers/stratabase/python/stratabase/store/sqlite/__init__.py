"""The embedded engine: one SQLite file that the processes of a machine may share.

Read in this order: engine (the port's three calls), table (one row for each item), queries (the statements
that read), readers (a connection for each thread that reads), writer (the one thread that writes), commit
(what a batch does inside a transaction), file (opens, recognizes and lays out a file), errors (what
SQLite's errors mean, and waiting for other processes). The stores of members and of attempts
(adapters/members) have files of their own, and share file and errors.

Imports engine. Nothing else of the store.
"""
