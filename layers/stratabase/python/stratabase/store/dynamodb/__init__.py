"""The distributed engine: one DynamoDB table."""
