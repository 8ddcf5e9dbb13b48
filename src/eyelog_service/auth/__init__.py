"""Access to the service: accounts, applications, codes, tokens and the login page."""
