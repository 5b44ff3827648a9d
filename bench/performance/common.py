# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What the measurements of docs/performance.md and docs/performance/ share: tools, raw results, tables in the pages."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "bench/performance"
RESULTS = ROOT / "build/performance"  # raw results and plots
PAGES = [ROOT / "docs/performance.md", *sorted((ROOT / "docs/performance").glob("*.md"))]
INCLUDE = ROOT / "include"
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
HIPCC = shutil.which("hipcc") or "/opt/rocm/bin/hipcc"
# The flags of the objects of tests/release.
RELEASE = ["-std=c++20", "-O2", "-DNDEBUG", "-DWARPSAFE_CHECKS=0", f"-I{INCLUDE}"]
# What alpaka's own CMake passes to nvcc on a machine without hwloc.
ALPAKA_CUDA = ["--extended-lambda", "--expt-relaxed-constexpr", "-DALPAKA_DISABLE_HWLOC"]


def has(tool):
    return shutil.which(tool) is not None


def cuda_includes():
    """CUDA's headers, for a compiler that is not nvcc."""
    return [f"-I{Path(NVCC).resolve().parent.parent / 'include'}"]


def run(*command, **more):
    """Output of a command, which must succeed."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def first_line(*command):
    return run(*command).strip().splitlines()[0]


def machine():
    """Processor and tools of this machine, in their own words."""
    model = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    said = {
        "processor": model[1] if model else "unknown",
        "cores": os.cpu_count(),
        "g++": first_line("g++", "--version"),
    }
    if has("clang++"):
        said["clang++"] = first_line("clang++", "--version")
    if has(NVCC):
        said["nvcc"] = re.search(r"release [\d.]+, V[\d.]+", run(NVCC, "--version"))[0]
    if has(HIPCC):
        said["hipcc"] = re.search(r"HIP version: (\S+)", run(HIPCC, "--version"))[1]
    boost = run("g++", "-E", "-dM", "-x", "c++", "-include", "boost/version.hpp", os.devnull)
    said["Boost"] = re.search(r'BOOST_LIB_VERSION "(.+)"', boost)[1].replace("_", ".")
    return said


def save(name, rows, **more):
    RESULTS.mkdir(parents=True, exist_ok=True)
    data = {"command": f"bench/run performance {name}", "machine": machine(), **more, "rows": rows}
    (RESULTS / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")


def load(name):
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def table(header, rows):
    """Markdown; the first column is text, the others are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def into_page(name, text):
    """Puts a table between its two marks, in the page that has them."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    for page in PAGES:
        old = page.read_text()
        if marks.search(old):
            page.write_text(marks.sub(lambda found: f"{found[1]}\n{text.rstrip()}\n\n{found[2]}", old))
            return
    sys.exit(f"no page has a place for {name}")
