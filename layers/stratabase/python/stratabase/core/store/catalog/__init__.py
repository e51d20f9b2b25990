"""The store's memory of names: which classes, attributes, roles, enum values and profiles were ever served.

Read `catalog` (the catalog as an immutable value), then `catalog_store` (the items, and when they are
written).
"""
