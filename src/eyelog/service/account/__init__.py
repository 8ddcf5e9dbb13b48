"""The wearer's own page: who has access, the password, one's own data."""
