"""The fences between the rooms: each imports only what the table allows. docs/design.md says why."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import dataaudit

PACKAGE = Path(dataaudit.__file__).parent
EVERYWHERE = {"config", "errors"}
"""Rooms that every other room may import, except the lowest ones, which import no room."""


class Fence(NamedTuple):
    """What a room may import besides the standard library and itself."""

    rooms: set[str]
    packages: set[str]


BELOW_PIPELINE = {
    "checks", "closeup", "comparison", "corpus", "export_result", "filter_result", "kernels", "result", "rules",
    "signals", "sketches", "tokenize", "trace_result", "order_result",
}  # fmt: skip
GLOBAL = {"duplicates", "drift", "losses", "order", "order_quality"}
FENCES = {
    "errors": Fence(set(), set()),
    "kernels": Fence(set(), {"llvmlite", "numba", "numpy"}),
    "filter_result": Fence(set(), {"msgspec"}),
    "export_result": Fence(set(), {"msgspec"}),
    "trace_result": Fence(set(), {"msgspec"}),
    "order_result": Fence({"result"}, {"msgspec"}),
    "closeup": Fence(set(), {"msgspec"}),
    "result": Fence({"closeup"}, {"msgspec"}),
    "config": Fence({"errors"}, {"msgspec", "yaml"}),
    "signals": Fence({"kernels"}, {"numpy", "pyarrow"}),
    "sketches": Fence({"kernels"}, {"numpy", "pyarrow"}),
    "corpus": Fence({"kernels", *EVERYWHERE}, {"fsspec", "msgspec", "numpy", "pyarrow", "xxhash", "zstandard"}),
    "tokenize": Fence({"kernels", *EVERYWHERE}, {"fastokens", "numpy", "pyarrow", "tokenizers", "xxhash"}),
    "duplicates": Fence({"kernels", *EVERYWHERE}, {"numpy", "xxhash"}),
    "drift": Fence({"kernels", "sketches", *EVERYWHERE}, {"numpy", "polars", "pyarrow"}),
    "order": Fence({"kernels", "sketches", *EVERYWHERE}, {"numpy", "polars"}),
    "order_quality": Fence({"drift", "kernels", "order", *EVERYWHERE}, {"numpy"}),
    "losses": Fence(EVERYWHERE, {"numpy", "polars"}),
    "rules": Fence({"result", *EVERYWHERE}, {"msgspec", "numpy", "polars", "pyarrow"}),
    "checks": Fence(
        {"corpus", "kernels", "order_quality", "result", "rules", "sketches", *EVERYWHERE},
        {"msgspec", "numpy", "polars", "pyarrow"},
    ),
    "comparison": Fence({"drift", "result", *EVERYWHERE}, {"msgspec", "numpy"}),
    "output": Fence(
        {"comparison", "export_result", "filter_result", "order_result", "result", "trace_result", *EVERYWHERE},
        {"jinja2", "msgspec", "rich"},
    ),
    "report": Fence(
        {"closeup", "comparison", "output", "result", "trace_result", *EVERYWHERE}, {"jinja2", "markupsafe"}
    ),
    "pipeline": Fence(
        {"", *BELOW_PIPELINE, *GLOBAL, *EVERYWHERE},
        {"fsspec", "msgspec", "numpy", "polars", "pyarrow", "ray", "xxhash", "zstandard"},
    ),
    "api": Fence(
        {
            "comparison",
            "export_result",
            "filter_result",
            "order_result",
            "pipeline",
            "report",
            "result",
            "trace_result",
            *EVERYWHERE,
        },
        set(),
    ),
    "monitor": Fence(
        {"drift", "duplicates", "kernels", "pipeline", "result", "signals", "tokenize", *EVERYWHERE},
        {"msgspec", "numpy", "pyarrow", "xxhash"},
    ),
    "curriculum": Fence({"rules", *EVERYWHERE}, {"numpy", "pyarrow"}),
    "integrations": Fence(
        {"", "api", "curriculum", "monitor", "pipeline", *BELOW_PIPELINE, *GLOBAL, *EVERYWHERE},
        {"datasets", "msgspec", "numpy", "prometheus_client", "pyarrow", "torch", "transformers"},
    ),
    "cli": Fence(
        {"", "api", "integrations", "output", "pipeline", "report", *BELOW_PIPELINE, *GLOBAL, *EVERYWHERE},
        {"rich", "typer", "yaml"},
    ),
    "__main__": Fence({"cli"}, set()),
    "": Fence(
        {
            "api",
            "comparison",
            "duplicates",
            "export_result",
            "filter_result",
            "integrations",
            "monitor",
            "order_result",
            "result",
            "trace_result",
            *EVERYWHERE,
        },
        set(),
    ),
}
"""The table; the room "" is the package itself (``dataaudit/__init__.py``)."""
DATASETS_READER = "corpus/readers/hub.py"
STANDARD = sys.stdlib_module_names


class Import(NamedTuple):
    """An imported module (dotted) and its line."""

    module: str
    line: int


def imports_of(path: Path, source: str | None = None) -> Iterator[Import]:
    """Yields every import of a file, inside functions and type-checking blocks too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8") if source is None else source)):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            module = node.module or ""
            names = [alias.name for alias in node.names]
            # ``from dataaudit import corpus`` is an import of the room, ``from dataaudit import audit`` of the package.
            if module == "dataaudit":
                yield from (Import(f"dataaudit.{name}" if name in FENCES else module, node.lineno) for name in names)
            else:
                yield Import(module, node.lineno)


