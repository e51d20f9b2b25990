"""Gives the objects that are there what a newer model or a newer version of the service needs of them.

All of it may be stopped, started again and done by several processes at once, while others read and write.

Read in this order: reindex (builds what the registry lists and is not READY, class by class), uniques (the
guards of uniqueness constraints), required_roles (the links and counts of required roles), member_names (the
ids of members for names that older versions of the service wrote).

Imports the packages that write objects, indexes, layout and engine. Only the commands import it.
"""
