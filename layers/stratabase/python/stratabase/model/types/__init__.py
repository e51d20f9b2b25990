"""The attribute types, one file each."""
