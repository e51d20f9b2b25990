"""Commands that compare models (`model_diff`), update objects (`reindex`, `backfill`), and `erase` one."""
