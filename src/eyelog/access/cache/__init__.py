"""What fetches keep: whole days of answers, in one private file per account."""
