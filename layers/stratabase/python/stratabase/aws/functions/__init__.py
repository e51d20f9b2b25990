"""The Lambda functions that API Gateway calls: their events, and their handler."""
