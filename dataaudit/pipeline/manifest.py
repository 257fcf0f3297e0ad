"""The manifest: which bytes went in, how they were cut, and which versions did the work."""

from typing import Any

import msgspec

from dataaudit.corpus import TokenFacts
from dataaudit.pipeline.map_shard import PieceResult
from dataaudit.pipeline.plan import Plan
from dataaudit.pipeline.store import Marker, pretty_json
from dataaudit.result import FileSummary


def piece_results(maps: list[Marker]) -> list[list[PieceResult]]:
    """Returns what reading gave, by shard and piece."""
    return [msgspec.convert(marker.result["pieces"], list[PieceResult]) for marker in maps]


def file_summaries(plan: Plan, maps: list[Marker]) -> list[FileSummary]:
    """Returns what reading each file gave, in the corpus's order; files that could not be opened come last."""
    found: dict[str, FileSummary] = {}
    for pieces, results in zip(plan.shards, piece_results(maps), strict=True):
        for piece, result in zip(pieces, results, strict=True):
            before = found.get(piece.file.name)
            found[piece.file.name] = FileSummary(
                name=piece.file.name,
                format=piece.format,
                compression=piece.compression,
                content=piece.content,
                size=piece.file.size,
                records=result.records + (before.records if before else 0),
                documents=result.documents + (before.documents if before else 0),
                unreadable=result.unreadable + (before.unreadable if before else 0),
                without_text=result.without_text + (before.without_text if before else 0),
                damage=(before.damage if before else None) or result.damage,
                wrong_ids=result.wrong_ids + (before.wrong_ids if before else 0),
            )
    for damaged in plan.damaged:
        found[damaged.file.name] = FileSummary(
            name=damaged.file.name,
            format="unknown",
            compression=None,
            content=None,
            size=damaged.file.size,
            records=0,
            documents=0,
            unreadable=0,
            without_text=0,
            damage=damaged.reason,
        )
    return list(found.values())


def token_files(plan: Plan, maps: list[Marker]) -> dict[str, TokenFacts]:
    """Returns what each file that is a raw array of token ids says about itself, by name, in the corpus's order."""
    found: dict[str, TokenFacts] = {}
    for pieces, results in zip(plan.shards, piece_results(maps), strict=True):
        for piece, result in zip(pieces, results, strict=True):
            if result.token_facts is not None:
                before = found.get(piece.file.name)
                found[piece.file.name] = before.merge(result.token_facts) if before else result.token_facts
    return found


def manifest(plan: Plan, maps: list[Marker]) -> bytes:
    """Returns ``manifest.json``: the same bytes for the same corpus, settings and versions."""
    files: dict[str, dict[str, Any]] = {
        summary.name: {**msgspec.to_builtins(summary), "pieces": []} for summary in file_summaries(plan, maps)
    }
    for shard, (pieces, results) in enumerate(zip(plan.shards, piece_results(maps), strict=True)):
        for piece, result in zip(pieces, results, strict=True):
            entry = files[piece.file.name]
            entry |= {"path": piece.file.path, "stamp": piece.file.stamp}
            entry["pieces"].append(
                {
                    "shard": shard,
                    "start": piece.start,
                    "stop": piece.stop,
                    "first_record": piece.first_record,
                    "records": result.records,
                    "xxh3_128": result.digest,
                }
            )
    for name, facts in token_files(plan, maps).items():
        files[name]["token_ids"] = msgspec.to_builtins(facts)
    content = {
        "versions": plan.map.versions,
        "inputs": plan.inputs,
        "tokenizer": plan.map.tokenizer,
        "settings": {"read": plan.map.read, "model": plan.pool},
        "shards": len(plan.shards),
        "files": list(files.values()),
    }
    return pretty_json(content)
