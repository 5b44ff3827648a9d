#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Which tool finds which planted mistake: score.py PLANTED LINT PROJECT [--update]

PLANTED runs each mistake and its correct twin under the race detector on the host backend, with the memory guard past
the end of memory and with the one before its beginning. LINT reads sources/ID.cu with and without -DWRONG. on_gpu.json
has what the tools on a GPU reported (on_gpu.py, torch_rows.py). Compares tests/planted/README.md with the result;
--update writes it. Fails if a tool of this project reports a correct twin. Exit code 77: libclang or CUDA is not installed."""

import json
import os
import pathlib
import re
import subprocess
import sys

planted, lint = sys.argv[1:3]
project = pathlib.Path(sys.argv[3])
page = project / "tests/planted/README.md"
ON_GPU = ["`warpsafe-run`", "compute-sanitizer", "`torch.cuda._sanitizer`", "cuda-gdb"]


SOURCES = sorted((pathlib.Path(__file__).parent / "sources").glob("*.cu"))


def linted(*flags):
    """The rows that warpsafe-lint reports, of each source."""
    command = [sys.executable, lint, "--rows=C18", "--json", *map(str, SOURCES), "--", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    if "is not installed" in done.stderr or re.search(r"not find (cuda_runtime|__clang\w*)\.h|cannot find CUDA", done.stderr):
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    found = json.loads(done.stdout)
    return {source.stem: {item["row"] for item in found if item["file"] == str(source)} for source in SOURCES}


def detected(guard):
    run = subprocess.run([planted], capture_output=True, text=True, env={**os.environ, "WARPSAFE_GUARD": guard})
    if run.returncode != 0:
        sys.exit(f"{planted} ends with {run.returncode}\n{run.stderr}")
    return [line.split("\t") for line in run.stdout.splitlines()]


def rows():
    """For each pair: id, mistake, what the detector says of both, what the linter says of both (None: no source)."""
    wrong_rows, right_rows = linted("-DWRONG", "-std=c++17"), linted("-std=c++17")
    for past, before in zip(detected("1"), detected("before")):
        name, mistake = past[:2]
        wrong, right = (past[i] or before[i] for i in (2, 3))
        by_lint = (wrong_rows[name], right_rows[name]) if name in wrong_rows else None
        yield name, mistake, (wrong, right), by_lint


def says(found):
    """The cell of one tool: found or not, and a false alarm on the correct twin."""
    if found is None:
        return "no rule"
    wrong, right = found
    return ("found" if wrong else "**not found**") + (", **false alarm**" if right else "")


GPU = json.loads((pathlib.Path(__file__).parent / "on_gpu.json").read_text())


def on_gpu(tool, name):
    """The cell of a tool that ran on a GPU."""
    if tool not in GPU["tools"]:
        return "not run"
    if name not in GPU["tools"][tool]:
        return "no such program"
    wrong, right = GPU["tools"][tool][name]
    return "not run" if wrong is None or right is None else says((wrong, right))


def text_of(found):
    tools = ["race detector", "`warpsafe-lint`", *ON_GPU]
    lines = ["| | mistake | " + " | ".join(tools) + " |", "| --- | --- |" + " --- |" * len(tools)]
    for name, mistake, host, by_lint in found:
        cells = [says(host), says(by_lint), *[on_gpu(tool, name) for tool in ON_GPU]]
        lines.append(f"| {name} | {mistake} | " + " | ".join(cells) + " |")
    counts = []
    for tool, place in (("The race detector", 2), ("`warpsafe-lint`", 3)):
        tried = [one[place] for one in found if one[place] is not None]
        counts.append(f"{tool} finds {sum(bool(wrong) for wrong, _ in tried)} of {len(tried)}, with "
                      f"{sum(bool(right) for _, right in tried)} false alarms on as many correct twins.")
    for tool in ON_GPU:
        tried = [one for one in GPU["tools"].get(tool, {}).values() if None not in one]
        if tried:
            counts.append(f"{tool} finds {sum(bool(wrong) for wrong, _ in tried)} of {len(tried)}, with "
                          f"{sum(bool(right) for _, right in tried)} false alarms ({GPU['gpu']}, {GPU['date']}).")
    ours = [name for name, _, host, by_lint in found
            if host[0] or by_lint and by_lint[0] or GPU["tools"].get(ON_GPU[0], {}).get(name, [False])[0]]
    counts.append(f"Together, the race detector, `warpsafe-lint` and `warpsafe-run` find {len(ours)} of {len(found)}.")
    return " ".join(counts) + "\n\n" + "\n".join(lines) + "\n"


found = list(rows())
alarms = [name for name, _, host, by_lint in found
          if host[1] or by_lint and by_lint[1] or GPU["tools"].get(ON_GPU[0], {}).get(name, [0, 0])[1]]
old = page.read_text()
begin, end = "<!-- from tests/planted/score.py -->\n", "<!-- to here -->\n"
before, rest = old.split(begin)
new = before + begin + text_of(found) + end + rest.split(end)[1]
# The reports on the detector's page are those of the programs.
guide = project / "docs/tools/race-rules.md"
shown = guide.read_text()
for name, report in re.findall(r"(?ms)^<!-- planted (\w+) -->\n```text\n(.*?)^```", shown):
    said = subprocess.run([planted, name], capture_output=True, text=True).stdout
    if said != report and "--update" in sys.argv:
        guide.write_text(guide.read_text().replace(report, said))
    elif said != report:
        sys.exit(f"{guide} does not show what {name} says; {' '.join(sys.argv)} --update rewrites it\n{said}")
if alarms:
    sys.exit(f"false alarms: {' '.join(alarms)}")
if "--update" in sys.argv:
    page.write_text(new)
elif new != old:
    sys.exit(f"{page} does not show what the run found; {' '.join(sys.argv)} --update rewrites it\n{text_of(found)}")
