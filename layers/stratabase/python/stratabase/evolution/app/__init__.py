"""What the package brings to an app: its `routes` of Lambda functions. Imports the rest of `evolution`."""
