#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""warpsafe-lint reads programs that rely on the includes of an older Thrust, whose headers take seconds: check_thrust.py LINT

Exit code 77: libclang or CUDA is not installed."""
import pathlib
import sys
import tempfile

from linter import Linter

linter = Linter(sys.argv[1])
problems = []
HEADER = "#include <thrust/device_vector.h>\n"
PROGRAMS = {
    "a header that Thrust's headers no longer include": (
        "int f(thrust::device_vector<int>& v) {\n  thrust::host_vector<int> h = v;\n  return h[0];\n}\n", lambda said: said == ""),
    "functions of such headers": (
        "int f(thrust::device_vector<int>& v) { return thrust::count_if(v.begin(), v.end(), 1); }\n"
        "int* g(thrust::device_vector<int>& v) { return thrust::min_element(&v, &v); }\n", lambda said: "no member named" not in said),
    "a name that Thrust has not": ("thrust::no_such_thing i;\n", lambda said: "no_such_thing" in said),
}  # fmt: skip

with tempfile.TemporaryDirectory() as folder:
    for what, (text, is_right) in PROGRAMS.items():
        pathlib.Path(folder, "a.cu").write_text(HEADER + text)
        said = linter.run("a.cu", cwd=folder).stderr
        if "cannot find CUDA" in said or "not find thrust" in said:
            print(f"skipped: {said}")
            sys.exit(77)
        if not is_right(said):
            problems.append(f"{what}: {said!r}")
print(*problems or [f"{len(PROGRAMS)} programs: as expected"], sep="\n")
sys.exit(bool(problems))
