"""What applies for some time before and after the rows in which something is seen."""

import numpy as np

from eyelog.analysis.series.arrays import Bools, Ints


def around(us: Ints, seen: Bools, before_us: int, after_us: int) -> Bools:
    """Return the rows near one in which something is seen, including that row.

    Parameters
    ----------
    us : array of int64
        Stamps in microseconds, in any order.
    seen : array of bool
        The rows in which it is seen.
    before_us, after_us : int
        How long before and after such a row it applies, both ends included.

    Examples
    --------
    >>> seen = np.array([False, False, True, False, False])
    >>> around(np.array([0, 40, 100, 150, 210]), seen, 60, 100).tolist()
    [False, True, True, True, False]
    """
    if not seen.any():
        return seen
    at = np.sort(us[seen])
    # The earliest stamp that may reach each row: it does if it is not later than allowed.
    first = np.searchsorted(at, us - after_us)
    reached = first < len(at)
    near = np.zeros(len(us), dtype=np.bool_)
    near[reached] = at[first[reached]] - us[reached] <= before_us
    return near
