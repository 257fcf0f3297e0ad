"""Drift: how far parts of a corpus are from the rest of it, from integer counts alone.

Every function is pure and undefined where it must be: None, never NaN and never infinite. Sums are exactly rounded
(``math.fsum``), so a result does not depend on the order of what was added.
"""
