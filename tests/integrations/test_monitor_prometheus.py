"""The monitor's numbers as Prometheus reads them."""

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from dataaudit import DataMonitor
from dataaudit.integrations.prometheus import MonitorCollector


def scraped(registry):
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return {(each.name, each.labels.get("measure")): each.value for family in families for each in family.samples}


def test_a_scrape_gives_what_a_check_gives():
    monitor, registry = DataMonitor(window_size=10, vocab_size=9), CollectorRegistry()
    MonitorCollector.register(monitor, registry)
    assert scraped(registry)["dataaudit_monitor_samples_total", None] == 0
    monitor.update([[1, 2], [1, 2], [3, 9]])
    found, result = scraped(registry), monitor.check_anomaly()
    assert found["dataaudit_monitor_samples_total", None] == 3
    for measure in result.measures:
        assert found.get(("dataaudit_monitor_value", measure.name)) == measure.value
        assert found.get(("dataaudit_monitor_level", measure.name)) == measure.level
    anomalies = {name for (metric, name), value in found.items() if metric == "dataaudit_monitor_anomaly" and value}
    assert (
        anomalies
        == {measure.name for measure in result.anomalies}
        == {"duplicate_ratio", "oov_token_ratio", "out_of_range_count"}
    )
