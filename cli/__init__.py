"""What a person runs: the commands of `stratabase`."""
