"""The application, its tokens, and the login that grants them."""
