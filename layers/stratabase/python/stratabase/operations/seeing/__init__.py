"""What a caller sees of objects: those that its grants let it read, and of these what they let it read."""
