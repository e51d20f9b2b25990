"""What clients give to be written: the types of inputs, and the commands that they come to."""
