#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compiles a harness and fuzzes with it: run.py [--seconds N] [--seed N] --compiler CLANG++ --include FOLDER... --build FOLDER HARNESS

Begins with the committed corpus (corpus/NAME) and what earlier runs found (BUILD/corpus/NAME). Runs for N seconds, or
WS_FUZZ_SECONDS, or 60. Writes one line to standard output and to BUILD/NAME.line: executions, executions per
second of processor time (a machine is seldom idle), new units, findings. Findings stay in BUILD/findings/NAME, where each is an input: BUILD/NAME FILE repeats it.
With --seed the sequence of inputs is the same each time; without it, each run draws another one.
Exit code 1: a finding, or the harness does not compile. 77: clang++ has no libFuzzer here."""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

FLAGS = ["-std=c++20", "-O1", "-g1", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-fsanitize=fuzzer,address,undefined",
         "-fno-sanitize-recover=undefined"]
EMPTY = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, decltype(sizeof 0)) { return 0; }\n'
# The seconds and MiB that one input may need.
TIMEOUT, MEMORY = 10, 3000

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "compile"))
from host_libraries import host_libraries  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=int, default=int(os.environ.get("WS_FUZZ_SECONDS", "60")))
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--compiler", required=True)
parser.add_argument("--include", action="append", default=[])
parser.add_argument("--build", required=True, type=pathlib.Path)
parser.add_argument("harness", type=pathlib.Path)
options = parser.parse_args()
name = options.harness.stem
seeds = here / "corpus" / name
grown, findings = options.build / "corpus" / name, options.build / "findings" / name
for folder in (grown, findings):
    folder.mkdir(parents=True, exist_ok=True)


def finish(executions, seconds, new, found):
    line = f"{name:<14}{executions:>12} executions{round(executions / max(seconds, 1)):>8}/s{new:>7} new units{found:>4} findings"
    (options.build / f"{name}.line").write_text(line + "\n")
    print(line)
    if found:
        print(f"the inputs are in {findings}")
    sys.exit(1 if found else 0)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def known():
    return {path.name for path in findings.iterdir()}


before, begun = known(), processor_seconds()
if options.harness.suffix == ".py":
    done = subprocess.run([sys.executable, options.harness, "--seconds", str(options.seconds), "--seed", str(options.seed),
                           "--findings", findings],
                          stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    executions = int((re.search(r"(\d+) executions", done.stdout) or [0, 0])[1])
    finish(executions, processor_seconds() - begun, 0, max(len(known() - before), int(done.returncode != 0)))

program = options.build / name
includes = [f"-I{folder}" for folder in options.include if folder] + [f"-I{here.parents[1]}"]
probe = subprocess.run([options.compiler, "-x", "c++", "-", "-fsanitize=fuzzer,address", "-o", os.devnull],
                       input=EMPTY, capture_output=True, text=True, check=False)
if probe.returncode != 0:
    print(f"skipped: {options.compiler} has no libFuzzer here (Debian: libclang-rt-dev)")
    sys.exit(77)
text = options.harness.read_text()
libraries = host_libraries(options.compiler) if "warpsafe/host.hpp" in text else ["-pthread"]
made = subprocess.run([options.compiler, *FLAGS, *includes, options.harness, "-o", program, *libraries], check=False)
if made.returncode != 0:
    (options.build / f"{name}.line").write_text(f"{name:<14} does not compile\n")
    sys.exit(1)

begun = processor_seconds()
words = [program, grown] + ([seeds] if seeds.is_dir() else [])
words += [f"-max_total_time={options.seconds}", "-print_final_stats=1", f"-artifact_prefix={findings}/",
          f"-timeout={TIMEOUT}", f"-rss_limit_mb={MEMORY}", "-entropic=0", f"-seed={options.seed}"]
# The addresses of allocations are needed only where a finding is repeated.
environment = {**os.environ, "ASAN_OPTIONS": "malloc_context_size=0:detect_leaks=1"}
done = subprocess.run(words, stderr=subprocess.PIPE, text=True, errors="replace", env=environment, check=False)
(options.build / f"{name}.log").write_text(done.stderr)


def counted(what):
    return int((re.search(rf"stat::{what}: *(\d+)", done.stderr) or [0, 0])[1])


found = len(known() - before)
if done.returncode != 0:
    print("\n".join(line for line in done.stderr.splitlines() if re.search("finding:|ERROR|runtime error|SUMMARY", line)))
    found = max(found, 1)
finish(counted("number_of_executed_units"), processor_seconds() - begun, counted("new_units_added"), found)
