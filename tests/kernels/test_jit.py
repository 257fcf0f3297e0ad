"""Machine code with every index checked is kept apart from the code without, so that neither is taken for the other."""

import os
import subprocess
import sys
from pathlib import Path

MODULE = """
import numpy as np
from dataaudit.kernels.jit import kernel

@kernel
def at(values, index):
    return values[index]

def past_the_end():
    return at(np.arange(9)[:5], 7)  # memory that is there, so that the code without checks reads it in peace
"""


def past_the_end(folder: Path, *, checked: bool) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_BOUNDSCHECK"}
    environment |= {"DATAAUDIT_CACHE": str(folder / "cache")} | ({"NUMBA_BOUNDSCHECK": "1"} if checked else {})
    call = [sys.executable, "-c", "import reader; print(reader.past_the_end())"]
    environment["PYTHONPATH"] = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(call, capture_output=True, text=True, env=environment, check=False)


def test_boundscheck_finds_an_index_past_the_end_beside_code_that_was_kept_without_it(tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text(MODULE)
    assert past_the_end(tmp_path, checked=False).stdout == "7\n"
    assert "IndexError" in past_the_end(tmp_path, checked=True).stderr
    assert past_the_end(tmp_path, checked=False).stdout == "7\n"
