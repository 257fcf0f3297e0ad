"""What people install: the wheel holds everything, and works in a clean environment away from the checkout."""

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    "The river rose in the night, and by morning the lower field was a lake with a gate in the middle of it.",
    "def area(width, height):\n    return width * height\n",
    "酒店的房间很干净，早餐也不错，服务员态度很好，离地铁站只有五分钟，下次还会再来。",
    "   ",
    "!!! ??? ...",
]


def run(*command, **options):
    """Runs a command to its end and returns what it printed; what went wrong is shown."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV", "VIRTUAL_ENV"))}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=clean, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the source archive and the wheel that was made from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The programs of a new virtual environment that holds the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    (wheel,) = built.glob("*.whl")
    run(
        folder / "bin/pip",
        "install",
        "--quiet",
        "--no-compile",
        "--constraint",
        ROOT / "requirements.lock",
        wheel,
        cwd=folder,
    )
    return folder / "bin"


def test_the_wheel_holds_every_file_of_the_package_and_the_configs(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "dataaudit").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    configs = {f"dataaudit/configs/{path.name}" for path in (ROOT / "configs").iterdir()}
    metadata = {name for name in names if ".dist-info/" in name}
    assert names == package | configs | metadata
    assert any(name.endswith("licenses/LICENSE") for name in metadata)
    assert any(name.endswith(".npz") for name in names), "the Unicode tables"


def test_the_source_archive_holds_what_a_build_needs(built):
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {"pyproject.toml", "LICENSE", "requirements.lock", "configs/default.yaml", "tests/test_wheel.py"} <= names
    assert not any(name.startswith((".venv", "demo/")) for name in names)


def test_the_installed_command_answers(installed, tmp_path):
    assert "audit" in run(installed / "dataaudit", "--help", cwd=tmp_path)
    assert "finetune-zh" in run(installed / "dataaudit", "config", cwd=tmp_path)
    assert "dup_line_ratio" in run(installed / "dataaudit", "explain", "--signals", cwd=tmp_path)


def test_the_installed_command_audits_with_a_preset(installed, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in DOCUMENTS), encoding="utf-8")
    command = [installed / "dataaudit", "audit", corpus, "-o", tmp_path / "run", "-c", "finetune-zh", "-j", "1"]
    run(*command, "--fail-on", "never", "--quiet", cwd=tmp_path)
    report = json.loads((tmp_path / "run" / "report.json").read_text(encoding="utf-8"))
    assert report["corpus"]["documents"] == len(DOCUMENTS)
    assert report["method"]["config_name"] == "finetune-zh"
    failed = {rule["id"]: rule["documents"] for rule in report["rules"]}
    assert failed["punctuation-only"] == 1