def room_of(path: Path) -> str:
    """Returns the room that a file of the package is in."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def trespasses(room: str, name: str, imports: Iterator[Import]) -> list[str]:
    """Returns what the table does not allow, as ``file:line: message``."""
    fence = FENCES[room]
    found = []
    for module, line in imports:
        top, _, rest = module.partition(".")
        if top in STANDARD:
            continue
        if top == "dataaudit":
            other = rest.partition(".")[0]
            if other not in fence.rooms | {room}:
                found.append(f"{name}:{line}: room {room!r} imports room {other!r}")
        elif top not in fence.packages and not (top == "datasets" and name == DATASETS_READER):
            found.append(f"{name}:{line}: room {room!r} imports package {top!r}")
    return found


FILES = {str(path.relative_to(PACKAGE)): path for path in sorted(PACKAGE.rglob("*.py"))}


@pytest.mark.parametrize("name", FILES)
def test_a_file_imports_only_what_its_room_may(name):
    path = FILES[name]
    room = room_of(path)
    assert room in FENCES, f"a new room: say in FENCES what {room!r} may import"
    assert trespasses(room, path.relative_to(PACKAGE).as_posix(), imports_of(path)) == []


@pytest.mark.parametrize("name", FILES)
def test_only_the_cli_prints(name):
    if room_of(FILES[name]) == "cli":
        return
    calls = [
        node for node in ast.walk(ast.parse(FILES[name].read_text(encoding="utf-8"))) if isinstance(node, ast.Call)
    ]
    prints = [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print"]
    assert prints == []


def test_the_table_has_no_loop():
    """Rooms import downwards only, so that each can be understood and tested without those above it."""
    above = {room: {other for other in fence.rooms if other != ""} for room, fence in FENCES.items() if room != ""}
    while above:
        lowest = [room for room, rooms in above.items() if not rooms & above.keys()]
        assert lowest, f"these rooms import each other: {sorted(above)}"
        for room in lowest:
            del above[room]


@pytest.mark.parametrize(
    ("room", "name", "source"),
    [
        ("signals", "signals/a.py", "import polars"),
        ("signals", "signals/a.py", "def f():\n    from dataaudit.config.schema import Rule"),
        ("kernels", "kernels/a.py", "import numpy, pyarrow"),
        ("corpus", "corpus/readers/jsonl.py", "import datasets"),
        ("output", "output/a.py", "from dataaudit.pipeline.store import RunFolder"),
        ("config", "config/a.py", "from dataaudit import checks"),
    ],
)
def test_a_trespass_is_seen(room, name, source):
    assert len(trespasses(room, name, imports_of(PACKAGE / name, source))) == 1


def test_the_hub_reader_may_import_datasets():
    assert trespasses("corpus", DATASETS_READER, imports_of(PACKAGE / "x.py", "import datasets")) == []
