from datetime import UTC, datetime

import pytest

from classmark.data.moments import moments


def seconds(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2024-05-31", seconds(2024, 5, 31)),
        ("2024-05", seconds(2024, 5, 1)),
        ("2024-05-31 12:30:00", seconds(2024, 5, 31, 12, 30)),
        ("2024-05-31T12:30:00+02:00", seconds(2024, 5, 31, 10, 30)),
        ("2024-05-31T12:30:00Z", seconds(2024, 5, 31, 12, 30)),
        ("Fri, 31 May 2024 12:30:00 +0200", seconds(2024, 5, 31, 10, 30)),
    ],
)
def test_dates(written, expected):
    assert moments([written, "2020-01-01"], ["a", "b"], "two") == [expected, seconds(2020, 1, 1)]


def test_a_year_is_a_number_among_numbers_and_a_date_among_dates():
    assert moments(["1996", "-3.5"], ["a", "b"], "two") == [1996.0, -3.5]
    assert moments(["1996", "1997-02"], ["a", "b"], "two") == [seconds(1996, 1, 1), seconds(1997, 2, 1)]


@pytest.mark.parametrize("written", ["yesterday", "05/06/24", "2024-13-01", "nan", "31.05.2024", ""])
def test_what_is_neither(written):
    with pytest.raises(ValueError, match=r"two: document 'b' has .* write numbers.*2024-05-31"):
        moments(["2020-01-01", written], ["a", "b"], "two")
