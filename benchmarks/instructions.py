"""Count the GPU instructions per Gumbel number. No GPU is needed.

    python benchmarks/instructions.py [--out benchmarks/instructions.csv]

The kernels for one draw per row are compiled for Hopper and disassembled. Each row is one kernel:
the instructions of its inner loop, the weights that a lane computes or reads in it, and the lower
bound that follows for the noise of the target of ``train_gpu.py`` on an H200, in microseconds: ten
runs, 128 rows, 50 nodes (13 times 4 are computed), 784 features.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import triton
from rows import new_parser, parse, write
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from ipcae.ops.concrete_select import kept_weights_triton, rows_gradient_triton, rows_triton

NUMBERS = 10 * 128 * 52 * 784
LANES_A_SECOND = 128 * 132 * 1.98e9  # an H200's lanes, multiprocessors and highest clock
# Module, constants, and numbers per lane in a round of the loop, for four nodes at a time.
TILES = {"TILE": 128}
SELECT = {"HARD": False, "REST": 32, **TILES}
KERNELS = {
    "select_rows": (rows_triton, {"KEEP": True, **SELECT}, 16),
    "logits_gradient_kept": (kept_weights_triton, TILES, 16),
    "select_rows without keeping": (rows_triton, {"KEEP": False, **SELECT}, 16),
    "logits_gradient_rows": (rows_gradient_triton, {"BLOCK": 64}, 8),
}
TESTS = ["tests/ops/test_concrete_select_kernels.py", "tests/ops/test_noise_kernels.py"]
TYPES = {"seeds": "*i64", "step": "*i64", "chosen": "*i32", "offset": "i32", "draw": "i32"}
TYPES["kept"] = "*fp16"
BRANCH = re.compile(r"BRA\S*\s.*(\.L_x_\d+)")


def disassembled(kernel: Any, constants: dict[str, Any]) -> list[str]:
    """Return the machine code of a kernel, line by line."""
    signature = {
        argument: "constexpr" if argument in constants else _type(argument)
        for argument in kernel.arg_names
    }
    # As a launch would infer: pointers and the number of features are divisible by 16.
    known = [
        number
        for number, (argument, kind) in enumerate(signature.items())
        if kind.startswith("*") or argument == "n_features"
    ]
    attributes = {(number,): [["tt.divisibility", 16]] for number in known}
    source = ASTSource(kernel, signature, constants, attributes)
    options = {"num_warps": 1} | ({"maxnreg": 72} if constants.get("KEEP") else {})
    compiled = triton.compile(source, GPUTarget("cuda", 90, 32), options=options)
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "nvdisasm"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        command = [str(tool), "-c", file.name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(
            "\n"
        )


def _type(argument: str) -> str:
    return TYPES.get(argument, "i32" if argument.startswith(("n_", "rows_")) else "*fp32")


def longest_loop(lines: list[str]) -> int:
    """Return the number of instructions in the longest loop: from a label to the branch to it."""
    labels: dict[str, int] = {}
    longest = count = 0
    for line in lines:
        label = re.match(r"\s*(\.L_x_\d+):", line)
        if label:
            labels[label[1]] = count
        elif re.match(r"\s*/\*[0-9a-f]{4,}\*/", line):
            count += 1
            branch = BRANCH.search(line)
            if branch and branch[1] in labels:
                longest = max(longest, count - labels[branch[1]])
    return longest


def main() -> None:
    """Count the instructions of all kernels."""
    options = parse(new_parser(__doc__, "instructions.csv"), TESTS)
    for name, (module, constants, numbers) in KERNELS.items():
        instructions = longest_loop(disassembled(getattr(module, name.split()[0]), constants))
        each = instructions / numbers
        row = {
            "kernel": name,
            "instructions": instructions,
            "numbers": numbers,
            "per_number": f"{each:.1f}",
            "us_at_least": f"{1e6 * NUMBERS * each / LANES_A_SECOND:.0f}",
        }
        write(Path(options.out), [row])
        print(*row.values())


if __name__ == "__main__":
    sys.exit(main())
