#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Jobs whose numbers diverge, over a stand-in for NCCL: check_checksums.py WARPSAFE_RANKS LIBRARY CHECKSUMS_JOB JOB

Also runs the right programs of programs/job.cpp with checksums: warpsafe-ranks says nothing of them."""

import os
import pathlib
import re
import sys
import tempfile

from jobs import Asked, Job

TOOL, LIBRARY, PROGRAM, OTHER_PROGRAM = sys.argv[1:]
SIZE = 4
HERE = pathlib.Path(__file__).parent / "programs"


def right_ones(name):
    return sorted(set(re.findall(r'is\("(right_\w+)"\)', (HERE / name).read_text())))


# Mode: the finding's kind, what it says, and the ranks with what they did. Step 11 begins with collective 21.
MISTAKES = {
    "nan": ("non_finite", "rank 2 has the first NaN or infinity, in the input of collective 21 of communicator 1 (NCCL, 4 ranks), "
            "all_reduce of 15000 float32, sum", [([2], "its input has 1 NaN, the first at element 17")]),
    "infinity": ("non_finite", "rank 1 has the first NaN or infinity, in the input of collective 21", [([1], "its input has 1 infinite, the first at element 3")]),
    "nan_in_message": ("non_finite", "rank 1 has the first NaN or infinity, in a send of 50 float32 to rank 2 of the communicator (communicator 1)",
                       [([1], "its input has 1 NaN, the first at element 7")]),
    "overflow": ("non_finite", "the output of collective 21", [([0, 1, 2, 3], "has it in its output")]),
    "damaged": ("diverged", "the output of collective 21 of communicator 1 (NCCL, 4 ranks), all_reduce of 15000 float32, sum, differs between its ranks",
                [([0, 1, 2], "its output has the checksum"), ([3], "its output has the checksum")]),
}


def run(program, mode, folder, checksums=True, **variables):
    """What warpsafe-ranks says, or a problem. The lines of `output` and of `compilations` stay in the folder."""
    for name in ("WARPSAFE_RANKS_CHECKSUMS", "STAND_IN_NVRTC_FAILS", "STAND_IN_CAPABILITY", "STAND_IN_CUDA"):
        os.environ.pop(name, None)
    if checksums:
        os.environ["WARPSAFE_RANKS_CHECKSUMS"] = "1"
    pathlib.Path(folder, mode).mkdir()
    os.environ.update(variables, STAND_IN_NVRTC_LOG=f"{folder}/{mode}/compilations")
    job = Job([program, f"{folder}/{mode}", mode], SIZE, f"{folder}/{mode}", f"{folder}/{mode}/records", LIBRARY)
    statuses = job.wait()
    job.kill()
    asked = Asked(TOOL, f"{folder}/{mode}/records")
    return asked, "" if statuses == [0] * SIZE else f"{mode}: ended with {statuses}\n{job.output()}"


def with_checksums(folder, mode):
    """(inputs, outputs, collectives) with checksums, of all ranks."""
    sys.path.insert(0, str(pathlib.Path(TOOL).parent))
    from warpsafe_ranks.checksums import windows
    from warpsafe_ranks.files import Checksums
    from warpsafe_ranks.job import Job as Records

    inputs = outputs = count = 0
    for one in Records(f"{folder}/{mode}/records").communicators:
        for member in one.members:
            count += len(member.records)
            for span in windows(len(member.checksums)):
                states = list(member.checksums.window(*span)(Checksums.STATE))
                inputs += sum(state & 1 for state in states)
                outputs += sum(state >> 1 for state in states)
    return inputs, outputs, count


def check_right(program, mode, folder):
    asked, problem = run(program, mode, folder)
    if problem or not asked.says_nothing():
        return problem or f"{mode}: {asked.said['findings']} {asked.said['problems']} {asked.error}"
    if program != PROGRAM:
        return ""
    inputs, outputs, count = with_checksums(folder, mode)
    if mode in ("right_steps", "right_odd_address", "right_loss_scaler", "right_contexts"):
        # A broadcast has an input at its root alone, and reduce and reduce_scatter have no output that all ranks share.
        if (inputs, outputs, count) != (SIZE * 32 - 12, SIZE * 24, SIZE * 32):
            return f"{mode}: {inputs} inputs and {outputs} outputs of {count} collectives are known"
    elif mode == "right_foreign" and (inputs, outputs) != (0, SIZE * 8):
        return f"{mode}: {inputs} inputs and {outputs} outputs of {count} collectives are known"
    elif mode == "right_in_flight" and not 0 < inputs < count:
        return f"{mode}: {inputs} inputs of {count} collectives are known"
    elif mode == "right_group" and (inputs, outputs) != (SIZE * 8 + 1, SIZE * 8):
        return f"{mode}: {inputs} inputs and {outputs} outputs of {count} collectives are known"
    elif mode == "right_capture" and outputs != SIZE * 10:
        return f"{mode}: {outputs} outputs are known"
    return ""


def check_mistake(mode, folder):
    kind, text, sides = MISTAKES[mode]
    asked, problem = run(PROGRAM, mode, folder)
    found = asked.find(kind)
    is_right = not problem and asked.kinds() == [kind] and text in found["text"] and found["collective"] == (None if "message" in mode else 21) and len(found["sides"]) == len(sides) and all(
        one["ranks"] == ranks and what in one["what"] and re.match(r"checksums_job\.cpp:\d+", one["place"])
        for one, (ranks, what) in zip(found["sides"], sides))
    return "" if is_right else f"{mode}: {problem} {asked.said['findings']} {asked.error}"


def check_compare(folder):
    problems = []
    for mode in ("right_steps", "perturbed"):
        problems.append(run(PROGRAM, mode, folder)[1])
    os.rename(f"{folder}/right_steps", f"{folder}/first")
    problems.append(run(PROGRAM, "right_steps", folder)[1])
    asked = Asked(TOOL, f"{folder}/right_steps/records", "--compare", f"{folder}/first/records")
    problems.append("" if asked.says_nothing() and asked.said["compared"] == SIZE * 32 else f"two equal runs: {asked.said}")
    asked = Asked(TOOL, f"{folder}/perturbed/records", "--compare", f"{folder}/first/records")
    found = asked.find("compared")
    if not found or "rank 1 is the first to differ between the runs: the input of collective 21" not in found["text"] or found["sides"][0]["ranks"] != [1]:
        problems.append(f"compared: {asked.said['findings']} {asked.error}")
    problems.append(run(PROGRAM, "right_capture", folder)[1])
    asked = Asked(TOOL, f"{folder}/right_capture/records", "--compare", f"{folder}/first/records")
    found = asked.find("compared")
    if not found or "the call of collective 8 " not in found["text"]:
        problems.append(f"compared with other calls: {asked.said['findings']} {asked.error}")
    return "\n".join(filter(None, problems))


def check_special(folder):
    asked, problem = run(PROGRAM, "refused", folder)
    if problem or asked.kinds() != ["failed"]:
        return f"refused: {problem} {asked.said['findings']}"
    asked, problem = run(PROGRAM, "nan", folder, checksums=False)
    if problem or not asked.says_nothing() or list(pathlib.Path(folder).glob("**/*.checksums.*")):
        return f"without checksums: {problem} {asked.said['findings']}"
    return ""


NO_NVRTC = ("their kernel is compiled by NVRTC (libnvrtc.so of CUDA 11.2 or later, and of a major release that the driver has), which was not "
            "found; install NVIDIA's CUDA toolkit, or pip's nvidia-cuda-nvrtc-cu12 (for CUDA 13 nvidia-cuda-nvrtc) with its folder in "
            "LD_LIBRARY_PATH")
# Why there are no checksums: the mode, variables, and what the first process prints and warpsafe-ranks says.
NO_CHECKSUMS = (
    ("no_code", {}, "CUDA's driver refuses the kernel that computes them (221)"),
    ("no_nvrtc", {}, NO_NVRTC),
    # The driver refuses the code of a newer release than its own.
    ("right_steps", {"STAND_IN_CUDA": "11"}, NO_NVRTC),
    ("right_steps", {"STAND_IN_NVRTC_FAILS": "1"},
     "NVRTC does not compile their kernel with --gpu-architecture=sm_90 (6): checksum_kernel.cu(1): error: no"),
    ("right_steps", {"STAND_IN_CAPABILITY": "61"},
     "NVRTC compiles nothing for a device of compute capability 6.1; install the release of the device's CUDA"),
)


def check_no_checksums(mode, variables, why, folder):
    asked, problem = run(PROGRAM, mode, folder, **variables)
    said = pathlib.Path(folder, mode, "output.0").read_text(), pathlib.Path(folder, mode, "output.1").read_text()
    problems = asked.said["problems"]
    if problem or asked.kinds() or len(problems) != SIZE or not all(one.endswith(f"there are no checksums: {why}") for one in problems):
        return f"{mode}, {variables}: {problem} {asked.said}"
    # One process on a host says it for all.
    wanted = f"warpsafe: there are no checksums of device memory: {why}\n", ""
    return "" if said == wanted else f"{mode}, {variables}: prints {said}"


def check_compilations(folder):
    """A process compiles once, however many contexts and collectives it has."""
    for mode, variables in (("right_contexts", {}), ("right_steps", {"STAND_IN_CAPABILITY": "100"})):
        asked, problem = run(PROGRAM, mode, folder, **variables)
        made = pathlib.Path(folder, mode, "compilations").read_text().split()
        if problem or not asked.says_nothing() or len(made) != SIZE or len(set(made)) != SIZE or with_checksums(folder, mode)[1] != SIZE * 24:
            return f"{mode}: {problem} {asked.said}, compiled by {made}"
    return ""


def check_packages(folder):
    """NVRTC is found where pip's packages have it, seen from NCCL's."""
    stand_in = pathlib.Path(PROGRAM).parent / "stand_in"
    for library, file in (("nccl", "libnccl.so.2"), ("cuda_nvrtc", "libnvrtc.so.12")):
        lib = pathlib.Path(folder, "nvidia", library, "lib")
        lib.mkdir(parents=True)
        (lib / file).symlink_to(stand_in / file)
    before = os.environ.get("LD_LIBRARY_PATH")
    os.environ["LD_LIBRARY_PATH"] = f"{folder}/nvidia/nccl/lib"
    try:
        asked, problem = run(PROGRAM, "right_steps", folder)
    finally:
        os.environ.pop("LD_LIBRARY_PATH") if before is None else os.environ.update(LD_LIBRARY_PATH=before)
    made = pathlib.Path(folder, "right_steps/compilations")
    return "" if not problem and asked.says_nothing() and made.exists() else f"packages: {problem} {asked.said}"


def main():
    problems = []
    checks = [lambda folder, mode=mode: check_right(PROGRAM, mode, folder) for mode in right_ones("checksums_job.cpp")]
    checks += [lambda folder, mode=mode: check_right(OTHER_PROGRAM, mode, folder) for mode in right_ones("job.cpp")]
    checks += [lambda folder, mode=mode: check_mistake(mode, folder) for mode in MISTAKES]
    checks += [lambda folder, one=one: check_no_checksums(*one, folder) for one in NO_CHECKSUMS]
    checks += [check_compare, check_special, check_compilations, check_packages]
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            problems.append(check(folder))
    problems = [problem for problem in problems if problem]
    print("\n".join(problems) or f"{len(checks)} checks: all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
