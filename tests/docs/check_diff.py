#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Gives warpsafe-diff damaged journals: every field of another JSON type, files cut off at many places, and
files that are no journals. Each must end with exit code 2 and one line on standard error, and whole journals
with the exit codes of their differences. check_diff.py TIMELINE DIFF [--all]; exit code 77: DIFF is missing.
Without --all each field gets some of the values, so that each value is tried in several fields, a file is cut off at fewer
places, and large files are smaller."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

timeline, diff = sys.argv[1:3]
step, cuts, depth, launches = (1, 60, 1000000, 60000) if sys.argv[3:] == ["--all"] else (5, 12, 200000, 6000)
if not pathlib.Path(diff).exists():
    print("left out: warpsafe-diff needs nlohmann/json.hpp")
    sys.exit(77)
problems, tried = [], 0

# One value of each JSON type, and numbers that no field can hold.
VALUES = (None, True, 1.5, "x", [], [1, 2], ["x", "y", "z"], {}, {"x": 1}, 1 << 70, -(1 << 40), "\x1b[2J", [[1], 2, 3])
OPTIONS = {"cluster": [2, 1, 1], "non_portable_cluster": True, "priority": -3, "cooperative": True, "programmatic": True}


def fits(name, good, bad):
    """Whether a field that holds `good` may hold `bad`."""
    if name.endswith("_us"):
        return isinstance(bad, (int, float)) and not isinstance(bad, bool)
    return isinstance(good, str) and isinstance(bad, str) or type(good) is bool and bad is True or name == "variables" and bad == {}


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)

    def run(*arguments):
        global tried
        tried += 1
        done = subprocess.run([str(pathlib.Path(diff).resolve()), *arguments], cwd=folder, capture_output=True, text=True, errors="replace", timeout=600)
        return done.returncode, done.stdout, done.stderr

    def expect_refused(what, *arguments):
        code, said, problem = run(*arguments)
        one_line = problem.count("\n") == 1 and problem.endswith("\n") and len(problem) < 400
        if code != 2 or not one_line or "\x1b" in problem or said.count("\n") > 1:
            problems.append(f"{what}: {arguments} ended with {code}: {said[-300:]}{problem[:300]}")

    subprocess.run([timeline, "a"], cwd=folder, capture_output=True, check=True, timeout=600)
    good = (folder / "a.jsonl").read_bytes()
    lines = [json.loads(line) for line in good.decode().splitlines()]
    for line in lines:
        if line.get("kernel") == "combine":
            line |= OPTIONS
    with_options = "\n".join(map(json.dumps, lines)) + "\n"
    (folder / "whole.jsonl").write_text(with_options)
    for arguments, wanted in ((("a.jsonl", "a.jsonl"), 0), (("a.jsonl", "whole.jsonl"), 1), (("whole.jsonl", "--limits", "sm_90"), 0)):
        code, said, problem = run(*arguments)
        if code != wanted or problem:
            problems.append(f"{arguments} ended with {code}, not {wanted}: {said[-300:]}{problem}")

    # Every field of the first line of each kind.
    seen = set()
    for number, line in enumerate(lines):
        for field, value in line.items():
            kind = next(iter(line))
            if (kind, field) in seen:
                continue
            seen.add((kind, field))
            for bad in VALUES[len(seen) % step::step]:
                if fits(field, value, bad):
                    continue
                damaged = lines.copy()
                damaged[number] = line | {field: bad}
                (folder / "bad.jsonl").write_text("\n".join(map(json.dumps, damaged)) + "\n")
                expect_refused(f"{kind}.{field} = {bad}", "a.jsonl", "bad.jsonl")
            if kind == "launch" and field in ("kernel", "grid", "block", "dynamic_shared", "static_shared", "max_threads_per_block", "vendor"):
                damaged[number] = {key: value for key, value in line.items() if key != field}
                (folder / "bad.jsonl").write_text("\n".join(map(json.dumps, damaged)) + "\n")
                expect_refused(f"no {kind}.{field}", "bad.jsonl", "--limits", "sm_90")

    # Cut off inside the environment, the devices and the launches.
    last_launch = good.rindex(b'{"launch"')
    for size in range(0, last_launch, max(1, last_launch // cuts)):
        (folder / "bad.jsonl").write_bytes(good[:size])
        expect_refused(f"{size} bytes", "bad.jsonl", "a.jsonl")
        expect_refused(f"{size} bytes", "bad.jsonl", "--limits", "sm_90")

    files = {
        "binary": bytes(range(256)) * 40,
        "zeros": bytes(100000),
        "a text": b"no journal\n" * 3,
        "an array": b"[1, 2]\n",
        "invalid UTF-8": good.replace(b'"combine"', b'"\xff\xfe"', 1),
        "nested": b'{"warpsafe":' + b"[" * depth + b"]" * depth + b"}\n",
        "nested without an end": b"[" * depth,
        "a huge number": b'{"warpsafe":"1","format":1' + b"0" * 400 + b"}\n",
        "another format": good.replace(b'"format":1', b'"format":2', 1),
        "no environment": good.split(b"\n", 1)[1],
    }
    for what, content in files.items():
        (folder / "bad.jsonl").write_bytes(content)
        expect_refused(what, "bad.jsonl", "a.jsonl")
        expect_refused(what, "a.jsonl", "bad.jsonl")
    for path in ("missing.jsonl", "missing\n\x1b[2J.jsonl", ".", "/dev/zero", "/dev/null"):
        expect_refused(path, "a.jsonl", path)
    expect_refused("an unknown table", "a.jsonl", "--limits", "sm_1\n")
    expect_refused("a report that cannot be written", "whole.jsonl", "whole.jsonl", "--report", "missing/report.md")

    # A report never replaces a journal, whatever its name, and an older report only when it is whole.
    (folder / "link.jsonl").symlink_to("a.jsonl")
    os.link(folder / "a.jsonl", folder / "name.jsonl")
    (folder / "report.md").write_text("old")
    (folder / "link.md").symlink_to("report.md")
    os.mkfifo(folder / "pipe.md")
    for report in ("a.jsonl", "./a.jsonl", "link.jsonl", "name.jsonl"):
        for arguments in (("a.jsonl", "whole.jsonl"), ("whole.jsonl", "a.jsonl")):
            expect_refused("a report in a journal", *arguments, "--report", report)
            if f"--report {report} is the same file as the journal a.jsonl" not in run(*arguments, "--report", report)[2]:
                problems.append(f"the refusal of the report {report} does not name both files")
    if (folder / "a.jsonl").read_bytes() != good:
        problems.append("a report replaced a journal")
        (folder / "a.jsonl").write_bytes(good)
    tool, reports = str(pathlib.Path(diff).resolve()), ("--report", "report.md")
    limited = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@" >/dev/null', "sh", tool, "a.jsonl", "whole.jsonl", *reports], cwd=folder)
    if limited.returncode != 2 or (folder / "report.md").read_text() != "old":
        problems.append(f"a report that could not be written ended with {limited.returncode} and replaced the old one")
    for command, wanted in (('exec "$@" --report link.md', 1), ('"$@" --report /dev/stdout | grep -q Symptom', 0),
                            ('"$@" --report /dev/fd/3 3>&1 >/dev/null | grep -q Symptom', 0),
                            ('grep -q Symptom pipe.md & "$@" --report pipe.md; wait $!', 0),
                            ('exec "$@" >/dev/full', 2), ('exec "$@" >&-', 2), ('exec "$@" --report out.md >out.md', 2),
                            ('exec "$@" --report /dev/stdout >out.md', 1)):
        done = subprocess.run(["sh", "-c", command, "sh", tool, "a.jsonl", "whole.jsonl"], cwd=folder, capture_output=True, text=True, timeout=600)
        if done.returncode != wanted or done.stderr.count("\n") != (wanted == 2):
            problems.append(f"{command} ended with {done.returncode}, not {wanted}: {done.stderr}")
    if not (folder / "link.md").is_symlink() or "Symptom" not in (folder / "report.md").read_text():
        problems.append("a report did not follow a link")

    # A program may end while it writes the last line of its journal, which then begins with 0 launches.
    streamed = good.replace(b'"launches":%d' % json.loads(good.splitlines()[0])["launches"], b'"launches":0', 1)
    (folder / "cut.jsonl").write_bytes(streamed + streamed.splitlines()[-1][:-9])
    (folder / "streamed.jsonl").write_bytes(streamed)
    (folder / "unended.jsonl").write_bytes(streamed[:-1])
    for name, notes in (("cut.jsonl", 1), ("unended.jsonl", 0)):
        code, said, problem = run(name, "streamed.jsonl")
        if code != 0 or problem.count("\n") != notes or notes and "the last line is cut off" not in problem:
            problems.append(f"{name} ended with {code}: {problem}")

    # Unknown fields are ignored, however deep they are. Many kernels take no more time than many launches.
    right = {
        "nested in an unknown field": b'{"warpsafe":"1","format":1,"later":' + b"[" * 200000 + b"]" * 200000 + b"}\n",
        "many kernels": b'{"warpsafe":"1","format":1}\n' + b"".join(b'{"launch":%d,"kernel":"k%d"}\n' % (i, i % 3000)
                                                                   for i in range(launches)),
    }
    for what, content in right.items():
        (folder / "right.jsonl").write_bytes(content)
        code, said, problem = run("right.jsonl", "right.jsonl")
        if code != 0:
            problems.append(f"{what} ended with {code}: {said[-200:]!r}{problem}")

    # Text of a journal reaches the terminal without control characters.
    (folder / "bad.jsonl").write_bytes(good.replace(b'"combine"', b'"\\u001b[2Jcom\\u009bbine\\n"'))
    for arguments in (("a.jsonl", "bad.jsonl"), ("bad.jsonl", "--limits", "gfx942")):
        code, said, problem = run(*arguments)
        if code == 2 or "\x1b" in said or "\x9b" in said:
            problems.append(f"{arguments} ended with {code} and control characters: {said!r}{problem}")

print(*problems[:20], sep="\n")
print(f"{tried} runs, {len(problems)} problems")
sys.exit(1 if problems or tried < (150 if step == 1 else 80) else 0)
