"""What `stratabase members` does."""
