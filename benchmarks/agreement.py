"""Compares our verdicts with datatrove's on English documents, and names every kind of disagreement.

``python benchmarks/agreement.py CORPUS.jsonl --datatrove /path/to/python`` prints Markdown, in some ten minutes for
10 MB. ``--strip-lines`` compares the same documents without the white space at the ends of their lines.

The other Python has datatrove 0.10 and spaCy installed (``pip install "datatrove[processing]" spacy``). ``--verdicts
FILE`` takes what ``datatrove_verdicts.py`` printed before.
"""

import argparse
import gzip
import json
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import dataaudit

OF_PRESET = {
    "gopher": ("gopher quality", "gopher repetition"),
    "c4": ("c4",),
    "fineweb": ("gopher quality", "gopher repetition", "fineweb"),
}
SHOWN = 3


def main() -> None:
    """Prints a table of agreement and one of the disagreements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, help="JSON lines, perhaps gzipped, with a text each")
    parser.add_argument("--datatrove", help="a Python that has datatrove")
    parser.add_argument("--strip-lines", action="store_true", help="take white space off the ends of lines first")
    parser.add_argument("--verdicts", type=Path, help="what datatrove_verdicts.py printed")
    options = parser.parse_args()
    data = options.corpus.read_bytes()
    lines = (gzip.decompress(data) if options.corpus.suffix == ".gz" else data).decode().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    if options.strip_lines:
        texts = ["\n".join(line.rstrip() for line in text.split("\n")) for text in texts]
    theirs = _theirs(options.datatrove, options.verdicts, texts)
    print("| preset | documents | both keep | both take out | only ours takes out | only datatrove's | agreement |")
    print("|---|---|---|---|---|---|---|")
    kinds: dict[str, list[tuple[int, tuple[str, str], list[int]]]] = {}
    for preset, filters in OF_PRESET.items():
        ours = [_rules(found) for found in dataaudit.Filter.load(preset).annotate({"text": texts})["dataaudit_reasons"]]
        reasons = [[each[name] for name in filters if each[name]] for each in theirs]
        cells = Counter((bool(mine), bool(other)) for mine, other in zip(ours, reasons, strict=True))
        same = (cells[False, False] + cells[True, True]) / len(texts)
        print(
            f"| `{preset}` | {len(texts):,} | {cells[False, False]:,} | {cells[True, True]:,} "
            f"| {cells[True, False]:,} | {cells[False, True]:,} | {same:.1%} |"
        )
        kinds[preset] = _kinds(ours, reasons)
    print("\n| preset | ours | datatrove's | documents | lines of the corpus |\n|---|---|---|---|---|")
    for preset, found in kinds.items():
        for documents, (mine, other), rows in found:
            places = ", ".join(str(row + 1) for row in rows[:SHOWN])
            print(f"| `{preset}` | {mine or 'keeps'} | {other or 'keeps'} | {documents} | {places} |")


def _theirs(python: str | None, verdicts: Path | None, texts: list[str]) -> list[dict[str, str | None]]:
    if verdicts is not None:
        printed = verdicts.read_text()
    else:
        if python is None:
            raise SystemExit("Give --datatrove PYTHON, an interpreter with datatrove, or --verdicts FILE.")
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus.jsonl"
            corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
            command = [python, str(Path(__file__).with_name("datatrove_verdicts.py")), str(corpus)]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in printed.splitlines()]


def _rules(found: list[dict[str, str]]) -> list[str]:
    return [reason["rule"] for reason in found if reason["action"] == "quarantine"]


def _kinds(ours: list[list[str]], theirs: list[list[str]]) -> list[tuple[int, tuple[str, str], list[int]]]:
    """Returns the kinds of disagreement, most frequent first, with their documents."""
    rows: dict[tuple[str, str], list[int]] = {}
    for row, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if bool(mine) != bool(other):
            rows.setdefault((", ".join(mine), ", ".join(other)), []).append(row)
    return sorted(((len(found), kind, found) for kind, found in rows.items()), key=lambda kind: (-kind[0], kind[1]))


if __name__ == "__main__":
    main()
