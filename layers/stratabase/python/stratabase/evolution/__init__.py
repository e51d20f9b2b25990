"""Changes of the model: what a change means for the stored objects, and the work that makes them fit.

- `difference`: compares two models, and asks questions about the stored objects
- `backfill`: builds what existing objects lack after a change, and records the models that served
- `erasure`: removes a single object for good
- `served_comparison`: compares a model with those that serve from a store
- `layout_upgrade`: raises the layout of stores
- `service_report`, `service_endpoint`: what administrators read about the running service, in `app`'s routes
- `commands`: the commands `model diff`, `model convert`, `model drop`, `reindex` and `erase`

Imports `members`, `core`, `terminal` and `values`.
"""
