"""The embedded engine: one SQLite file that the processes of a machine may share.

Read in this order: engine (the port's three calls), table (one row for each item), queries (the statements
that read), readers (a connection for each thread that reads), writer (the one thread that writes), commit
(what a batch does inside a transaction), file (opens, recognizes and lays out a file), errors (what
SQLite's errors mean, and waiting for other processes). Beside it: members and attempts, each in a file of
its own.

Imports engine; members and attempts also import the domain.
"""
