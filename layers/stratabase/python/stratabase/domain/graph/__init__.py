"""The decisions of writing whole graphs: an object with its parts, and both ends of its associations."""
