# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Splits the programs of this folder at random: two thirds are open, one third is held back. A fixed seed."""

import random
import re
from pathlib import Path

numbers = sorted(int(n) for path in Path(__file__).parent.glob("*.inc")
                 for n in re.findall(r"^// H(\d+) \|", path.read_text(), re.MULTILINE))  # fmt: skip
assert numbers == list(range(1, len(numbers) + 1))
held = sorted(random.Random(20261123).sample(numbers, len(numbers) // 3))
(Path(__file__).parent / "held_back.txt").write_text(
    "# The third that is tried once, at the end, with the checks as they are then. Drawn by split.py.\n"
    + "\n".join(f"H{n}" for n in held) + "\n")
print(len(numbers), "programs, held back:", " ".join(map(str, held)))
