"""Moves data out of a store, into a store, and between stores.

`csv` has the objects of one class as rows of a CSV file, and `client` transfers files over HTTP. The others
move all data of an instance.

Read in this order:

1. format: the files of an export, and their manifest.
2. records: converts between the items of a store and the lines of an export.
3. export: writes the objects, versions, links and files of a store.
4. checking: checks an export against a model before anything is written.
5. store_state: how far an import has come, which the store keeps, and checks before a command uses a store.
6. importing: writes an export to an empty store.
7. members: exports and imports members.
8. backup: copies the data folder of an instance on SQLite, and restores it.

`docs/export-and-import.md` describes the format for users. Imports the store, the operations and the domain.
Only the commands import it.
"""
