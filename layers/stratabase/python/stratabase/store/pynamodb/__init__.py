"""What is kept in a table of its own on DynamoDB, by PynamoDB: members, and attempts to sign in."""
