#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares warpsafe-lint's command line with tools/lint/docs/lint.md and tools/lint/docs/rules.md: check_command.py LINT PAGE...

Runs the pages' `console` blocks on their own `cpp` blocks, and compares the output. Then checks flags from
compile_commands.json, exit statuses, --rows and --json, on sources that need no vendor's headers.
Exit code 77: libclang is not installed."""
import json
import os
import pathlib
import re
import resource
import stat
import subprocess
import sys
import tempfile

from linter import Linter, forked

linter = Linter(sys.argv[1])
page = "".join(pathlib.Path(name).read_text() for name in sys.argv[2:])
problems = []


def run(folder, *words):
    return linter.run(*words, cwd=folder)


def expect(what, is_now, should_be):
    if is_now != should_be:
        problems.append(f"{what}: {is_now!r}, expected {should_be!r}")


# Replaces CUDA's headers, so that the test needs none: the names that the tool looks up.
HEADER = """
#pragma once
enum cudaError_t { cudaSuccess };
extern "C" cudaError_t cudaGetLastError();
"""
SOURCE = """#include "runtime.h"
#include <cstdlib>
#ifndef FROM_THE_DATABASE
#error no flags
#endif
void f() {
  cudaGetLastError();
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
}
"""

LAUNCH = """struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1); };
typedef struct CUstream_st* cudaStream_t;
extern "C" int __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0, cudaStream_t = 0);
extern "C" int cudaConfigureCall(dim3, dim3, unsigned long = 0, cudaStream_t = 0);
__attribute__((global)) void k(int n) {}
// caf\u00e9
void f(cudaStream_t s) {
  k<<<1, 32, 0, s>>>(3);
}
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "include").mkdir()
    (folder / "include/runtime.h").write_text(HEADER)
    (folder / "a.cpp").write_text(SOURCE)
    (folder / "clean.cpp").write_text("int main() {}\n")
    expect("status without flags", run(folder, "a.cpp").returncode, 2)
    command = "nvcc -DFROM_THE_DATABASE -Iinclude -gencode arch=compute_90,code=sm_90 --expt-relaxed-constexpr -c a.cpp -o a.o"
    (folder / "compile_commands.json").write_text(json.dumps(
        [{"directory": name, "file": "a.cpp", "command": command.replace("nvcc", "c++")}]))
    expect("status with notes", run(folder, "a.cpp").returncode, 0)
    done = run(folder, "--level=note", "a.cpp")
    expect("status with findings", done.returncode, 1)
    expect("rows", re.findall(r"^a\.cpp:(\d+):(\d+): note: .* \[(\w+)\]$", done.stdout, re.M),
           [("7", "3", "D03"), ("8", "3", "G01")])
    (folder / "compile_commands.json").rename(folder / "elsewhere.json")
    done = run(folder, "--json", "--rows=G01", "-p", "elsewhere.json", "a.cpp")
    expect("--json", [(item["row"], item["line"], item["file"]) for item in json.loads(done.stdout)], [("G01", 8, "a.cpp")])
    done = run(folder, "--rows=default,-G01", "--level=note", "a.cpp", "--", "-DFROM_THE_DATABASE", "-I", "include")
    expect("--rows with a minus", re.findall(r"\[(\w+)\]", done.stdout), ["D03"])
    expect("status without findings", run(folder, "clean.cpp").returncode, 0)
    expect("status without a file", run(folder, "no_such.cpp").returncode, 2)
    done = run(folder, "--rows=X99", "clean.cpp")
    expect("an unknown row's status", done.returncode, 2)
    entry = {"directory": name, "file": "a.cpp", "command": "c++ -c a.cpp"}
    for what, database in {
            "is not JSON": "[", "is not a list": "{}", "has no strings": "[{}]", "entry 1 has no": "[3]", "entry 2 has no strings":
            json.dumps([{**entry, "file": "b.cpp"}, {**entry, "directory": 3}]), "entry 1 has no command":
            json.dumps([{**entry, "command": "c++ 'a"}]), "1 has no command": json.dumps([{**entry, "arguments": []}]),
            "has no command": json.dumps([{**entry, "arguments": ["c++", "-D\0"]}]), "No such file": None}.items():
        (folder / "bad.json").unlink(missing_ok=True)
        if database is not None:
            (folder / "bad.json").write_text(database)
        done = run(folder, "-p", "bad.json", "a.cpp")
        expect(f"a database: {what}", (done.returncode, what in done.stderr, done.stderr.count("\n")), (2, True, 1))
    # --fix changes launches, and nothing else of the file.
    for what, source, rewritten in (("line ends", LAUNCH.replace("\n", "\r\n").encode(), True), ("UTF-8", LAUNCH.encode(), True),
                                    ("Latin-1", LAUNCH.encode("latin-1"), False),
                                    ("mixed line ends", LAUNCH.replace("\n", "\r\n", 3).encode(), False)):
        (folder / "launch.cu").write_bytes(source)
        done = run(folder, "--fix", "launch.cu")
        now = (folder / "launch.cu").read_bytes()
        if not rewritten:
            expect(f"--fix and {what}", (now == source, done.returncode, "not rewritten" in done.stderr, "check is written" in done.stdout), (True, 2, True, False))
            continue
        old = source.splitlines(keepends=True)
        expect(f"--fix and {what}", (b"warpsafe::check(" in now, [line for line in old if line not in now.splitlines(keepends=True)]), (True, []))
    (folder / "launch.cu").write_text("\ufeff" + LAUNCH)
    run(folder, "--fix", "launch.cu")
    now = (folder / "launch.cu").read_text()
    expect("--fix and a byte order mark", ("warpsafe::check(" in now, now.rfind("\ufeff")), (True, 0))
    bad = os.fsencode(folder) + b"/lat\xe9in.cu"
    with open(bad, "w") as file:
        file.write(LAUNCH)
    done = run(folder, os.fsdecode(bad), "clean.cpp")
    expect("a name that is not UTF-8", (done.returncode, "lat\\udce9in.cu: its name is not UTF-8" in done.stderr, "2 files read" in done.summary or done.summary), (2, True, done.summary))
    os.unlink(bad)
    expect("an unknown row", "no rule for row X99" in run(folder, "--rows=X99", "clean.cpp").stderr, True)

    listed = {line.split()[0]: "only with" in line for line in run(folder, "--list").stdout.splitlines()}
    table = dict(re.findall(r"^\| ([A-GL]\d\d) \| .* \| (yes|by name) \|", page, re.M))
    expect("the page's rows that have a rule", table, {row: "by name" if quiet else "yes" for row, quiet in listed.items()})

    blocks = re.findall(r"^```(cpp|console|text)\n(.*?)^```$", page, re.M | re.S)
    shown = [text for kind, text in blocks if kind == "console"]
    for kind, text in blocks:
        if kind == "cpp":
            (folder / re.match(r"// (\S+)\n", text)[1]).write_text(text)
    for block in shown:
        command, _, wanted = block.partition("\n")
        words = command.split()
        expect("a console block's beginning", words[:2], ["$", "warpsafe-lint"])
        done = subprocess.run([sys.executable, linter.command, *words[2:]], capture_output=True, text=True, cwd=folder)
        if "does not find" in done.stderr or "cannot find CUDA" in done.stderr:
            print("no CUDA toolkit here: the page's commands are not run")
            break
        expect(command, done.stdout.strip(), wanted.strip())
    expect("the page's console blocks", len(shown) > 1, True)
