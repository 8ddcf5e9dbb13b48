"""What was measured, what was lost and why."""

import pandas as pd

from eyelog.reports.evidence import trust as section
from eyelog.reports.logs import as_logs
from support.reported import FIFTEEN, frame


def test_records_without_any_value_have_hours_without_a_share() -> None:
    full = frame(FIFTEEN, 2)
    blank = full.mask(pd.DataFrame(True, full.index, full.columns)).astype(full.dtypes)
    blank.attrs = full.attrs
    (said,) = section(as_logs(blank)).findings
    assert said.endswith("Nothing in it shows whether the eyewear was worn.")
