#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Tests mutate.py and run.py: self_test.py CLANGXX. A header with mutants that are known to be killed, alive, hanging,
not reached, equivalent or in a constant expression must give exactly these results."""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEADER = """// The first line.
#pragma once
namespace warpsafe {
inline constexpr int limit = 3;
inline bool is_small(int n) { return n < 10; }
inline bool is_digit(int n) { return n >= 0 && n < 10; }
inline int down(int n) {
  while (n > 0) --n;
  return n;
}
inline int never(int n) { return n - 1; }
constexpr int twice(int n) { return n * 2; }
struct Pair {
  friend constexpr bool operator==(const Pair& a, const Pair& b) noexcept = default;
  char both[32] = {};
};
inline bool same(const Pair& a, const Pair& b) { return a == b; }
template <class T>
T clear(T n) {
  int old = 1;
  old = 2;
  if (n == 0) n = 1;
  return n;
}
enum Answer { yes, no };
inline Answer answer(int n) {
  if (n == 0) return yes;  // already zero
  return no;
}
}  // namespace warpsafe
"""
SOURCE = """#include <warpsafe/a.hpp>
#include <cstdlib>
using namespace warpsafe;
static_assert(twice(2) == 4 && twice(limit) == 6);
int main(int, char** arguments) {
  if (std::atoi(arguments[1]) == 1) {
    if (!is_small(5) || is_small(50)) return 1;
    if (!is_digit(9) || is_digit(10)) return 1;
    return clear(0) != 1 || clear(2) != 2 || answer(1) != no || answer(0) != yes;
  }
  return down(3);
}
"""
EQUIVALENTS = """# A comment.
a.hpp, clear
    line: old = 2;
    mutant: old = 2; => ;
    equivalent, because
    nothing reads it
"""
# (line, original, mutant): state
EXPECTED = {
    (5, "return n < 10;", "return true;"): "killed",
    (5, "return n < 10;", "return false;"): "killed",
    (5, "n < 10", "!(n < 10)"): "killed",
    (5, "n < 10", "n <= 10"): "alive",
    (5, "10", "(10 + 1)"): "alive",
    (5, "10", "0"): "killed",
    (6, "n >= 0 && n < 10", "n < 10"): "alive",
    (6, "n >= 0 && n < 10", "n >= 0"): "killed",
    (6, "n < 10", "n <= 10"): "killed",
    (6, "n >= 0", "n > 0"): "alive",
    (8, "--n;", ";"): "killed",  # hangs
    (8, "n > 0", "!(n > 0)"): "killed",
    (9, "return n;", "return {};"): "alive",
    (11, "n - 1", "n + 1"): "not reached",
    (12, "n * 2", "n / 2"): "not reached",
    (21, "old = 2;", ";"): "equivalent",
    (22, "n = 1;", ";"): "killed",
    (22, "n == 0", "!(n == 0)"): "killed",
    (27, "n == 0", "!(n == 0)"): "killed",
    (28, "return no;", "return {};"): "killed",
    (4, "3", "(3 + 1)"): "compile",
}


def call(*command):
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{command[0]} failed:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def main():
    with tempfile.TemporaryDirectory(prefix="mutation_") as name:
        folder = pathlib.Path(name)
        (folder / "include/warpsafe").mkdir(parents=True)
        (folder / "include/warpsafe/a.hpp").write_text(HEADER)
        (folder / "a.cpp").write_text(SOURCE)
        (folder / "survivors.txt").write_text(EQUIVALENTS)
        out = folder / "out"
        out.mkdir()
        call(sys.executable, HERE / "mutate.py", "--include", folder / "include", "--out", out, "--unit",
             f"warpsafe/a.hpp:: -std=c++20 -I{folder}/include")  # fmt: skip
        copy = (out / "include/warpsafe/a.hpp").read_text()
        failed = []
        if copy.count("\n") != HEADER.count("\n"):
            failed.append("the copy has other lines than the header")
        call(sys.argv[1], "-std=c++20", "-w", "-O0", f"-I{out}/include", f"-I{HERE}", folder / "a.cpp", "-o", folder / "a")
        said = call(sys.executable, HERE / "run.py", "--out", out, "--program", f"{folder}/a 1", "--program", f"{folder}/a 2",
                    "--count", "1000", "--seed", "1", "--patience", "0.5", "--equivalents",
                    folder / "survivors.txt")  # fmt: skip
        states = {}
        for point in json.loads((out / "points.json").read_text()):
            states[point["line"], point["original"], point["mutant"]] = point["where"]
        for point in json.loads((out / "result.json").read_text())["drawn"]:
            states[point["line"], point["original"], point["mutant"]] = point["state"]
        for key, state in EXPECTED.items():
            if states.get(key) != state:
                failed.append(f"{key}: {states.get(key)}, expected {state}")
        if "mutants killed (without 1 equivalent ones)" not in said:
            failed.append(said)
        if failed:
            sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
