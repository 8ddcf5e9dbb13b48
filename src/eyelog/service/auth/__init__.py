"""Who may ask the service: accounts, applications, codes, tokens and the login page."""
