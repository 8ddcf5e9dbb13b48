"""What was measured, what was lost and why."""

import pandas as pd

from eyelog.reports.evidence import trust as section
from eyelog.reports.logs import as_logs
from eyelog.reports.words import MISSING
from support.reported import FIFTEEN, cells, frame


def test_records_without_any_value_have_hours_without_a_share() -> None:
    full = frame(FIFTEEN, 2)
    blank = full.mask(pd.DataFrame(True, full.index, full.columns)).astype(full.dtypes)
    blank.attrs = full.attrs
    hours = cells(section(as_logs(blank)).tables[0]())
    assert {cell for row in hours.values() for cell in row} <= {"0.0 h", MISSING}
