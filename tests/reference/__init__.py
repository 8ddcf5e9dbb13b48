"""The definitions, written out a second time: slow loops over rows, held against the library.

Nothing here is taken from the code of `eyelog`. The rules of single fields are those of
the catalogue; the rest is what the definitions say, in plain Python.
"""
