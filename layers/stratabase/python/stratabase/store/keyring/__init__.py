"""Where the keys of tokens are kept."""
