"""The monitor's numbers for Prometheus, through ``prometheus_client``."""

from collections.abc import Iterator
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import REGISTRY, Collector, CollectorRegistry

from dataaudit.monitor import DataMonitor, MonitorResult
from dataaudit.result import Status

PREFIX = "dataaudit_monitor_"


class MonitorCollector(Collector):
    """Checks a monitor when it is scraped, if it has seen anything since.

    >>> prometheus_client.start_http_server(9400)
    >>> MonitorCollector.register(monitor)
    """

    def __init__(self, monitor: DataMonitor) -> None:
        self._monitor = monitor
        self._last: MonitorResult | None = None

    @classmethod
    def register(cls, monitor: DataMonitor, registry: CollectorRegistry = REGISTRY) -> "MonitorCollector":
        """Makes the numbers of a monitor part of a registry's."""
        collector = cls(monitor)
        registry.register(collector)
        return collector

    def describe(self) -> list[Any]:
        """Says nothing, so that registering checks nothing."""
        return []

    def collect(self) -> Iterator[Any]:
        """Gives every metric; a measure without a value has no sample."""
        result = self._checked()
        yield CounterMetricFamily(f"{PREFIX}samples", "Samples seen.", value=result.seen_samples)
        yield CounterMetricFamily(f"{PREFIX}batches", "Batches seen.", value=result.seen_batches)
        value = GaugeMetricFamily(f"{PREFIX}value", "The measure over the window.", labels=["measure", "unit"])
        level = GaugeMetricFamily(f"{PREFIX}level", "From where on it is an anomaly.", labels=["measure"])
        anomaly = GaugeMetricFamily(f"{PREFIX}anomaly", "1 for an anomaly, else 0.", labels=["measure"])
        for measure in result.measures:
            if measure.value is not None:
                value.add_metric([measure.name, measure.unit], measure.value)
            if measure.level is not None:
                level.add_metric([measure.name], measure.level)
                anomaly.add_metric([measure.name], float(measure.status is Status.FAIL))
        yield from (value, level, anomaly)

    def _checked(self) -> MonitorResult:
        if self._last is None or self._last.seen_batches != self._monitor.seen_batches:
            self._last = self._monitor.check_anomaly()
        return self._last
