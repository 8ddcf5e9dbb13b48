"""What is wrong with a month, in words."""

from eyelog.archive.damage import FOREIGN, NOT_PROTECTED, damage, is_damage, problem_of


def test_a_damaged_file_is_named_with_its_remedy_and_the_problem_is_found_again() -> None:
    error = damage("/there/data.parquet", "its footer is wrong.")
    assert str(error) == (
        "cannot read /there/data.parquet: its footer is wrong: `eyelog archive repair` sets the"
        " damaged month aside"
    )
    assert problem_of(error, "/there/data.parquet") == "its footer is wrong"


def test_an_unusual_file_is_not_damage() -> None:
    assert is_damage("its footer is wrong")
    assert not is_damage(NOT_PROTECTED)
    assert not is_damage(FOREIGN)
