"""Every item in the store: its key, its attributes, its places in indexes, and the conditions on it.

Read in this order: keys (every key, in a table), codec (a head as an entity), heads (conditions on a head),
locks, versions (closed versions and tombstones), links, guards (unique values and one-to-one targets),
ledgers (what writes leave for later), index_text (values as texts whose order is that of the values),
access_path (an index of a class, and where an object lies in it), associations (how the roles of a model are
stored).

Imports the storage port, the domain and the model. All other packages of the store import it.
"""
