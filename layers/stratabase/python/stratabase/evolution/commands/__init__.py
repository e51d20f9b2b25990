"""The commands that compare models and update stored objects."""