# --fix never cuts a file short, and keeps its permissions and names.
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    launch, other = folder / "launch.cu", folder / "other.cu"

    def fixed(what, size=None, rewritten=True, user=0, says=""):
        launch.write_text(LAUNCH)
        before = (stat.S_IMODE(os.stat(launch).st_mode), os.stat(launch).st_uid, os.stat(launch).st_nlink, sorted(os.listdir(folder)))

        def limited(words):
            if user:
                os.setuid(user)
            if size is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            return linter.main(words)

        # The source has what CUDA's headers declare, so that the test needs none; with them it is not read completely.
        done = forked.run(limited, linter.command, ("--fix", "--ignore-unread", "launch.cu"), folder)
        now = (stat.S_IMODE(os.stat(launch).st_mode), os.stat(launch).st_uid, os.stat(launch).st_nlink, sorted(os.listdir(folder)))
        expect(f"--fix and {what}", ("warpsafe::check(" in launch.read_text(), done.returncode, now), (rewritten, 0 if rewritten else 2, before))
        if not rewritten:
            expect(f"--fix and {what}: the file", launch.read_text(), LAUNCH)
            expect(f"--fix and {what}: the error", ([line for line in done.stderr.splitlines() if "launch.cu: not rewritten" in line], "Traceback" in done.stderr, ", 1 not written" in done.stderr),
                   ([f"warpsafe-lint: {says}"], False, True))

    launch.write_text("")
    launch.chmod(0o640)
    fixed("permissions")
    too_long = {"size": len(LAUNCH) + 10, "rewritten": False, "says": "launch.cu: not rewritten: File too large; the file is as it was"}
    fixed("a full disk", **too_long)
    os.link(launch, other)
    fixed("a hard link")
    expect("the hard link", other.read_text(), launch.read_text())
    fixed("a hard link on a full disk", **too_long)
    other.unlink()
    launch.rename(other)
    launch.symlink_to("other.cu")
    fixed("a symbolic link")
    expect("the symbolic link", (launch.is_symlink(), other.is_symlink()), (True, False))
    launch.unlink()
    other.rename(launch)
    if os.geteuid() == 0:
        os.chown(launch, 65533, 65533)
        fixed("another's file")
        folder.chmod(0o755)
        launch.chmod(0o666)
        fixed("a folder that cannot be written", user=65534)
        launch.chmod(0o644)
        fixed("a file that is read-only", user=65534, rewritten=False, says="launch.cu: not rewritten: it is read-only; the file is as it was")
