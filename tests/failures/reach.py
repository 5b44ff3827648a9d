#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks which headers the programs of the failure test run.

    reach.py PROGRAM HEADERS LLVM_PROFDATA LLVM_COV

PROGRAM counts its functions' calls; `PROGRAM reach` runs each of the test's programs once. A header that calls a
runtime, allocates, or starts a thread must be run, unless UNREACHED names it with a reason. So must one header of
each room at least. A name in UNREACHED that is run is an error too: remove it.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Code in which something can fail: a call of the runtime, an allocation, a thread, a file.
CAN_FAIL = re.compile(
    r"\bcall<\s*B\b|&B::|\bnew\b(?! \w+ [a-z]+ (?:is|are))|std::(?:vector|string|deque|map)\b"
    r"|\b(?:Array|Queue|Thread|make_shared|make_owned)\b"
    r"|std::(?:mmap|malloc|fopen|fwrite|fread|fputs)\(|::mmap\(|\bpthread_create\("
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

UNREACHED = {
    "backend/host/detail/thread_runner.hpp": "runs kernels under ThreadSanitizer, which replaces the same functions",
    "error/detail/runtime_rows.hpp": "rows of texts: no code of its own, and message.hpp includes it",
}
# The programs are of the host backend.
UNREACHED_ROOMS = {
    "backend/cuda": "tests/vendor_path/failures/calls_test.cpp makes the calls of the stand-in fail",
    "backend/hip": "tests/vendor_path/failures/calls_test.cpp makes the calls of the stand-in fail",
}


def counted(program: str, profdata: str, cov: str) -> dict[str, int]:
    """The number of functions that ran, by the path of their file."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [program, "reach"],
            cwd=folder,
            env={"LLVM_PROFILE_FILE": f"{folder}/%p.profraw"},
            check=True,
            stderr=subprocess.DEVNULL,
        )
        raw = sorted(str(path) for path in pathlib.Path(folder).glob("*.profraw"))
        merged = f"{folder}/merged"
        subprocess.run([profdata, "merge", "-o", merged, *raw], check=True)
        report = subprocess.run(
            [cov, "export", "-summary-only", f"-instr-profile={merged}", program],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    files = json.loads(report)["data"][0]["files"]
    return {str(pathlib.Path(one["filename"]).resolve()): one["summary"]["functions"]["covered"] for one in files}


def main(program: str, headers: str, profdata: str, cov: str) -> int:
    root = pathlib.Path(headers).resolve()
    ran = counted(program, profdata, cov)
    problems = []
    rooms: dict[str, bool] = {}
    reached = can_fail = 0
    for path in sorted(root.rglob("*.hpp")):
        name = path.relative_to(root).as_posix()
        room = "/".join(part for part in name.split("/")[:-1] if part != "detail")
        runs = ran.get(str(path), 0) > 0
        fails = CAN_FAIL.search(COMMENT.sub("", path.read_text(encoding="utf-8"))) is not None
        rooms[room] = rooms.get(room, False) or runs
        reached += runs
        can_fail += fails
        if name in UNREACHED and runs:
            problems.append(f"{name} is run; remove it from UNREACHED in tests/failures/reach.py")
        if fails and not runs and name not in UNREACHED and room not in UNREACHED_ROOMS:
            problems.append(
                f"{name} can fail, and no program of tests/failures runs it: use it in a program, or add it to "
                "UNREACHED with a reason"
            )
    for name in UNREACHED:
        if not (root / name).is_file():
            problems.append(f"{name} of UNREACHED does not exist")
    problems += [
        f"no program of tests/failures runs a header of {room}/"
        for room, runs in rooms.items()
        if room and not runs and room not in UNREACHED_ROOMS  # entry headers only include others
    ]
    problems += [
        f"{room}/ is run, or does not exist; remove it from UNREACHED_ROOMS in tests/failures/reach.py"
        for room in UNREACHED_ROOMS
        if rooms.get(room, True)
    ]
    for problem in problems:
        print(problem)
    print(f"{reached} headers are run; {can_fail} can fail; not run: {', '.join([*UNREACHED_ROOMS, *UNREACHED])}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
