# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares the tables of scalars (handles/detail/scalar_rows.hpp) with the names of the parameters in the libraries'
own headers. scalar_tables.py COMPILER INCLUDE PREFIX=HEADER...; a header that is not there is left out. The comparison
knows a scalar by its name: alpha, beta, result, and all parameters of the routines that make rotations."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# The routines that the tables leave out on purpose: each form takes its scalars in another way, or the name means
# another thing.
LEFT_OUT = re.compile(r"GetSolutions|AlgoCheck|_get_solutions|kernel_name|[nN]nz|rotm(_s|S)trided")


def functions(library, header):
    """Yields each function of the header that takes a handle first: its name, which of its pointer parameters are
    scalars by their name, and which are arrays of pointers, about which the tables say nothing."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^#[^\n]*", "", header.read_text(), flags=re.S | re.M)
    for name, parameters in re.findall(rf"\b({library}_?\w+)\s*\(([^()]*)\)", text):
        first, *rest = [parameter.strip() for parameter in parameters.split(",")]
        if "handle" not in first.lower() or not all(re.search(r"\w[\s*]+\w+\s*(\[\])?$", one) for one in rest):
            continue
        pointers = [one for one in rest if re.search(r"[*\[]|(Descr|HybMat|Info|Descriptor|Desc|Layout)_t", one)]
        routine = re.sub(r"(_v2|_64|ex|batched|strided|_)+$", "", name.lower())
        scalars = set()
        for number, one in enumerate(pointers):
            parameter = re.search(r"(\w+)\s*(\[\])?$", one)[1].lower()
            by_name = parameter in ("alpha", "beta", "result", "results") or (
                library == "cudnn" and re.match("alpha|beta|valueptr", parameter) is not None)  # fmt: skip
            rotation = routine.endswith(("rotg", "rotmg")) or (
                parameter in ("c", "s", "c_coeff", "s_coeff") and routine.endswith("rot")) or (
                parameter == "param" and routine.endswith("rotm"))  # fmt: skip
            if (by_name or rotation) and len(re.findall(r"[*\[]", one)) < 2:
                scalars.add(number)
        batched = {number for number, one in enumerate(pointers) if len(re.findall(r"[*\[]", one)) > 1}
        yield name, scalars, batched


def main():
    compiler, include, *libraries = sys.argv[1:]
    lines, found = [], []
    for library, path in (one.split("=", 1) for one in libraries):
        if not Path(path).is_file():
            continue
        found.append(library)
        tables = {"cudnn": "dnn", "cublasLt": "lt"}
        table = "sparse" if "sparse" in library else tables.get(library, "blas")
        for name, scalars, batched in functions(library, Path(path)):
            if LEFT_OUT.search(name):
                continue
            wanted = sum(1 << number for number in scalars)
            ignored = sum(1 << number for number in batched) | 1 << 31
            name = name.replace("_v2", "")
            lines.append(f'static_assert((detail::{table}_scalars(Name::of("{library}"), Name::of("{name}")) & '
                         f'~{ignored}U) == {wanted}U, "{name}");')  # fmt: skip
    if not found:
        print("skipped: no header of a library was found")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "tables.cpp"
        start = "#include <warpsafe/handles/detail/scalar_rows.hpp>\nusing namespace warpsafe;\n"
        source.write_text(start + "\n".join(lines))
        flags = ["-std=c++20", "-fsyntax-only", f"-I{include}"]
        run = subprocess.run([compiler, *flags, str(source)], check=False, capture_output=True, text=True)
    print(*re.findall(r"static assertion failed: (.*)", run.stderr), sep="\n")
    print(f"{len(lines)} functions of {', '.join(found)}")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
