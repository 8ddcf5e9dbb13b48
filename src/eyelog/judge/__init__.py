"""Judge: what speaks against each value, and the one kind of row that every summary adds up."""