# What was read, and what is not shown.
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "runtime.h").write_text(HEADER)
    (folder / "a.cpp").write_text(SOURCE)
    (folder / "empty").mkdir()
    (folder / "empty/main.cpp").write_text("int main() {}\n")
    (folder / "some").mkdir()
    (folder / "some/a.cu").write_text('#include "gone.h"\nint main() {}\n')
    (folder / "some/b.cu").write_text('#include "gone.h"\n#include "lost.h"\nint main() {}\n')
    flags = ("--", "-I.", "-DFROM_THE_DATABASE")
    for words, status, summary in ((("a.cpp",), 0, "1 file read; 2 notes not shown (--level=note shows them)"), (("--rows=G01", "a.cpp"), 1, "1 file read"),
                                   (("--level=error", "a.cpp", "empty/main.cpp"), 0, "2 files read; 2 findings not shown (--level=note shows them)"),
                                   (("a.cpp", "some", "-j2"), 2, "1 file read, 2 not completely (not found: gone.h (2 files), lost.h); 2 notes not shown (--level=note shows them)"),
                                   (("a.cpp", "absent.cu"), 2, "1 file read, 1 not completely; 2 notes not shown (--level=note shows them)")):
        done = run(folder, *words, *flags)
        expect(f"the summary of {words}", (done.returncode, done.summary), (status, f"warpsafe-lint: {summary}"))
    empty = "warpsafe-lint: empty: no source to check: .cu or .hip files, or C++ files that launch a kernel"
    done = run(folder, "empty", *flags)
    expect("an empty folder", (done.returncode, done.stdout, done.stderr), (2, "", f"{empty}; name another folder, or the files\n"))
    done = run(folder, "empty", "a.cpp", *flags)
    expect("an empty folder beside a file", (done.returncode, done.stderr), (0, f"{empty}\n"))
    # Nobody writes to these pipes, so that a read would wait for ever.
    for pipe in ("empty/pipe.cu", "empty/Makefile"):
        os.mkfifo(folder / pipe)
    done = run(folder, "empty/main.cpp", "empty/pipe.cu", *flags)
    expect("a named pipe", (done.returncode, "empty/pipe.cu: not a regular file" in done.stderr, done.summary),
           (2, True, "warpsafe-lint: 1 file read, 1 not completely"))
    done = run(folder, "empty", "a.cpp", *flags)
    expect("a named pipe in a folder", (done.returncode, done.stderr), (0, f"{empty}\n"))
    # A test of the command itself, whose interpreter writes at its end too.
    for close, says in ((">/dev/full", "No space left on device"), (">&-", "standard output is closed")):
        words = [sys.executable, linter.command, "--json", "a.cpp", *flags]
        done = subprocess.run(["sh", "-c", f'"$@" {close}', "sh", *words], cwd=folder, stderr=subprocess.PIPE, text=True)
        expect(f"output {close}", (done.returncode, done.stderr), (2, f"warpsafe-lint: cannot write the output: {says}\n"))
    log = folder / "log"
    log.write_text("before\n")
    with open(log, "a") as to:
        subprocess.run([sys.executable, linter.command, "--write-baseline", "/dev/stdout", "a.cpp", *flags], stdout=to, stderr=to, cwd=folder)
        to.write("after\n")
    expect("a baseline on standard output", re.fullmatch(r"before\n\{.*\}\nwarpsafe-lint: 1 file read.*\nafter\n", log.read_text(), re.S) is not None, True)
    # A baseline never replaces a source.
    kept = (folder / "a.cpp").read_bytes()
    (folder / "link.json").symlink_to("a.cpp")
    for target in ("a.cpp", "link.json"):
        done = run(folder, "--write-baseline", target, "a.cpp", *flags)
        expect(f"a baseline in {target}", (done.returncode, done.stderr, (folder / "a.cpp").read_bytes() == kept),
               (2, f"warpsafe-lint: --write-baseline {target} is the same file as the source a.cpp; choose another name\n", True))
