# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Instructions of kernels written with kernel_api.hpp and by hand: what the tests device_code.nvcc and
device_code.hipcc compare (tests/device_code/check.py)."""

import re

from common import *

WHAT = {"stride": "`grid_stride`", "index": "`thread_index`", "dynamic": "`dynamic_shared`", "array": "`shared_array`"}
LINE = re.compile(
    r"(\w+) (\w+): (\d+) instructions, by hand (\d+)(?:; SASS (\d+), by hand (\d+)(, byte for byte the same)?)?"
)


def measure(folder, options):
    rows = []
    for name, program, targets in (("nvcc", NVCC, ("sm_75", "sm_90")), ("hipcc", HIPCC, ("gfx90a",))):
        if not has(program):
            continue
        said = run(
            sys.executable,
            ROOT / "tests/device_code/check.py",
            "--compiler",
            f"{name}={program}",
            "--include",
            INCLUDE,
            *(word for target in targets for word in ("--arch", target)),
        )
        for target, pair, ours, hand, sass, sass_hand, same in LINE.findall(said):
            if pair in WHAT:
                kind = "PTX" if sass else "assembly"
                rows.append({"target": target, "kernel": pair, "code": kind, "ours": int(ours), "by_hand": int(hand)})
                if sass:
                    rows.append(
                        {
                            "target": target,
                            "kernel": pair,
                            "code": "SASS",
                            "ours": int(sass),
                            "by_hand": int(sass_hand),
                            "same_bytes": bool(same),
                        }
                    )
    save("device_code", rows)


def render():
    data = load("device_code")
    if not data:
        return
    columns = list(dict.fromkeys((row["target"], row["code"]) for row in data["rows"]))
    held = {(row["target"], row["code"], row["kernel"]): row for row in data["rows"]}
    rows = []
    for kernel, name in WHAT.items():
        cells = [held[*column, kernel] for column in columns]
        rows.append(
            [name, *(f"{cell['ours']} / {cell['by_hand']}{' =' if cell.get('same_bytes') else ''}" for cell in cells)]
        )
    into_page("device_code", table(["ours / by hand", *(f"{target} {code}" for target, code in columns)], rows))
