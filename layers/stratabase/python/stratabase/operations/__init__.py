"""One verb per file: gather, decide, commit."""
