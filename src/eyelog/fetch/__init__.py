"""The thin layer between a service and a table, on requests and requests-cache.

A fetch passes four files, and each is the place of its kind of change:

- ``client.py``: the days of a range as one table. Another endpoint is one more function like
  `Client.computed_data`, and its log in the catalogue. Settings of the environment are beside
  `connect`.
- ``cache.py``: whole days of answers on the disk. How long a day stays fresh is `lifetime`.
- ``session.py``: one request. Another header goes into `service_session`; timeouts, tries and
  bounds are the constants at the top; a status gets its error in `refusal`.
- ``oauth.py``: the token: where it comes from, how it is kept, renewed and withdrawn. A parameter
  of the login is a line of `login`.
"""
