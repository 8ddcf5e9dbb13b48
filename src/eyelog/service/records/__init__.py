"""The service's data endpoints: the query, the page, the cursor."""
