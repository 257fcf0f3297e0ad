"""Rank correlation of a signal with a target, in every run by itself, with an interval from resampled documents."""

import numpy as np
import polars as pl
from scipy.stats import spearmanr

DRAWS = 500


def of_signals(table: pl.DataFrame, signals: list[str], target: str) -> pl.DataFrame:
    """Returns Spearman's rho of each signal with *target*, mean over the column ``run``, with its 95 % interval.

    A signal that is the same for every document of a run has no rank correlation there, and null if in all runs.
    """
    runs = [
        part.select(target, *signals).to_numpy().astype(float) for _, part in table.group_by("run", maintain_order=True)
    ]
    rng = np.random.default_rng(0)
    draws = np.array([_rho([run[rng.integers(len(run), size=len(run))] for run in runs]) for _ in range(DRAWS)])
    rows = []
    for signal, rho, drawn in zip(signals, _rho(runs), draws.T, strict=True):
        if np.isfinite(rho):
            low, high = np.nanpercentile(drawn, [2.5, 97.5])
            rows.append({"signal": signal, "rho": round(rho, 2), "low": round(low, 2), "high": round(high, 2)})
        else:
            rows.append({"signal": signal, "rho": None, "low": None, "high": None})
    return pl.DataFrame(rows, infer_schema_length=None).sort("rho", descending=True, nulls_last=True)


def _rho(runs: list[np.ndarray]) -> np.ndarray:
    """Returns the mean over the runs of the correlation of their first column with each other one."""
    of_each = [[_spearman(run[:, 0], run[:, at]) for at in range(1, run.shape[1])] for run in runs]
    values = np.array(of_each)
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)


def _spearman(target: np.ndarray, signal: np.ndarray) -> float:
    known = np.isfinite(signal)
    if len(np.unique(signal[known])) < 2:
        return float("nan")
    return float(spearmanr(target[known], signal[known]).statistic)
