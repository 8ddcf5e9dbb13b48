"""Requests and answers: session, adapter, faults, addresses, and what logs must not show."""
