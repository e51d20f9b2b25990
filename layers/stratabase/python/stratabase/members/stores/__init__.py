"""The store of members on this machine, a SQLite file.

`member_file` opens the file. `sqlite_members` has the members, and the mark of the store
(core/domain/store_mark.py). `sqlite_audit` has the audit trail, and when keys were last used.
`metered_members` reports what reads consume. tests/contract/members verifies that all stores behave the same.
Existing instances contain data, so the layouts of the files must stay readable.
"""
