"""What several functions say alike stands once in the source, and in the help of each of them."""

import inspect

import pytest

from eyelog.docstrings import add_errors, put_words

WORDS = {
    "judge": "judge : bool\n    First mask the values.",
    "log": "log : str, optional\n    The log.",
}
ERRORS = {
    "FieldError": "FieldError\n    If the frame lacks a field.",
    "ConfigurationError": "ConfigurationError\n    If an argument is not valid.",
}


def test_only_a_reference_whose_names_all_have_words_is_replaced() -> None:
    def summary() -> None:
        """Return a summary.

        Parameters
        ----------
        judge, log
            As in `eyelog.daily`.
        every, log
            As in `eyelog.compare.events`.
        """

    text = inspect.getdoc(put_words(summary, WORDS)) or ""
    assert "judge : bool\n    First mask the values.\nlog : str, optional\n    The log.\n" in text
    assert "every, log\n    As in `eyelog.compare.events`." in text


def test_errors_become_a_section_before_the_notes() -> None:
    def summary() -> None:
        """Return a summary.

        Notes
        -----
        None.
        """

    assert inspect.getdoc(add_errors(summary, ERRORS)) == (
        "Return a summary.\n\nRaises\n------\n" + "\n".join(ERRORS.values()) + "\n\n"
        "Notes\n-----\nNone."
    )


def test_an_error_that_a_function_describes_itself_keeps_its_own_words() -> None:
    def summary() -> None:
        """Return a summary.

        Raises
        ------
        MixedLogsError, FieldError
            If the frame is of the other log.

        Examples
        --------
        >>> 1
        1
        """

    text = inspect.getdoc(add_errors(summary, ERRORS)) or ""
    assert text.count("FieldError") == 1
    assert (
        "Raises\n------\nConfigurationError\n    If an argument is not valid.\n"
        "MixedLogsError, FieldError\n" in text
    )


def test_a_docstring_without_a_place_for_the_errors_is_refused() -> None:
    def summary() -> None:
        """Return a summary."""

    with pytest.raises(ValueError, match="summary has no section"):
        add_errors(summary, ERRORS)


def test_a_function_without_a_docstring_stays_as_it_is() -> None:
    def bare() -> None:
        pass

    assert add_errors(put_words(bare, WORDS), ERRORS).__doc__ is None
