"""Speed of MinHash signatures on one core, beside datasketch, rensa and datatrove on the same shingles.

    python -m benchmarks.duplicates [--mb 20] [--python PYTHON_WITH_RENSA_AND_DATATROVE] [--json FILE]

All get the same sets of shingle hashes of the same documents, and make 128 permutations (datatrove: 16 x 8 = 128
hashes). MB are of the documents' text. The first lines are our own steps from text to signature. Each is the best of
three by processor time, which other work disturbs least; the slow ones get the first tenth of the documents.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import datasketch
import numpy as np

from benchmarks import texts
from benchmarks.one_core import TOKENIZER, machine, stay_on_one_core, table
from dataaudit.duplicates.fingerprint import fingerprint
from dataaudit.kernels.decode import decode
from dataaudit.kernels.minhash import band_keys, signatures
from dataaudit.kernels.normal import normal
from dataaudit.kernels.shingles import ShingleSets, shingle_sets

REPEATS = 3
OTHERS = """
import sys, time
import numpy as np
found = np.load(sys.argv[1])
offsets, hashes = found["offsets"], found["hashes"]
sets = [hashes[a:b] for a, b in zip(offsets, offsets[1:])]
def best(run):
    times = []
    for _ in range(3):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)
try:
    import rensa
    lists = [each.tolist() for each in sets]
    starts, flat = offsets.astype("u8"), rensa.RMinHash.digest_matrix_from_flat_token_hashes
    print("rensa RMinHash", best(lambda: flat(hashes, starts, 128, 1)))
    print("rensa CMinHash", best(lambda: rensa.CMinHash.digests64_from_token_hash_sets(lists, 128, 1)))
except ImportError as error:
    print("rensa: not measured:", error, file=sys.stderr)
try:
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
    step = MinhashDedupSignature.__new__(MinhashDedupSignature)
    step.config, step._parameters, step.num_hashes = MinhashConfig(num_buckets=16, hashes_per_bucket=8), None, 128
    columns = [each.reshape(-1, 1) for each in sets if len(each)]
    print("datatrove", best(lambda: [step.get_signature(each) for each in columns]))
except ImportError as error:
    print("datatrove: not measured:", error, file=sys.stderr)
"""


def main() -> None:
    options = _options()
    stay_on_one_core()
    found = {}
    for language in ("english", "chinese"):
        documents = list(texts.take(texts.english() if language == "english" else texts.chinese(TOKENIZER), options.mb))
        found[language] = _measure([document.encode() for document in documents], options.python)
    rows = [[step, *(f"{found[language].get(step, 0):,.1f}" for language in found)] for step in found["english"]]
    print(table(["MB/s of text", *found], rows))
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "mb_per_second": found}, indent=1) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    megabytes = {"type": lambda text: int(float(text) * 1e6), "default": 20_000_000}
    parser.add_argument("--mb", **megabytes, help="megabytes of text for each language (20)")
    parser.add_argument("--python", default=sys.executable, help="a Python that has rensa and datatrove (this one)")
    parser.add_argument("--json", type=Path, help="write the numbers to this file")
    return parser.parse_args()


def _measure(documents: list[bytes], python: str) -> dict[str, float]:
    """Returns MB/s by step and by library."""
    offsets = np.cumsum([0, *map(len, documents)])
    data = np.frombuffer(b"".join(documents), np.uint8)
    size = len(data) / 1e6
    characters = decode(data, offsets)
    texts_in_form = normal(characters)
    sets = shingle_sets(texts_in_form, 5)
    found = {
        "decode": size / _best(lambda: decode(data, offsets)),
        "normal form": size / _best(lambda: normal(characters)),
        "shingle sets": size / _best(lambda: shingle_sets(texts_in_form, 5)),
        "all of it, with digest and bands": size / _best(lambda: fingerprint(decode(data, offsets), 5)),
        "signatures: dataaudit": size / _best(lambda: band_keys(signatures(sets.offsets, sets.hashes))),
    }
    few = _first(sets, len(documents) // 10)
    part = offsets[len(few.units)] / 1e6
    found["signatures: datasketch"] = part / _best(lambda: _datasketch(few))
    for name, seconds in _others(few, python).items():
        found[f"signatures: {name}"] = part / seconds
    return found


def _first(sets: ShingleSets, documents: int) -> ShingleSets:
    offsets = sets.offsets[: documents + 1]
    return ShingleSets(offsets, sets.hashes[: offsets[-1]], sets.units[:documents], sets.capped[:documents])


def _datasketch(sets: ShingleSets) -> None:
    generator = datasketch.MinHash(num_perm=128, seed=1, scheme="affine32", hashfunc=int)
    for start, stop in zip(sets.offsets[:-1].tolist(), sets.offsets[1:].tolist(), strict=True):
        sketch = datasketch.MinHash(num_perm=128, hashfunc=int, scheme="affine32", permutations=generator.permutations)
        sketch.update_batch((sets.hashes[start:stop] & np.uint64(0xFFFFFFFF)).tolist())


def _others(sets: ShingleSets, python: str) -> dict[str, float]:
    """Returns seconds of the libraries that the other Python has."""
    with TemporaryDirectory(prefix="dataaudit-bench-") as folder:
        path = Path(folder) / "sets.npz"
        np.savez(path, offsets=sets.offsets, hashes=sets.hashes)
        done = subprocess.run([python, "-c", OTHERS, str(path)], check=True, stdout=subprocess.PIPE, text=True)
    lines = (line.rpartition(" ") for line in done.stdout.splitlines())
    return {name: float(seconds) for name, _, seconds in lines}


def _best(run: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
