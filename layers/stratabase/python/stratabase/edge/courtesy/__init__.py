"""The pages on which a member sets a password or confirms an e-mail address, and what they say then."""
