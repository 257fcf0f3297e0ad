"""What an export wrote, as text for a terminal."""

from dataaudit.export_result import ExportResult
from dataaudit.output.visible import one_line

LISTED = 12


def render_export(result: ExportResult, folder: str) -> str:
    """Returns the files, the ids that were put between documents, and what was written in all."""
    lines = []
    for shard in result.shards[:LISTED]:
        size = sum(result.files[name].bytes for name in shard.files)
        names = " ".join(shard.files)
        lines.append(f"  {one_line(names)}  {shard.documents:,} documents, {shard.tokens:,} tokens, {size:,} bytes")
    if len(result.shards) > LISTED:
        lines.append(f"  ... and {len(result.shards) - LISTED:,} more; export.json names every file.")
    lines += [f"  {added.documents:,} documents got id {added.id} at their {added.where}" for added in result.added]
    lines += [f"  {one_line(note)}" for note in result.notes]
    written = result.tokens_written - result.tokens
    more = f" and {written:,} added" if written else ""
    ids = "no ids" if result.largest_id is None else f"ids {result.smallest_id:,} to {result.largest_id:,}"
    what = f"{result.documents:,} documents, {result.tokens:,} tokens{more}"
    lines.append(f"wrote {what} as {result.format} {result.dtype} ({ids}) to {one_line(folder)}")
    return "\n".join(lines) + "\n"
