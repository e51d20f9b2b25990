"""What an operation costs, estimated before anything of it runs: how many objects it may read and write."""
