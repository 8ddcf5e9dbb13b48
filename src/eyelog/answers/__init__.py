"""The answers of the contract, read and written. No HTTP, no files."""
