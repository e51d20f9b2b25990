"""The commands that compare models (`model_diff`) and update stored objects (`reindex`, `backfill`)."""
