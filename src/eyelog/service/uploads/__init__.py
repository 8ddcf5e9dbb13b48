"""What comes in: files of records, received, imported as a whole, or refused and kept nowhere."""
