"""The ways from the objects of one level to those of the next, each in batches."""
