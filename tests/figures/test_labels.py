"""Words on figures."""

from eyelog.figures.labels import short_names


def test_long_names_keep_what_makes_them_different() -> None:
    names = [f"participant-{number:05}-of-the-study-with-a-long-name" for number in range(3)]
    short = short_names(names)
    assert len(set(short)) == 3
    assert all(len(name) <= 24 for name in short)
    assert short_names(["anna", "ben"]) == ["anna", "ben"]
