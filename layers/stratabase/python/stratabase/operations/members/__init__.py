"""What is done with members, by themselves and by administrators."""
