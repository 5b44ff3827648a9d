# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Makes the measurements of docs/performance that need no GPU, and writes the tables into its pages:

    bench/run performance [NAME...] [--cccl DIR] [--cuda-api-wrappers DIR...] [--hip-cpu DIR] [--tbb DIR]
                          [--alpaka DIR] [--rounds N] [--build DIR]

Names: launch device_code safe_grid host_backend compile_cu compile_cpp compile_many object_size. Without a name
all of them are measured. Raw results and plots go to build/performance/. `render` measures nothing, and writes tables and
plots from the raw results there. Another library is measured if its folder is given: CCCL's libcudacxx/include,
cuda-api-wrappers' src (and the folder of nvFatbin.h, if the toolkit has none), HIP-CPU's root, a prefix with
TBB, which HIP-CPU needs, and the root of alpaka 3.
"""

import argparse

import bars
import compile_many
import compile_weight
import device_code
import host_backend
import launch
import safe_grid
from common import *

MEASUREMENTS = {
    "launch": launch,
    "device_code": device_code,
    "safe_grid": safe_grid,
    "host_backend": host_backend,
    "compile_cu": compile_weight.Kind("cu"),
    "compile_cpp": compile_weight.Kind("cpp"),
    "compile_many": compile_many,
    "object_size": compile_weight.ObjectSize(),
}


def draw(folder):
    """Draws the plots, with this Python's matplotlib or with one in a virtual environment."""
    python = Path(sys.executable)
    if subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode != 0:
        python = folder / "venv/bin/python"
        make = ([sys.executable, "-m", "venv", folder / "venv"], [python, "-m", "pip", "-q", "install", "matplotlib"])
        if any(subprocess.run(command).returncode != 0 for command in make):
            print("the tables are written; the plots are left out, because pip cannot install matplotlib here")
            return
    run(python, HERE / "plots.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*MEASUREMENTS, "render", []])
    parser.add_argument("--cccl")
    parser.add_argument("--cuda-api-wrappers", nargs="+")
    parser.add_argument("--hip-cpu")
    parser.add_argument("--tbb")
    parser.add_argument("--alpaka")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--build", type=Path, default=ROOT / "build/performance")
    options = parser.parse_args()
    options.build.mkdir(parents=True, exist_ok=True)
    for name in options.names or MEASUREMENTS:
        if name != "render":
            print(f"== {name}", flush=True)
            MEASUREMENTS[name].measure(options.build, options)
    for module in (*MEASUREMENTS.values(), bars):
        module.render()
    draw(options.build)


if __name__ == "__main__":
    main()
