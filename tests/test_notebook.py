"""The notebooks run from their first cell to the last, and use public names only."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import dataaudit

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_of(notebook: Path) -> str:
    """Returns the code cells, one after the other."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_it_runs(notebook, tmp_path):
    script = tmp_path / "notebook.py"
    script.write_text(code_of(notebook), encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], cwd=FOLDER, capture_output=True, text=True)
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


def test_there_is_a_tour():
    assert [path.name for path in NOTEBOOKS] == ["tour.ipynb"]
