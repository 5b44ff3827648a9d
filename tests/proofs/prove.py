#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Proves the goals of formula files with z3: prove.py [--quotes] --include FOLDER FILE...

A file is SMT-LIB with directives in comments:

  ;@ file PATH          the quotes that follow are from this header, relative to FOLDER
  ;| STATEMENTS         a quote; the header must contain it, whatever the white space. Neighbouring
                        lines are one quote.
  ;@ prove NAME         begins a goal, up to the next goal. Its last assertion negates the claim, so
                        z3 must answer `unsat`. What precedes the first goal belongs to all goals.
  ;@ mutate NAME: OLD => NEW [with ASSERTIONS]
                        self-test: with OLD, which occurs once in the definitions and the goal,
                        replaced by NEW, z3 must find a counterexample. ASSERTIONS help it to find one.

Each goal needs a mutation: a goal that no change can break proves nothing. --quotes compares the
quotes only, and needs no solver.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys

SECONDS = 500  # of processor time for one answer, so that a busy machine changes nothing; most take less than one


def squeeze(text):
    """The text without white space, except between two words."""
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(text.split())).strip()


def check_quotes(path, lines, include):
    """The quotes of the file that its header does not contain."""
    wrong, header, name, count = [], None, None, 0
    quote, begins = [], 0
    for number, line in enumerate([*lines, ""], 1):
        if match := re.match(r"\s*(?:;|//)\|(.*)", line):
            if not quote:
                begins = number
            quote.append(match[1])
            continue
        if quote:
            count += 1
            text = squeeze(" ".join(quote))
            quote = []
            if header is None:
                wrong.append(f"{path}:{begins}: no `;@ file` before this quote")
            elif text not in header:
                wrong.append(f"{path}:{begins}: {name} no longer contains: {text}\n"
                             "    Change the formula as the code was changed, then the quote.")
        if match := re.match(r"\s*(?:;|//)@ file (\S+)$", line):
            name = match[1]
            source = include / name
            header = squeeze(source.read_text()) if source.exists() else ""
    if count == 0:
        wrong.append(f"{path}: quotes no source")
    return wrong, count


def parse(path, lines):
    """The definitions, the goals by name and the mutations of each goal."""
    common, goals, mutations, goal = [], {}, {}, None
    for number, line in enumerate(lines, 1):
        if match := re.match(r";@ prove (\S+)$", line):
            goal = match[1]
            if goal in goals:
                sys.exit(f"{path}:{number}: the goal {goal} is there twice")
            goals[goal], mutations[goal] = [], []
        elif match := re.match(r";@ mutate (\S+): (.+?) => (.+?)(?: with (\(.+\)))?$", line):
            if match[1] not in goals:
                sys.exit(f"{path}:{number}: no goal {match[1]}")
            mutations[match[1]].append((number, match[2], match[3], match[4] or ""))
        elif line.startswith(";@") and not line.startswith(";@ file "):
            sys.exit(f"{path}:{number}: not a directive: {line}")
        elif not line.startswith(";"):
            (common if goal is None else goals[goal]).append(line)
    return "\n".join(common), {name: "\n".join(text) for name, text in goals.items()}, mutations


def solve(text):
    run = subprocess.run(["z3", "-in"], input=text + "\n(check-sat)\n", capture_output=True, text=True, check=False,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS)))  # fmt: skip
    if run.returncode < 0:
        return f"no answer in {SECONDS} s of its processor's time"
    answer = run.stdout.split("\n")
    return "error: " + run.stdout.strip() if "(error" in run.stdout else answer[0]


def jobs_of(path, lines):
    """(what, expected answer, formula) for each goal and each mutation."""
    common, goals, mutations = parse(path, lines)
    jobs = []
    for name, goal in goals.items():
        text = common + "\n" + goal
        jobs.append((f"{path.stem}: {name}", "unsat", text))
        if not mutations[name]:
            sys.exit(f"{path}: the goal {name} has no mutation")
        for number, old, new, helps in mutations[name]:
            if text.count(old) != 1:
                sys.exit(f"{path}:{number}: `{old}` occurs {text.count(old)} times, not once")
            jobs.append((f"{path.stem}: {name}, wrong: {old} => {new}", "sat",
                         text.replace(old, new) + "\n" + helps))
    return jobs


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quotes", action="store_true")
    arguments.add_argument("--include", type=pathlib.Path, required=True)
    arguments.add_argument("--goal", help="only goals with this in the name")
    arguments.add_argument("files", nargs="+", type=pathlib.Path)
    given = arguments.parse_args()
    wrong, jobs = [], []
    for path in given.files:
        lines = path.read_text().splitlines()
        missing, count = check_quotes(path, lines, given.include)
        wrong += missing
        print(f"{path.name}: {count - len(missing)} of {count} quotes agree with the headers")
        if not given.quotes:
            jobs += jobs_of(path, lines)
    if given.goal:
        jobs = [job for job in jobs if given.goal in job[0]]
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for (what, expected, _), answer in zip(jobs, pool.map(lambda job: solve(job[2]), jobs)):
            if answer != expected:
                wrong.append(f"{what}: z3 answers {answer}, expected {expected}")
            elif expected == "unsat":
                print(f"proved   {what}")
            else:
                print(f"refuted  {what}")
            sys.stdout.flush()
    for line in wrong:
        print(f"FAILED: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
