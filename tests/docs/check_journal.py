#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares docs/tools/compare-runs.md with the files that examples/timeline writes: the page's table of each kind of
line must list exactly the written fields. Also checks the trace, the picture, and the output of warpsafe-diff
for two runs. check_journal.py TIMELINE DIFF PAGE; DIFF may be missing."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

timeline, diff, page = sys.argv[1:4]
problems = []


def check(good, what):
    if not good:
        problems.append(what)


tables = {}
for kind, text in re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", pathlib.Path(page).read_text(), re.M | re.S):
    rows = re.findall(r"^\| (`.*?) \|", text, re.M)
    tables[kind.lower()] = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
# The members of DeviceLimits have a page already.
limits = (pathlib.Path(page).parents[1] / "guide/launch-config.md").read_text().partition("returns the `DeviceLimits`")[2]
rows = re.findall(r"^\| (`.*?) \|", limits.partition("\n\nIf you fill in")[0], re.M)
tables["device"] = {name for row in rows for name in re.findall(r"`(\w+)(?:\[3\])?`", row)}

with tempfile.TemporaryDirectory() as folder:
    def run(*command, code):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
        check(done.returncode == code, f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    run(timeline, "a", code=0)
    folder = pathlib.Path(folder)
    lines = [json.loads(line) for line in (folder / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    seen = {}
    for number, line in enumerate(lines):
        first = next(iter(line))
        kind = {"warpsafe": "environment"}.get(first, first)
        check((number == 0) == (kind == "environment"), f"line {number + 1} begins with {first}")
        seen.setdefault(kind, set()).update(line)
        if kind == "launch" and line["state"] != "refused":
            check(line["begin_us"] <= line["end_us"], f"{line} ends before it begins")
    # Optional requests of a launch; their fields are tested by Recorder.* in tests/unit.
    tables["launch"] -= {"cluster", "non_portable_cluster", "priority", "cooperative", "programmatic"}
    for kind, fields in tables.items():
        check(fields == seen.get(kind), f"{kind}: page and file differ in {fields ^ seen.get(kind, set())}")
    check(lines[0]["launches"] == sum("kernel" in line for line in lines), "launches are miscounted")

    events = json.loads((folder / "a.trace.json").read_text(encoding="utf-8"))["traceEvents"]
    for event in events:
        needed = {"ph", "pid", "tid", "name"} | ({"ts"} if event["ph"] != "M" else set())
        check(needed <= set(event), f"{event} lacks {needed - set(event)}")
    phases = {event["ph"] for event in events}
    check(phases == {"M", "X", "i", "s", "f"}, f"the trace has the phases {phases}")
    # Perfetto would report these errors: slice_drop_overlapping_complete_event, flow_end_without_start.
    rows = {(event["tid"], event["pid"]) for event in events if event["ph"] != "M"}
    check(len({tid for tid, _ in rows}) == len(rows), f"a number of two rows: {sorted(rows)}")
    check(all(tid and pid for tid, pid in rows), f"a row or process 0: {sorted(rows)}")
    arrows = {phase: {one["id"]: one["ts"] for one in events if one["ph"] == phase} for phase in "sf"}
    check(arrows["s"].keys() == arrows["f"].keys(), "an arrow without its other end")
    check(all(arrows["s"][i] <= at for i, at in arrows["f"].items()), "an arrow ends before it begins")
    kernels = [event for event in events if event.get("cat") == "kernel"]
    check(len(kernels) == lines[0]["launches"], f"{len(kernels)} kernels in the trace")

    picture = xml.etree.ElementTree.parse(folder / "a.svg").getroot()
    bars = [one for one in picture.iter("{http://www.w3.org/2000/svg}title") if one.text.startswith("#")]
    check(len(bars) == len(kernels), f"{len(bars)} bars in the picture")

    if pathlib.Path(diff).exists():
        check("no difference" in run(diff, "a.jsonl", "a.jsonl", code=0), "a run differs from itself")
        for line in lines:
            if line.get("kernel") == "combine":
                line |= {"grid": [512, 2, 1], "stream": "0x1", "stream_number": 1000000}
        lines[0]["variables"]["WARPSAFE_SYNC"] = "all"
        (folder / "b.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
        said = run(diff, "a.jsonl", "b.jsonl", "--report", "report.md", code=1)
        for row in (r"combine: grid +\(1024,1,1\) +\(512,2,1\)", r"WARPSAFE_SYNC +\(not set\) +all"):
            check(re.search(f"^{row}$", said, re.M), f"no row {row} in\n{said}")
        check("all of decode" in said, f"decode is not the same in\n{said}")
        report = (folder / "report.md").read_text()
        for part in ("**Symptom:** In b.jsonl:", "shared memory 4194304 bytes", "#### Key Differences: a.jsonl vs b.jsonl",
                     "combine: grid", "#### What to Try Next"):
            check(part in report, f"the report lacks {part}")
        said = run(diff, "b.jsonl", "--limits", "sm_90", code=0)
        check(f"0 of {len(kernels)} launches would be refused on sm_90" in said, said)
        for line in lines:
            if line.get("kernel") == "combine":
                line["dynamic_shared"] = 100000
        (folder / "b.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
        said = run(diff, "b.jsonl", "--limits", "gfx942", code=1)
        check("4 of 12 launches would be refused on gfx942" in said, said)
        for line in lines:
            if line.get("kernel") == "combine":
                line |= {"dynamic_shared": 0, "cluster": [2, 1, 1], "priority": -3, "cooperative": True}
        (folder / "b.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
        said = run(diff, "a.jsonl", "b.jsonl", code=1)
        for row in (r"combine: cluster +none +\(2,1,1\)", "combine: priority +none +-3", "combine: cooperative +none +true"):
            check(re.search(f"^{row}$", said, re.M), f"no row {row} in\n{said}")
        check("programmatic" not in said, f"what no launch asks for is a row in\n{said}")
        run(diff, "b.jsonl", "--limits", "sm_90", code=0)
        said = run(diff, "b.jsonl", "--limits", "sm_80", code=1)
        check("4 of 12 launches would be refused on sm_80" in said and "cluster" in said, said)
        (folder / "c.jsonl").write_text("{\n")
        run(diff, "c.jsonl", "a.jsonl", code=2)
        run(diff, "c.jsonl", code=2)
    else:
        print("left out: warpsafe-diff, which needs nlohmann/json.hpp")

print("\n".join(problems) or f"{len(lines)} lines, {len(events)} events, {len(bars)} bars")
sys.exit(1 if problems else 0)
