"""Keeps the digest of every signal's source code beside its version: ``tests/signals/versions.json``.

Stored results and the caches of ``datasets`` are found again by version, so a signal whose values change needs another.
``python scripts/signal_versions.py`` writes the file again. It refuses a signal whose code changed under the same
version; with ``--same-values`` you say that the new code gives the old values.
"""

import argparse
import ast
import builtins
import hashlib
import inspect
import json
import textwrap
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dataaudit.signals import Signal, all_signals

STORED = Path(__file__).resolve().parents[1] / "tests" / "signals" / "versions.json"
OWN = "dataaudit."


def digest_of(signal: Signal) -> str:
    """Returns a digest of the code that a signal's values depend on: its function and all of ours that it uses."""
    digest = hashlib.sha256()
    for code in sorted(set(_codes(signal.measure, set()))):
        digest.update(code.encode() + b"\0")
    return digest.hexdigest()[:16]


def _codes(function: Any, seen: set[int]) -> Iterator[str]:
    """Yields the code of a function and of every function and constant of the package that it names."""
    function = getattr(function, "py_func", function)
    if id(function) in seen:
        return
    seen.add(id(function))
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    yield _plain(tree)
    for value in [*_named(function, tree), *(cell.cell_contents for cell in function.__closure__ or ())]:
        yield from _code_of(value, seen)


def _named(function: types.FunctionType, tree: ast.AST) -> Iterator[Any]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in function.__globals__ and not hasattr(builtins, node.id):
            yield function.__globals__[node.id]


def _code_of(value: Any, seen: set[int]) -> Iterator[str]:
    inner = getattr(value, "py_func", value)
    if isinstance(inner, types.FunctionType):
        if inner.__module__.startswith(OWN) and inner.__module__ != "dataaudit.signals.signal":
            yield from _codes(inner, seen)
    elif isinstance(inner, str | int | float | bytes | tuple | dict):
        yield repr(inner)


def _plain(node: Any) -> str:
    """Returns a tree as text: no places, no docstrings, no comments, no types, the same on every Python."""
    if isinstance(node, ast.AST):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            arguments = [each.arg for each in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
            return f"def({_plain(arguments)},{_plain(node.args.defaults)},{_plain(body)})"
        if isinstance(node, ast.AnnAssign):
            return f"Assign(targets={_plain([node.target])},value={_plain(node.value)})"
        fields = (f"{name}={_plain(value)}" for name, value in ast.iter_fields(node) if value not in (None, []))
        return f"{type(node).__name__}({','.join(fields)})"
    if isinstance(node, list):
        return f"[{','.join(map(_plain, node))}]"
    return repr(node)


def current() -> dict[str, dict[str, Any]]:
    """Returns version and digest of every signal."""
    return {name: {"version": each.version, "digest": digest_of(each)} for name, each in sorted(all_signals().items())}


def stale(stored: dict[str, dict[str, Any]], now: dict[str, dict[str, Any]]) -> list[str]:
    """Returns the signals whose code changed and whose version did not."""
    return [
        name
        for name, facts in now.items()
        if name in stored and stored[name]["version"] == facts["version"] and stored[name]["digest"] != facts["digest"]
    ]


def main() -> None:
    """Writes the file, or says which versions have to be raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--same-values", action="store_true", help="the changed code gives the old values")
    options = parser.parse_args()
    now = current()
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    changed = stale(stored, now)
    if changed and not options.same_values:
        raise SystemExit(
            f"the code of {', '.join(changed)} changed and the version did not. "
            "Raise it (version=... in @signal), or run again with --same-values."
        )
    STORED.write_text(json.dumps(now, indent=1) + "\n")


if __name__ == "__main__":
    main()
