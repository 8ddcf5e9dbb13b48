"""The one name of `eyelog.files` that the ledger takes from here."""

from eyelog.files import whole_file

__all__ = ["whole_file"]
