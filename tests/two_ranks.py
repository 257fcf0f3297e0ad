"""Trains with the real Trainer in two processes of this machine, over gloo."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any


def seen_by_two_ranks(settings: list[dict[str, Any]], folder: Path) -> list[list[Any]]:
    """What each of two processes saw for each of the settings of ``tiny_trainer``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    (folder / "settings.json").write_text(json.dumps(settings))
    ranks = []
    for rank in range(2):
        out = folder / f"{rank}.json"
        environment = os.environ | {
            "RANK": str(rank),
            "LOCAL_RANK": str(rank),
            "WORLD_SIZE": "2",
            "LOCAL_WORLD_SIZE": "2",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
            "OMP_NUM_THREADS": "1",
            "GLOO_SOCKET_IFNAME": "lo",
        }
        command = [sys.executable, str(Path(__file__).with_name("tiny_trainer.py")), str(folder / "settings.json")]
        process = subprocess.Popen([*command, str(out)], env=environment, stderr=subprocess.PIPE, text=True)
        ranks.append((process, out))
    found = []
    for process, out in ranks:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors[-2000:]
        found.append(json.loads(out.read_text()))
    return found
