#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that warpsafe-lint reports a repeated mistake once: check_repeats.py LINT

Findings of one kind in one function or one macro are one finding with further places, in text, JSON and SARIF. Comments, baselines,
changed lines and corrections still count each place. Exit code 77: libclang is not installed."""
import json
import pathlib
import re
import sys
import tempfile

from linter import Linter, first_commit

linter = Linter(sys.argv[1])
problems = []
HEADER = """#pragma once
enum cudaError_t { cudaSuccess };
extern "C" cudaError_t cudaMemset(void*, int, unsigned long), cudaFree(void*), cudaGetLastError();
extern int count;
#define FILL(p) cudaMemset(p, 0, count)
#define CHECK(call) do { if ((call) != cudaSuccess) throw 1; } while (0)
"""


def expect(what, is_now, should_be):
    if is_now != should_be:
        problems.append(f"{what}: {is_now!r}, expected {should_be!r}")


def of(done):
    """Each finding as its row and its places, each a line and a column."""
    return [(item["row"], [(place["line"], place["column"]) for place in (item, *item["also"])]) for item in json.loads(done.stdout)]


def lines(done):
    return [(row, [line for line, _ in places]) for row, places in of(done)]


def ends(done):
    """What the text of each finding says of further places."""
    return [(int(line), also or "") for line, also in re.findall(r"^[^:\n]+:(\d+):\d+: .*?(?:; (also at [^;\n]*))? \[\w+\]$", done.stdout, re.M)]


def function(*statements, name="f"):
    return f"void {name}(float* x, float* y, int n, int m, double* source, double* target) {{\n" + "".join(
        f"  {each};\n" for each in statements) + "}\n"


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "runtime.h").write_text(HEADER)

    def run(*words):
        return linter.run(*words, cwd=folder)

    def findings(*statements, more="", row="F05"):
        (folder / "a.cpp").write_text('#include "runtime.h"\n' + function(*statements) + more)
        return run(f"--rows={row}", "--level=note", "--json", "a.cpp")

    def text(*statements):
        findings(*statements)
        return ends(run("--rows=F05", "a.cpp"))

    for what, statements, more, wanted in (
            ("names and numbers", ["cudaMemset(x, 0, n)", "cudaMemset(source, 1, m)"], "", [[3, 4]]),
            ("expressions", ["cudaMemset(source, 0, n * sizeof(float))", "cudaMemset(target, 0, sizeof(float) * (n + m))",
                             "cudaMemset(source, 0, static_cast<unsigned long>(m) * sizeof(int))"], "", [[3, 4, 5]]),
            ("another function", ["cudaMemset(x, 0, n)"], function("cudaMemset(x, 0, n)", name="g"), [[3], [6]]),
            ("another remedy", ["cudaMemset(x, 0, n)", "cudaMemset(target, 0, n * sizeof(float))", "cudaMemset(y, 0, m)"], "", [[3, 5], [4]]),
            ("a macro's own text", ["FILL(x)", "FILL(y)", "cudaMemset(x, 0, n)"], function("FILL(target)", name="g"), [[3, 4, 8], [5]]),
            ("an argument of a macro", ["CHECK(cudaMemset(x, 0, n))"], function("CHECK(cudaMemset(x, 0, n))", name="g"), [[3], [6]])):
        expect(what, [places for _, places in lines(findings(*statements, more=more))], wanted)
    expect("two remedies of one row", lines(findings("cudaFree(x)", "cudaFree(x)", "cudaFree(y)", "cudaMemset(y, 0, 4)", row="F04")),
           [("F04", [4]), ("F04", [6])])
    both = lines(findings("cudaMemset(x, 0, n)", "cudaMemset(&x, 0, 8)", row="F05,L01"))
    expect("two rows", both, [("F05", [3]), ("L01", [4])])
    wrapper = "cudaError_t frees(void* p) { return cudaFree(p); }\n"
    harmless = function("frees(x)", "CHECK(cudaGetLastError())", name="g")
    (folder / "a.cpp").write_text('#include "runtime.h"\n' + wrapper + harmless + function("frees(x)", "frees(y)"))
    done = run("--rows=D08", "--json", "a.cpp")
    expect("severities", [(item["severity"], item["line"], len(item["also"])) for item in json.loads(done.stdout)], [("note", 4, 0), ("warning", 8, 1)])
    expect("the statuses of severities", [run("--rows=D08", f"--fail-on={level}", "a.cpp").returncode for level in ("note", "warning", "error")],
           [1, 1, 0])

    # The text names up to six further lines, and columns if there is no further line.
    fill = "cudaMemset(x, 0, n)"
    for count, also in ((1, ""), (2, "also at line 4"), (3, "also at lines 4 and 5"), (7, "also at lines 4, 5, 6, 7, 8 and 9"),
                        (8, "also at lines 4, 5, 6, 7, 8, 9 and 10"), (9, "also at lines 4, 5, 6, 7, 8, 9 and 2 more")):
        expect(f"the text of {count}", text(*[fill] * count), [(3, also)])
    expect("the text of columns", text(f"{fill}; {fill}; {fill}"), [(3, "also at columns 41 and 62")])
    expect("the text of columns and lines", text(f"{fill}; {fill}", fill), [(3, "also at line 4")])
    expect("JSON's places", of(findings(f"{fill}; {fill}", fill)), [("F05", [(3, 20), (3, 41), (4, 20)])])

    findings("/* \u00e9 */ cudaMemset(x, 0, n)", "/* \u00e9\u00e9 */ cudaMemset(x, 0, n)", "cudaFree(x)")
    result = json.loads(run("--rows=F05", "--sarif", "a.cpp").stdout)["runs"][0]["results"]
    expect("SARIF's results", len(result), 1)
    expect("SARIF's further places", [(place["id"], place["physicalLocation"], bool(place["message"]["text"])) for place in result[0]["relatedLocations"]],
           [(1, {"artifactLocation": {"uri": "a.cpp"}, "region": {"startLine": 4, "startColumn": 29}}, True)])

    # A comment silences its own place, also the first one.
    silent = fill + ";  // warpsafe-lint: ignore F05 bytes\n  "
    expect("a silent first place", lines(findings(silent + fill, fill)), [("F05", [4, 5])])
    expect("a silent further place", lines(findings(fill, silent + fill)), [("F05", [3, 5])])
    expect("no place left", lines(findings(silent, silent)), [])
    (folder / "a.cpp").write_text('#include "runtime.h"\n' + wrapper + function("frees(x);  // NOLINT", "frees(y)"))
    expect("a silent place of a whole file's kind", lines(run("--rows=D08", "--json", "a.cpp")), [("D08", [5])])

    # A baseline counts places.
    findings(fill, "cudaMemset(y, 0, m)")
    expect("--write-baseline", run("--rows=F05", "--write-baseline=all.json", "a.cpp").returncode, 0)
    expect("the places of a baseline", sorted(json.loads((folder / "all.json").read_text())["findings"].values()), [1, 1])
    done = run("--rows=F05", "--baseline=all.json", "a.cpp")
    expect("accepted places", (done.returncode, done.stdout), (0, ""))
    findings("cudaMemset(x, 0, m)", fill, "cudaMemset(y, 0, m)", "cudaMemset(y, 0, n)")
    expect("places that a baseline does not have", lines(run("--rows=F05", "--baseline=all.json", "--json", "a.cpp")), [("F05", [3, 6])])

    # A changed line of a kind is reported, and the others of the kind are not.
    findings(fill, fill, fill)
    first_commit(folder, "a.cpp", "runtime.h")
    expect("no changed place", run("--rows=F05", "--changed-since=HEAD", "a.cpp").returncode, 0)
    findings(fill, "cudaMemset(y, 0, n)", fill, fill, "cudaMemset(y, 0, m)")
    done = run("--rows=F05", "--changed-since=HEAD", "--json", "a.cpp")
    expect("changed places", (done.returncode, lines(done)), (1, [("F05", [4, 7])]))

    # --fix-cuda corrects each place of one finding.
    launches = ["k<<<n / 256, 256>>>(x, n)", "k<<<m / 128, 128>>>(y, m)", "k<<<n / 64, 64>>>(x, n)"]
    (folder / "b.cu").write_text("#include <cuda_runtime.h>\n__global__ void k(float* x, int n) {\n"
                                 "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = 0;\n}\n" + function(*launches))
    done = run("--rows=A07", "--json", "b.cu")
    if "not find cuda_runtime.h" in done.stderr or "cannot find CUDA" in done.stderr:
        print("no CUDA toolkit here: --fix-cuda is not tried")
    else:
        expect("one finding of three launches", lines(done), [("A07", [7, 8, 9])])
        (folder / "c.cu").write_text("#include <cuda_runtime.h>\n__global__ void k(float* x) { *x = 0; }\n" + function("k<<<1, n>>>(x)") +
                                     function("k<<<1, m>>>(y)", name="g"))
        # The block of one launch has the size of the data, which D01 says of it as well.
        expect("one finding of launches in two functions", lines(run("--rows=D01,A19", "--level=warning", "--json", "c.cu")), [("A19", [4, 7])])
        run("--rows=A07", "--fix-cuda", "b.cu")
        expect("corrected launches", re.findall(r"<<<(.*), \d+>>>", (folder / "b.cu").read_text()),
               ["n / 256 + (n % 256 != 0)", "m / 128 + (m % 128 != 0)", "n / 64 + (n % 64 != 0)"])
if problems:
    sys.exit("\n".join(problems))
