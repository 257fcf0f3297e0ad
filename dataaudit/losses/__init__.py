"""Logs of training runs: loss and gradient norm by step, and the spikes in them."""

from dataaudit.losses.read import Log, Series, read_log
from dataaudit.losses.spikes import FoundSpike, find_spikes

__all__ = ["FoundSpike", "Log", "Series", "find_spikes", "read_log"]
