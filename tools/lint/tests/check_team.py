#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks what warpsafe-lint offers to a team's tools: check_team.py LINT REPOSITORY PAGE

Comments that silence a row, severities and exit statuses, baselines, changed lines, SARIF, several processes, a closed pipe,
--list-rows, the repository's hook and action, and the page's blocks `cuda` and `yaml`. The sources need no vendor's headers. Exit code 77: libclang is not
installed."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from linter import Linter, first_commit

lint, repository, page = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
linter = Linter(lint)
problems = []


def run(folder, *words):
    return linter.run(*words, cwd=folder)


def expect(what, is_now, should_be):
    if is_now != should_be:
        problems.append(f"{what}: {is_now!r}, expected {should_be!r}")


def places(done):
    """The lines and rows of the findings, also of those that repeat another one."""
    found = re.findall(r"^[^:\n]+:(\d+):\d+: .*?(?:; also at lines? ([\d, and]+))? \[(\w+)\]$", done.stdout, re.M)
    return [(int(line), row) for first, also, row in found for line in (first, *re.findall(r"\d+", also))]


HEADER = """#pragma once
enum cudaError_t { cudaSuccess, cudaErrorLaunchFailure };
extern "C" cudaError_t cudaGetLastError();
"""
SILENCED = """#include "runtime.h"
void f() {
  cudaGetLastError();
  cudaGetLastError();  // warpsafe-lint: ignore D03 cleared on purpose
  cudaGetLastError();  // warpsafe-lint: ignore A07, D03 two rows
  cudaGetLastError();  // warpsafe-lint: ignore A07 another row
  cudaGetLastError();  // NOLINT
  cudaGetLastError();  // NOLINT(warpsafe-d03)
  // warpsafe-lint: ignore D03 a comment of two lines,
  // for the next line of code
  cudaGetLastError();
  cudaGetLastError();
  cudaGetLastError();  // NOLINTNEXTLINE(warpsafe-D03)
  cudaGetLastError();
}
"""
UNSILENCED = r"""#include "runtime.h"
const char* a = "// warpsafe-lint: ignore-file D03";
const char* b = R"(
// warpsafe-lint: ignore-file D03
// NOLINTNEXTLINE)";
const char* f() {
  const char* s = "// NOLINT"; cudaGetLastError();
  /* NOLINT */ cudaGetLastError();
  cudaGetLastError();
  // warpsafe-lint: ignore D03 goes on \
     here
  cudaGetLastError();
  /* warpsafe-lint: ignore D03 two

     lines */
  cudaGetLastError();
  s = "\" /*"; cudaGetLastError();
  s = "*/"; char c = '"'; cudaGetLastError();  // NOLINT "
  int n = 1'000;  // warpsafe-lint: ignore A07
  return s + n;
}
"""
LEVELS = """#include "runtime.h"
bool f(cudaError_t status) { return status == cudaErrorLaunchFailure; }
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "runtime.h").write_text(HEADER)
    (folder / "a.cpp").write_text(SILENCED)
    (folder / "note.cpp").write_text(LEVELS)
    (folder / "clean.cpp").write_text("int main() {}\n")
    expect("silenced lines", places(run(folder, "--rows=D03", "a.cpp")), [(3, "D03"), (6, "D03"), (12, "D03"), (13, "D03")])
    (folder / "literals.cpp").write_text(UNSILENCED)
    expect("comments and literals", places(run(folder, "--rows=D03", "literals.cpp")), [(7, "D03"), (9, "D03"), (17, "D03")])
    (folder / "file.cpp").write_text(SILENCED + "// warpsafe-lint: ignore-file D03 generated code\n")
    expect("a silenced file", run(folder, "--rows=D03", "file.cpp").returncode, 0)

    for what, words, wanted in (
            ("a note at the default level", ["note.cpp"], (0, 0)), ("--level=note", ["--level=note", "note.cpp"], (1, 1)),
            ("a row by name", ["--rows=D11", "note.cpp"], (1, 1)), ("--fail-on", ["--level=note", "--fail-on=warning", "note.cpp"], (0, 1)),
            ("--fail-on=error", ["--rows=D03", "--fail-on=error", "a.cpp"], (0, 4)), ("--fail-on=never", ["--rows=D03", "--fail-on=never", "a.cpp"], (0, 4)),
            ("--level=error", ["--rows=D03", "--level=error", "a.cpp"], (0, 0)), ("--jobs", ["--rows=D03", "--jobs=2", "a.cpp", "clean.cpp", "note.cpp"], (1, 4)),
            ("--jobs=0", ["--rows=D03", "--jobs=0", "a.cpp", "clean.cpp"], (1, 4))):
        done = run(folder, *words)
        expect(what, (done.returncode, len(places(done))), wanted)
    expect("the severity of a note", ": note: " in run(folder, "--rows=D11", "note.cpp").stdout, True)
    expect("--jobs below 0", run(folder, "--jobs=-1", "a.cpp").returncode, 2)

    # A baseline accepts what was there, also if other lines were added before it, and nothing new.
    expect("--write-baseline", run(folder, "--rows=D03", "--write-baseline=accepted.json", "a.cpp").returncode, 0)
    expect("an accepted finding", run(folder, "--rows=D03", "--baseline=accepted.json", "a.cpp").returncode, 0)
    moved = SILENCED.replace("void f() {", "\n\nint added;\nvoid f() {")
    (folder / "a.cpp").write_text(moved)
    (folder / "below").mkdir()
    expect("a finding that moved", places(run(folder / "below", "--rows=D03", "--baseline=../accepted.json", "../a.cpp")), [])
    (folder / "a.cpp").write_text(moved + "void g() {\n  cudaGetLastError();\n}\n")
    expect("one more of the same text", len(places(run(folder, "--rows=D03", "--baseline=accepted.json", "a.cpp"))), 1)
    for what, text in {"no JSON": "[", "a list": "[]", "another version": '{"version": 9, "findings": {}}', "no numbers":
                       '{"version": 1, "findings": {"a": "b"}}', "not there": None}.items():
        (folder / "bad.json").unlink(missing_ok=True)
        if text is not None:
            (folder / "bad.json").write_text(text)
        done = run(folder, "--baseline=bad.json", "a.cpp")
        expect(f"a baseline: {what}", (done.returncode, done.stderr.count("\n"), "--write-baseline" in done.stderr), (2, 1, True))
    (folder / "a.cpp").write_text(SILENCED)

    sarif = json.loads(run(folder, "--sarif", "--rows=D03,D11", "a.cpp", "note.cpp").stdout)
    result = sarif["runs"][0]["results"]
    expect("SARIF's version", sarif["version"], "2.1.0")
    expect("SARIF's results", [(item["ruleId"], item["level"]) for item in result], [("D03", "warning"), ("D11", "note")])
    rules = sarif["runs"][0]["tool"]["driver"]["rules"]
    expect("SARIF's rules", [rules[item["ruleIndex"]]["id"] for item in result], [item["ruleId"] for item in result])
    expect("SARIF's place", result[0]["locations"][0]["physicalLocation"],
           {"artifactLocation": {"uri": "a.cpp"}, "region": {"startLine": 3, "startColumn": 3}})
    expect("SARIF's further places", [len(item["relatedLocations"]) for item in result], [3, 0])
    expect("SARIF's fingerprints", len({item["partialFingerprints"]["warpsafeLint/v1"] for item in result}) > 1, True)
    (folder / "wide.cpp").write_text('#include "runtime.h"\nvoid f() { const char* s = "\u00e9\U0001f600"; cudaGetLastError(); }\n')
    wide = json.loads(run(folder, "--sarif", "--rows=D03", "wide.cpp").stdout)["runs"][0]["results"][0]
    expect("SARIF's column counts UTF-16 units", wide["locations"][0]["physicalLocation"]["region"]["startColumn"], 35)
    (folder / "broken.cpp").write_text('#include "gone.h"\n')
    done = run(folder, "--sarif", "broken.cpp")
    invocation = json.loads(done.stdout)["runs"][0]["invocations"][0]
    expect("SARIF of a file that was not read", (invocation["executionSuccessful"], "gone.h" in str(invocation)), (False, True))
    expect("--json and --sarif", run(folder, "--json", "--sarif", "a.cpp").returncode, 2)

    # A reader that stops: no traceback, whether the output is small or large.
    many = "".join(f"void f{i}() {{ cudaGetLastError(); }}\n" for i in range(4000))
    (folder / "many.cpp").write_text('#include "runtime.h"\n' + many)
    for jobs in ("1", "2"):
        done = subprocess.run(f"'{sys.executable}' '{lint}' --rows=D03 -j {jobs} many.cpp clean.cpp | head -1", shell=True, capture_output=True,
                              text=True, cwd=folder)
        expect(f"a closed pipe, {jobs} processes", (done.stdout.count("\n"), done.stderr), (1, ""))

    # A process that ends, as with a fault in libclang: a message instead of a wait without an end.
    crash = (f"import os, sys; sys.path.insert(0, {str(lint.parent)!r}); from warpsafe_lint import main\n"
             "def one(work): os._exit(9)\nmain.one = one\nsys.exit(main.main(['-j2', 'a.cpp', 'clean.cpp']))")
    done = subprocess.run([sys.executable, "-c", crash], capture_output=True, text=True, cwd=folder, timeout=600)
    expect("a process that ends", (done.returncode, "--jobs=1" in done.stderr, done.stderr.count("\n")), (2, True, 1))

    # An expression that is nested more deeply than Python may go costs the findings of its file only.
    (folder / "deep.cpp").write_text('#include "runtime.h"\nint n;\nvoid f() {\n  cudaGetLastError();\n  n = ' + "+".join(["n"] * 2000) + ";\n}\n")
    low = f"import sys; sys.path.insert(0, {str(lint.parent)!r}); from warpsafe_lint import main\nmain.DEEPEST = 400\nsys.exit(main.main(['-j1', '--rows=D03', 'deep.cpp', 'a.cpp']))"
    done = subprocess.run([sys.executable, "-c", low], capture_output=True, text=True, cwd=folder, timeout=600)
    expect("a file that is nested too deeply", (done.returncode, "deep.cpp: not checked" in done.stderr, done.stderr.count("\n"), "a.cpp:" in done.stdout),
           (2, True, 2, True))

    (folder / 'quo"ted.cpp').write_text('#include "runtime.h"\n')
    first_commit(folder, "a.cpp", "runtime.h", "note.cpp", 'quo"ted.cpp')
    expect("--changed-since without a change", run(folder, "--rows=D03", "--changed-since=HEAD", "a.cpp").returncode, 0)
    (folder / "a.cpp").write_text(SILENCED.replace("void f() {", "void f() {\n  cudaGetLastError(); // new"))
    expect("--changed-since", places(run(folder, "--rows=D03", "--changed-since=HEAD", "a.cpp", "note.cpp")), [(3, "D03")])
    # A line that looks like a header of the diff, and a user whose git names files relative to the folder.
    (folder / "note.cpp").write_text((folder / "a.cpp").read_text().replace("void f() {", "int i;\nvoid f() {\n++ i;").replace("// new", "// too"))
    subprocess.run(["git", "config", "diff.relative", "true"], cwd=folder, check=True)
    expect("a changed line that begins with ++", (5, "D03") in places(run(folder / "below", "--rows=D03", "--changed-since=HEAD", "../note.cpp")), True)
    (folder / 'quo"ted.cpp').write_text('#include "runtime.h"\nvoid f() { cudaGetLastError(); }\n')
    expect("a name that git quotes", places(run(folder, "--rows=D03", "--changed-since=HEAD", 'quo"ted.cpp')), [(2, "D03")])
    # Files that git takes for binary: by an attribute, by the attribute's driver, and by a byte. And one with a context in its diff.
    subprocess.run(["git", "config", "diff.own.binary", "true"], cwd=folder, check=True)
    for attribute, text in (("-diff", ""), ("binary", ""), ("diff=own", ""), ("text", "// \0\n")):
        (folder / ".gitattributes").write_text(f"a.cpp {attribute}\n")
        (folder / "a.cpp").write_text(SILENCED.replace("void f() {", "void f() {\n  cudaGetLastError(); // new") + text)
        expect(f"--changed-since and the attribute {attribute}", places(run(folder, "--rows=D03", "--changed-since=HEAD", "a.cpp")), [(3, "D03")])
    (folder / ".gitattributes").unlink()
    more = linter.run("--rows=D03", "--changed-since=HEAD", "a.cpp", "note.cpp", cwd=folder, env={**os.environ, "GIT_DIFF_OPTS": "--unified=1"})
    expect("--changed-since with GIT_DIFF_OPTS", {file: f"\n{file}:" in f"\n{more.stdout}" for file in ("a.cpp", "note.cpp")}, {"a.cpp": True, "note.cpp": True})
    (folder / "a.cpp").write_text(SILENCED.replace("void f() {", "void f() {\n  cudaGetLastError(); // new"))
    (folder / "added.cu").write_text("")
    expect("a file that git does not know", len(places(run(folder, "--rows=D03", "--changed-since=HEAD", "many.cpp"))), 4000)
    expect("--changed-since from another folder", places(run(folder / "below", "--rows=D03", "--changed-since=HEAD", "../a.cpp")), [(3, "D03")])
    done = run(folder, "--changed-since=no-such-commit", "a.cpp")
    expect("--changed-since of no commit", (done.returncode, done.stderr.count("\n")), (2, 1))
    expect("--changed-since of an option", run(folder, "--changed-since=--output=x", "a.cpp").returncode, 2)

    listed = run(folder, "--list-rows").stdout
    expect("--list-rows", {line.split()[1] for line in listed.splitlines()}, {"error", "warning", "note"})
    explained = run(folder, "--explain", "d03")
    expect("--explain", (explained.returncode, "wrong:" in explained.stdout, "right:" in explained.stdout), (0, True, True))
    expect("--explain of no row", run(folder, "--explain", "Z99").returncode, 2)

    # The page's comments silence its code, which has findings without them.
    blocks = re.findall(r"^```(cuda|yaml)\n(.*?)^```$", page.read_text(), re.M | re.S)
    for block in (text for kind, text in blocks if kind == "cuda"):
        around = ("#include <cuda_runtime.h>\n__global__ void scale(float* x, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                  "  if (i < n) x[i] = 0;\n}\nvoid f(float* x, int n) {\n%s}\n")
        (folder / "silenced.cu").write_text(around % block)
        (folder / "bare.cu").write_text(around % re.sub("//.*", "", block))
        done = run(folder, "--rows=D03,A07", "silenced.cu", "bare.cu")
        if "not find cuda_runtime.h" in done.stderr or "cannot find CUDA" in done.stderr:
            print("no CUDA toolkit here: the page's comments are not tried")
            continue
        expect("the page's comments", (re.findall(r"^(\w+)\.cu.*\[(\w+)\]$", done.stdout, re.M), done.stderr),
               ([("bare", "D03"), ("bare", "A07")], ""))

# The hook and the action use options that exist.
options = set(re.findall(r"--[a-z-]+", run(repository, "--help").stdout))
hook, action = (repository / ".pre-commit-hooks.yaml").read_text(), (repository / "tools/lint/action.yml").read_text()
for what, text in (("hook", hook), ("action", action)):
    lines = [line for line in text.splitlines() if "warpsafe-lint" in line]
    used = {word for line in lines for word in re.findall(r"(?<![\w-])--[a-z-]+", line)} - {"--upgrade"}
    expect(f"options of the {what} that do not exist", used - options, set())
try:
    import yaml
except ImportError:
    print("PyYAML is not installed: the form of the hook and the action is not checked")
else:
    one = yaml.safe_load(hook)[0]
    expect("the hook", (one["id"], one["entry"].split()[0], re.search(one["files"], "a/b.cu") is not None, re.search(one["files"], "a/b.py")),
           ("warpsafe-lint", "warpsafe-lint", True, None))
    steps = yaml.safe_load(action)["runs"]["steps"]
    expect("the action's shells", [step["shell"] for step in steps if "run" in step], ["bash"] * sum("run" in step for step in steps))
    shown = [yaml.safe_load(text) for kind, text in blocks if kind == "yaml"]
    expect("the page's hook", shown[0]["repos"][0]["hooks"], [{"id": one["id"]}])
    expect("the page's inputs", set(shown[1][0]["with"]) - set(yaml.safe_load(action)["inputs"]), set())
if problems:
    sys.exit("\n".join(problems))
