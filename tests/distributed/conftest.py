"""Programs on two processes: started directly, or by torchrun."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TIME_LIMIT = 240


def environment(**more):
    paths = [str(ROOT), str(ROOT / "src"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "OMP_NUM_THREADS": "1",
        **more,
    }


@pytest.fixture(scope="session")
def on_two():
    """Start ``python arguments`` twice, as torchrun would, and return the finished processes."""

    def call(*arguments):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
        started = [
            subprocess.Popen(
                [sys.executable, *map(str, arguments)],
                env=environment(RANK=str(rank), LOCAL_RANK=str(rank), **place),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for rank in (0, 1)
        ]
        outputs = [process.communicate(timeout=TIME_LIMIT)[0] for process in started]
        return [(p.returncode, output) for p, output in zip(started, outputs, strict=True)]

    return call


@pytest.fixture(scope="session")
def torchrun():
    """Run ``torchrun --nproc-per-node 2 arguments`` and return the exit code and the output."""

    def call(*arguments):
        launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        finished = subprocess.run(
            [*launcher, "--nproc-per-node", "2", *map(str, arguments)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME_LIMIT,
        )
        return finished.returncode, finished.stdout

    return call
