"""``dataaudit --help`` answers at once: nothing heavy is imported before a command needs it."""

import json
import subprocess
import sys

import pytest

HEAVY = ("numpy", "pyarrow", "polars", "numba", "datasets", "tokenizers", "yaml", "msgspec", "jinja2", "fsspec")
IMPORT = "import dataaudit.cli.app"
HELP = """
from dataaudit.cli.app import main
sys.argv = ["dataaudit", *{arguments}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


@pytest.mark.parametrize(
    "code", [IMPORT, HELP.format(arguments=["--help"]), HELP.format(arguments=["audit", "--help"])]
)
def test_nothing_heavy_is_imported(code):
    report = f"\nsys.stderr.write(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", f"import json, sys\n{code}{report}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stderr) == []


def test_the_public_package_is_light_too():
    code = f"import json, sys, dataaudit; print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
