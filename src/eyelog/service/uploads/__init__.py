"""Incoming files of records: received, imported as a whole, or refused and not kept."""
