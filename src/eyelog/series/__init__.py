"""Series: what needs more than sums, one file a subject.

=============  =====================================================================================
observed       the door: a column of whatever is given, as judged rows with the wearer's clock
inference      AR(1) days, effective n, rank intervals, CR2, bootstrap, Holm, simulated pages (looks
               of a page: reports/findings.py; quantiles in null.csv)
stability      IS, IV (Witting; Van Someren), sleep regularity (SRI)
active_hours   M10, L5, relative amplitude
bouts          episodes, bouts of activity, fragmentation (Gini, hazard, alpha, Kaplan-Meier)
cosinor        the cosinor with days as clusters
profile        the average day by hour with p; the mean standardised for the hour, with bounds
trend          Theil-Sen and Kendall over days; the slope within days (time on task)
levels         new levels: the largest split or bump against simulated noise; a line or a step
               (Schwarz)
usual          usual values by the shape of a distribution; the usual range (median, MAD)
periods        Hodges-Lehmann difference of two periods, with weekends levelled; rate ratio with
               days as units (overdispersion)
groups         Welch and permutation test of groups; rates of groups by the jackknife
mixed          the long table of many wearers; REML with an intercept for each
reliability    ICC, Spearman-Brown (days needed), minimal detectable change, power, sensitivity
agreement      limits of agreement (Bland & Altman), the two logs minute by minute
events         labels of a diary; courses around events with a simultaneous band
=============  =====================================================================================

`rhythm`, `baseline` and `compare` list what is public of them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["baseline", "compare", "rhythm"]
)