# A wait may be in a header that is not found: a dependent launch then has no finding.
with tempfile.TemporaryDirectory() as name:
    source = pathlib.Path(__file__).parents[3] / "tests/planted/sources/D02.cu"
    (pathlib.Path(name) / "whole.cu").write_text(source.read_text())
    (pathlib.Path(name) / "part.cu").write_text('#include "not_there.h"\n' + source.read_text())
    whole, part = (run(name, "--rows=C18", file, "--", "-DWRONG") for file in ("whole.cu", "part.cu"))
    if "not find cuda_runtime.h" not in whole.stderr and "cannot find CUDA" not in whole.stderr:
        expect("a dependent launch without a wait", (whole.returncode, "[C18]" in whole.stdout), (1, True))
        expect("the same with a header that is not found", (part.returncode, part.stdout), (2, ""))
# A mistake of the tool in one rule and one file costs that rule's findings in that file.
with tempfile.TemporaryDirectory() as name:
    from warpsafe_lint import registry

    folder = pathlib.Path(name)
    (folder / "runtime.h").write_text(HEADER)
    for file in ("bad.cpp", "good.cpp"):
        (folder / file).write_text(SOURCE)
    kept = list(registry.RULES)

    def breaks(program):
        if program.file.endswith("bad.cpp"):
            raise KeyError("planted")
        return rule.find(program)

    for i, rule in enumerate(kept):
        if rule.row == "D03":
            registry.RULES[i] = registry.Rule(rule.row, rule.title, rule.by_default, breaks, rule.severity)
            break
    words = ("--level=note", "bad.cpp", "good.cpp", "--", "-I.", "-DFROM_THE_DATABASE")
    for jobs in (1, 2):
        broken = run(folder, f"--jobs={jobs}", *words)
        expect("rows where a rule fails", re.findall(r"^(\w+)[.]cpp.*\[(\w+)\]$", broken.stdout, re.M), [("bad", "G01"), ("good", "D03"), ("good", "G01")])
        expect("what is said of it", (broken.returncode, broken.stderr), (2, "warpsafe-lint: bad.cpp: failed, and its findings are "
               "missing: rule D03 (KeyError: 'planted'); please report it with this file\n"))  # fmt: skip
    registry.RULES[:] = kept
# A form feed ends no line, and a comment silences its own.
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "runtime.h").write_text(HEADER)
    paged = SOURCE.replace("void f", "\f\nvoid f").replace("Error();\n  set", "Error();  // NOLINT\n  set")
    (folder / "paged.cpp").write_text(paged)
    done = run(folder, "--level=note", "paged.cpp", "--", "-I.", "-DFROM_THE_DATABASE")
    expect("a silenced line behind a form feed", re.findall(r":(\d+):.*\[(\w+)\]$", done.stdout, re.M), [("9", "G01")])
    (folder / "launch.cu").write_text(LAUNCH.replace("// caf", "\f\n// caf"))
    expect("a patch of a file with a form feed", "\n \f\n" in run(folder, "--diff", "--ignore-unread", "launch.cu").stdout, True)
if problems:
    sys.exit("\n".join(problems))
