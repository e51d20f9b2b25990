"""The format of every item in the store: its key, its attributes, its index entries, and conditions on it.

Read in this order:

1. keys: every kind of item with its key, in one table.
2. codec: converts between entities and head items, with the lock of an object.
3. object_items: conditions on a head, such as that the object exists; the guards and versions of an object.
4. links: the items that follow associations.
5. ledgers, jobs, upload_entries, file_entries: items about work that writes leave, and about files.
6. access_path: one index of a class, and the index entries of its objects: texts that sort like the values.
7. associations: how each role of a model is stored.
8. deleted_listing: the positions of deleted objects, by id and by time.

Imports the storage port, the domain and the model. All other packages of the store import it.
"""
