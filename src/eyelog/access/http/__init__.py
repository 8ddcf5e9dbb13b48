"""Requests and answers: session, adapter, faults, addresses, and secrets to keep out of logs."""
