#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""PyTorch jobs on two GPUs, with and without mistakes: on_gpu.py WARPSAFE_RUN WARPSAFE_RANKS

Starts programs/torch_job.py under torchrun, and compares what warpsafe-ranks reports. Exit code 77: no two GPUs, or no
PyTorch."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from check_kernel import checksum
from jobs import Asked, until

WATCH, TOOL = sys.argv[1:3]
sys.path.insert(0, str(pathlib.Path(TOOL).resolve().parent))
from warpsafe_ranks.files import Checksums  # noqa: E402
from warpsafe_ranks.job import Job  # noqa: E402

SCRIPT = pathlib.Path(__file__).parent / "programs/torch_job.py"
STEPS = {"ddp": 200, "fsdp": 200}


def line_of(mark):
    return next(number for number, line in enumerate(SCRIPT.read_text().splitlines(), 1) if line.endswith(f"# {mark}"))


# For each mistake: the kind of finding, and what the report says.
MISTAKES = {
    "missing": ("waits", [f"torch_job.py:{line_of('average')}, in average", "did not call it"]),
    "count": ("different", [f"torch_job.py:{line_of('average')}, in average", "all_reduce of 4 float32", "all_reduce of 8 float32"]),
    # torchrun ends the other rank, sometimes within 0.1 s. Then both are listed, with their own last calls.
    "killed": ("died", ["'ranks': [1]"]),
    "nan": ("non_finite", ["rank 1 has the first NaN or infinity, in the input of", "'ranks': [1]"]),
}


def start(mode, records, *options, steps=None):
    return subprocess.Popen(
        [WATCH, "--quiet", "--ranks", records, *options, "torchrun", "--standalone", "--nproc-per-node", "2", SCRIPT, mode,
         steps or str(STEPS.get(mode, 60))],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check_right(mode, *options):
    with tempfile.TemporaryDirectory() as records:
        job = start(mode, records, *options)
        output, _ = job.communicate(timeout=300)
        asked = Asked(TOOL, records)
        text = subprocess.run([sys.executable, TOOL, records], capture_output=True, text=True, check=False).stdout
        print(f"{mode} {' '.join(options)}: {output.strip().splitlines()[-1:]}, {len(asked.said['findings'])} findings; {text.partition(chr(10))[0]}")
        if job.returncode or not asked.says_nothing():
            return f"{mode}: status {job.returncode}, found {asked.said}\n{output}"
    return None


# PyTorch's types, as check_kernel.py numbers them.
KNOWN = (2, 1, 3, 4, 0, 0)


def check_known():
    """The checksums of the device are those of the same bytes on the host."""
    with tempfile.TemporaryDirectory() as folder:
        job = start("known", f"{folder}/records", "--checksums", steps=folder)
        output, _ = job.communicate(timeout=300)
        wrong = []
        for member in Job(f"{folder}/records").communicators[0].members if job.returncode == 0 else ():
            column = member.checksums.window(0, len(member.checksums))
            calls = [index for index in range(len(member.checksums)) if member.records[index].count in (200_003, 200_002)]
            for number, index in enumerate(calls):
                for way, fields in (("in", (Checksums.INPUT, Checksums.INPUT_NANS, Checksums.INPUT_INFINITIES, Checksums.INPUT_FIRST)),
                                    ("out", (Checksums.OUTPUT, Checksums.OUTPUT_NANS, Checksums.OUTPUT_INFINITIES))):
                    data = pathlib.Path(folder, f"{member.rank}.{number}.{way}").read_bytes()
                    expected, found = checksum(data, KNOWN[number // 2]), tuple(column(field)[index] for field in fields)
                    if expected[: len(found)] != found:
                        wrong.append(f"rank {member.rank}, call {number}, {way}: {found}, expected {expected}")
            if len(calls) != 2 * len(KNOWN):
                wrong.append(f"rank {member.rank}: {len(calls)} calls are recorded")
        print(f"known: {wrong or 'equal to those of the host'}")
        return f"known: status {job.returncode}, {wrong}\n{output}" if job.returncode or wrong else None


def check_mistake(mode):
    kind, wanted = MISTAKES[mode]
    with tempfile.TemporaryDirectory() as records:
        begin = time.monotonic()
        job = start(mode, records, *["--checksums"] * (mode == "nan"))
        asked = until(lambda: Asked(TOOL, records), lambda one: one.find(kind), lambda: job.poll() is not None)
        duration = time.monotonic() - begin
        job.terminate()
        output, _ = job.communicate(timeout=60)
        finding = asked.find(kind)
        said = subprocess.run([sys.executable, TOOL, records], capture_output=True, text=True, check=False).stdout
        print(f"{mode}: {duration:.0f} s after the start:\n{said}")
        if not finding or not all(words in str(finding) for words in wanted):
            return f"{mode}: expected {kind} with {wanted}, found {asked.said}\n{output}"
    return None


def main():
    gpus = subprocess.run("nvidia-smi -L", shell=True, capture_output=True, text=True, check=False).stdout.count("GPU ")
    has_torch = shutil.which("torchrun") is not None
    if gpus < 2 or not has_torch:
        print(f"skipped: needs two GPUs and PyTorch; found {gpus} GPUs, {'' if has_torch else 'no '}torchrun")
        return 77
    with_checksums = [check_right(mode, "--checksums") for mode in STEPS]
    problems = list(filter(None, [*map(check_right, STEPS), *with_checksums, check_known(), *map(check_mistake, MISTAKES)]))
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
