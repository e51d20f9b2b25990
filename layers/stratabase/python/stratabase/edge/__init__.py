"""The HTTP face: callers, formats, problem details."""
