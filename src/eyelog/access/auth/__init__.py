"""Proving who asks: the application, its tokens, and the login that grants them."""
