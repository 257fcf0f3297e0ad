"""Judges an order of training by the checks of orders, from a finished run alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from dataaudit import __version__
from dataaudit.checks import Check, all_checks
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.judge import judge
from dataaudit.config.load import LoadedConfig
from dataaudit.config.schema import Config
from dataaudit.order_result import OrderResult
from dataaudit.pipeline.filter_run import finished_plan, rules_for
from dataaudit.pipeline.order_evidence import MeasuredOrder, measure
from dataaudit.pipeline.rule_examples import judged
from dataaudit.pipeline.training_set import load_training_set
from dataaudit.result import Status, verdict
from dataaudit.sketches.lengths import LengthHistogram

NOT_COMPARED = "documents were not compared, or only a sample of them (duplicates in the config)"


def order_checks() -> dict[str, Check]:
    """Returns the checks that judge an order, by id."""
    return {name: each for name, each in all_checks().items() if "order" in each.needs}


def run_order_check(place: Path, loaded: LoadedConfig | None, options: dict[str, Any]) -> OrderResult:
    """Judges an order.

    Args:
        place: a run folder, or the output folder of a filter.
        loaded: the config with the levels; that of the run when None.
        options: settings of ``order`` that go before the config's; None leaves the config's own.

    Raises:
        UsageError: an option is missing or does not fit.
        ReadError: a file of the order cannot be read.
        RunError: the run cannot be used.
    """
    run = judged(place).run
    config = _with(rules_for(run, finished_plan(run), loaded), options).config
    documents = load_training_set(place, config.order.documents, with_signals=False)
    measured = measure(documents, config)
    findings = judge(order_checks(), _evidence(config, measured, documents.unit))
    order = config.order
    return OrderResult(
        run=str(place),
        order=str(order.name),
        packing=measured.training.packing.name,
        batch_size=order.batch_size or 1,
        grad_accum=order.grad_accum,
        world_size=order.world_size,
        which_documents=documents.which,
        documents=len(documents.doc_ids),
        samples=measured.training.packing.samples,
        steps=measured.facts.steps,
        unit=documents.unit,
        verdict=verdict(findings),
        counts={str(status): sum(finding.status is status for finding in findings) for status in Status},
        findings=findings,
        dataaudit_version=__version__,
    )


def _with(loaded: LoadedConfig, options: dict[str, Any]) -> LoadedConfig:
    given = {name: value for name, value in options.items() if value is not None}
    order = msgspec.structs.replace(loaded.config.order, **given)
    return replace(loaded, config=msgspec.structs.replace(loaded.config, order=order))


def _evidence(config: Config, measured: MeasuredOrder, unit: str) -> Evidence:
    """Returns evidence of an order alone."""
    needs = {need for check in order_checks().values() for need in check.needs}
    return Evidence(
        config=config,
        documents=pl.LazyFrame(),
        measured=measured.columns,
        not_measured=dict.fromkeys(needs - measured.columns, NOT_COMPARED),
        weight_unit=unit,
        files=(),
        lost=(),
        lengths=LengthHistogram(),
        token_counts=None,
        vocabulary=None,
        rules=(),
        rule_families={},
        shard_tokens=0,
        tokenized_input=False,
        order=measured.facts,
        order_documents=measured.examples,
    )
