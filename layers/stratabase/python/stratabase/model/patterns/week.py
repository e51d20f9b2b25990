"""Weeks of a year and of a month, counted as a language's territory counts them."""

from datetime import date
from typing import NamedTuple

from stratabase.model.patterns import language as languages


class Week(NamedTuple):
    """The day on which weeks begin (Monday is 0), and how many days of a period its week 1 has at least."""

    first_day: int
    fewest_days: int

    def of_year(self, day: date) -> tuple[int, int]:
        """Return the year to which a day's week belongs, and the week's number in it."""
        today = day.toordinal()
        year = next(
            year for year in (day.year + 1, day.year, day.year - 1) if self._start(_new_year(year)) <= today
        )
        return year, self._number(today, _new_year(year))

    def of_month(self, day: date) -> int:
        """Return the number of a day's week in its month; 0 before the first."""
        return self._number(day.toordinal(), day.replace(day=1).toordinal())

    def _number(self, today: int, period: int) -> int:
        return (today - self._start(period)) // 7 + 1

    def _start(self, period: int) -> int:
        """Return where week 1 of the period begins that begins at an ordinal."""
        before = (period - 1 - self.first_day) % 7
        return period - before + (7 if 7 - before < self.fewest_days else 0)


_WITHOUT_TERRITORY = Week(first_day=6, fewest_days=1)
"""What Java takes for a language alone."""


def week(language: str) -> Week:
    """Return how weeks are counted where a language is spoken."""
    locale = languages.locale(language)
    if not locale.territory:
        return _WITHOUT_TERRITORY
    return Week(locale.first_week_day, locale.min_week_days)


def _new_year(year: int) -> int:
    """Return the ordinal of 1 January, also of the years 0 and 10000, which `date` does not have."""
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + 1
