"""What can exist: the model, its classes, attributes and roles."""
