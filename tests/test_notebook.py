"""The notebooks run from their first cell to the last, in their short form, and use public names only."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_libraries import real_library

import dataaudit

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_of(notebook: Path) -> str:
    """Returns the code cells, one after the other."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_it_runs(notebook, tmp_path):
    code = code_of(notebook)
    if "import torch" in code:
        real_library("torch")
    script = tmp_path / "notebook.py"
    script.write_text(code, encoding="utf-8")
    beside = os.pathsep.join(filter(None, [str(FOLDER), os.environ.get("PYTHONPATH")]))  # as a kernel has its folder
    settings = {key: value for key, value in os.environ.items() if not key.startswith("SPIKE_")}
    environment = {**settings, "PYTHONPATH": beside, "MPLBACKEND": "agg", "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(script)], cwd=FOLDER, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_it_uses_public_names_only(notebook):
    for node in ast.walk(ast.parse(code_of(notebook))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            assert not any(name.startswith("dataaudit.") for name in names)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dataaudit":
            assert node.attr in dataaudit.__all__


def test_they_are_all_here():
    assert [path.name for path in NOTEBOOKS] == ["spike.ipynb", "tour.ipynb"]
