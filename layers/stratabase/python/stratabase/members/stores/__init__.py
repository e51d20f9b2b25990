"""The stores of members and of sign-in attempts on this machine, with a SQLite file each.

`sqlite_mark` keeps the mark of the store (core/domain/store_mark.py). `metered_members` reports what reads
consume. tests/contract/members and tests/contract/attempts verify that all stores behave the same. Existing
instances contain data, so the layouts of the files must stay readable.
"""
