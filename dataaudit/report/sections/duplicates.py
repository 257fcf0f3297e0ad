"""Which documents repeat others: rates, sizes of clusters, the largest clusters, lines that stand everywhere."""

from typing import Any

from dataaudit.report.numbers import count, number, percent, share_of
from dataaudit.report.view import RUN, View, capped
from dataaudit.result import DuplicateRate, Multiplicity

ORDER = 50
TITLE = "section.duplicates"
LISTED, CLUSTERS = 20, 8


def build(view: View) -> dict[str, Any] | None:
    """Returns the duplicates, or None when documents were not compared."""
    found = view.result.duplicates
    if found is None:
        return None
    sources, more_sources = capped(view, found.sources, LISTED)
    shards, more_shards = capped(view, found.shards, LISTED)
    clusters, more_clusters = capped(view, found.clusters, CLUSTERS)
    repeats, more_repeats = capped(view, found.repeats, LISTED)
    most = max((each.documents for each in found.multiplicity if each.least > 1), default=0)
    return {
        "threshold": number(found.threshold),
        "sample": view.t(
            "duplicates.sample",
            count(found.sample.documents),
            percent(found.sample.near_share),
            percent(found.sample.low),
            percent(found.sample.high),
        )
        if found.sample is not None
        else "",
        "rates": _rate(view, found.corpus),
        "sources": [_rate(view, each) for each in sources],
        "more_sources": more_sources,
        "shards": [_rate(view, each) for each in shards],
        "more_shards": more_shards,
        "sizes": [
            (_size(each), count(each.clusters), count(each.documents), share_of(each.documents, most) or 0.0)
            for each in found.multiplicity
            if each.least > 1
        ],
        "clusters": [
            {
                "about": view.t("duplicates.cluster", count(each.documents), count(each.exact_copies)),
                "excerpt": each.excerpt if view.examples else None,
                "command": f"dataaudit show {RUN} --doc {each.doc_id}",
            }
            for each in clusters
        ],
        "more_clusters": more_clusters,
        "repeats": [
            {
                "kind": view.t(f"duplicates.{'line' if each.kind == 'line' else 'paragraph'}"),
                "in": view.t(
                    "duplicates.in",
                    count(each.documents)
                    if each.documents == each.at_most
                    else f"{count(each.documents)} – {count(each.at_most)}",
                ),
                "excerpt": each.excerpt if view.examples else None,
                "command": f"dataaudit show {RUN} --doc {each.doc_id}",
            }
            for each in repeats
        ],
        "more_repeats": more_repeats,
        "method": [
            ("normal_form", view.t.reason(found.normal_form)),
            ("shingle_units", view.t.reason(f"{number(found.shingle_units)} {found.shingle_unit}")),
            ("permutations", number(found.permutations)),
            ("bands × rows", f"{found.bands} × {found.rows}"),
            ("recall_at_threshold", percent(found.recall_at_threshold)),
            ("within_shard", count(found.within_shard)),
            ("across_shards", count(found.across_shards)),
            ("candidate_rate", percent(found.candidate_rate)),
            ("verified_rate", percent(found.verified_rate)),
            ("unverified_overflow", count(found.unverified_overflow)),
            ("empty", count(found.empty)),
            ("without_units", count(found.without_units)),
            ("capped", count(found.capped)),
        ],
    }


def _rate(view: View, rate: DuplicateRate) -> dict[str, Any]:
    return {
        "name": rate.name,
        "documents": count(rate.documents),
        "exact": count(rate.exact_documents),
        "exact_share": percent(rate.exact_share),
        "near": count(rate.near_documents),
        "near_share": percent(rate.near_share),
        "tokens": count(rate.exact_tokens + (rate.near_tokens or 0)),
        "token_share": percent(share_of(rate.exact_tokens + (rate.near_tokens or 0), rate.tokens)),
        "bar": view.charts.bars([rate.exact_share or 0.0, rate.near_share or 0.0]),
    }


def _size(each: Multiplicity) -> str:
    return count(each.least) if each.least == each.most else f"{count(each.least)} – {count(each.most)}"
