"""What does exist, and its rules: no I/O, and no clock of its own."""
