"""Watches the batches of a training run for what was not so in the data at its start, or in the audited corpus.

>>> from dataaudit.monitor import DataMonitor
>>> monitor = DataMonitor(reference="run", tokenizer="tokenizer.json")
>>> for batch in monitor.watch(loader):  # the same batches
...     ...
...     if (found := monitor.check_anomaly()).is_anomalous:
...         print(found.anomalies)
"""

from dataaudit.monitor.levels import MonitorLevels
from dataaudit.monitor.monitor import DataMonitor
from dataaudit.monitor.result import Measure, MonitorResult, SampleExample

__all__ = ["DataMonitor", "Measure", "MonitorLevels", "MonitorResult", "SampleExample"]
