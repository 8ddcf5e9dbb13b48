"""What all comparisons keep to: their results say what they are based on."""

import inspect

import eyelog as el


def test_every_result_shows_how_much_data_it_is_based_on() -> None:
    for name in el.compare.__all__:
        thing = getattr(el.compare, name)
        if inspect.isclass(thing):
            assert "reason" in thing._fields, name
            assert any(field == "n" or field.startswith("n_") for field in thing._fields), name
            # Bare pairs of numbers have neither a length nor a span.
            if name != "AgreementLimits":
                assert "coverage" in thing._fields, name
                assert any(field.startswith("exposure") for field in thing._fields), name
