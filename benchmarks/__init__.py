"""What the service costs, measured."""
