#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Tests prove.py: self_test.py INCLUDE_FOLDER. A changed statement of a header, a false goal, a mutation that
changes nothing and a goal without one must each fail, with a text that names the place. Without z3 only the first
is tested."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
FORMULA = """;@ file a.hpp
;| return n / 2;
(declare-const n Int)
;@ prove halves
(assert (> n 0))
(assert (not (<= (div n 2) n)))
;@ mutate halves: (> n 0) => true
"""
# (what is replaced, by what, words of the failure; no words: it passes)
CASES = [
    ("", "", ""),
    ("(<= (div n 2) n)", "(< (div n 2) 0)", "bad: halves: z3 answers sat, expected unsat"),
    ("(> n 0) => true", "(> n 0) => (> n 1)", "z3 answers unsat, expected sat"),
    (";@ mutate halves: (> n 0) => true\n", "", "the goal halves has no mutation"),
    ("return n / 2;", "return n / 3;", "a.hpp no longer contains: return n/3;"),
    ("(> n 0) => true", "(> n 5) => true", "occurs 0 times"),
]
failed = []


def expect(command, words, what):
    ran = subprocess.run([sys.executable, "-S", str(HERE / "prove.py"), *map(str, command)], capture_output=True,
                         text=True, check=False)
    said = ran.stdout + ran.stderr
    if (ran.returncode != 0) != bool(words) or words not in said:
        failed.append(f"{what}: exit code {ran.returncode}, without `{words}`:\n{said}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    # One operator of the grid arithmetic.
    shutil.copytree(sys.argv[1], folder / "warpsafe")
    header = folder / "warpsafe/dims/detail/cover.hpp"
    right = header.read_text()
    header.write_text(right.replace("(n.bits + (per_block - 1)) / per_block", "(n.bits + per_block) / per_block"))
    if header.read_text() == right:
        failed.append("cover.hpp has changed: change this test")
    expect(["--quotes", "--include", folder / "warpsafe", HERE / "cover.smt2"], "cover.hpp no longer contains",
           "a changed header")
    # A reformatted header is the same.
    header.write_text(right.replace("\n", "\n   "))
    expect(["--quotes", "--include", folder / "warpsafe", HERE / "cover.smt2"], "", "a reformatted header")
    (folder / "a.hpp").write_text("int f(int n) { return n / 2; }\n")
    for old, new, words in CASES if shutil.which("z3") else []:
        (folder / "bad.smt2").write_text(FORMULA.replace(old, new) if old else FORMULA)
        expect(["--include", folder, folder / "bad.smt2"], words, f"{old} => {new}")

print("\n".join(failed) or "prove.py fails where it must")
sys.exit(1 if failed else 0)
