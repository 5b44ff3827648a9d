#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Mutates what warpsafe-lint reads besides sources: lint_inputs.py [--seconds N] [--seed N] [--findings FOLDER] [FILE...]

An input is a compile_commands.json, whose bytes are also taken as words of the command line and as a line of a source.
Claims: each is used, or refused with one line of text and exit status 2; no other exception leaves the reader. FILE repeats a
finding. Sources themselves are read by libclang, and are not mutated."""

import argparse
import contextlib
import functools
import io
import pathlib
import random
import sys
import tempfile
import time
import traceback

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[1] / "tools/lint"))
from warpsafe_lint import commands, flags, options, prefix, silence  # noqa: E402  (the path comes first)

# Searching the machine's folders each time would take most of the time.
flags.find_cuda = functools.cache(flags.find_cuda)

WORDS = [b'"directory":', b'"file":', b'"command":', b'"arguments":', b'"/w"', b'"a.cpp"', b"[", b"]", b"{", b"}", b",", b"\\u0000",
         b"\\ud800", b"'", b'\\"', b"-I", b"-std=", b"--std", b"-include", b"-D", b"--rows=", b"-A01", b"all", b"--", b"-j", b"-p", b"null",
         b"1e999", b"\xff", b"NOLINT(", b"warpsafe-A07", b"\n", b" "]


class Finding(Exception):
    """A claim does not hold."""


def one(data, database):
    database.write_bytes(data)
    text = data.decode(errors="replace")
    try:
        words, folder, compiler = commands.Database(str(database)).command("/w/a.cpp") or ([], ".", "")
        named = commands.language_in(commands.expanded(words, folder), compiler)
        kept = commands.kept(words, folder, compiler)
        out = flags.arguments(flags.language_of("a.cu", text, compiler, named), kept, prefix.SHIMS)
        if not all(map(commands.is_text, out)):
            raise Finding("a flag that libclang does not take")
    except commands.BadDatabase as problem:
        if not str(problem) or "\n" in str(problem):
            raise Finding("a problem that is not one line") from problem
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            options.parse_arguments(text.replace("\0", "").split())
    except SystemExit as ended:
        if ended.code not in (options.NOTHING, options.NOT_READ):
            raise Finding(f"exit status {ended.code!r} for the words") from ended
        if ended.code == options.NOT_READ and not errors.getvalue():
            raise Finding("refused without a text") from ended
    silence.Silence(text)


def mutated(pool, chance):
    data = bytearray(chance.choice(pool))
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(data))
        kind = chance.randint(0, 5)
        if kind == 0:
            data[at:at] = chance.choice(WORDS)
        elif kind == 1:
            del data[at:at + chance.randint(1, 12)]
        elif kind == 2 and data:
            data[at % len(data)] = chance.randint(0, 255)
        elif kind == 3:
            data[at:at] = data[chance.randint(0, len(data)):][:chance.randint(1, 40)]
        elif kind == 4:
            other = chance.choice(pool)
            data[at:] = other[chance.randint(0, len(other)):]
        else:
            data[at:at + 1] = bytes([chance.choice(b'[]{}",:\\ \n0')])
    return bytes(data[:4000])


def tried(data, database):
    """Returns the finding as text, or None."""
    try:
        one(data, database)
    except Exception:  # any exception is a finding  # noqa: BLE001
        return traceback.format_exc(limit=-2)
    return None


def run():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0, help="0: a seed of the clock")
    parser.add_argument("--findings", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    pool = [path.read_bytes() for path in sorted((here / "corpus/lint_inputs").iterdir())]
    seed = options.seed or time.time_ns()
    chance = random.Random(seed)
    executions = 0
    memory = "/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        database = pathlib.Path(name) / "compile_commands.json"
        begun = time.monotonic()
        waiting = [path.read_bytes() for path in options.files] or pool.copy()
        while waiting or (not options.files and time.monotonic() - begun < options.seconds):
            data = waiting.pop() if waiting else mutated(pool, chance)
            executions += 1
            said = tried(data, database)
            if said is None:
                # Python counts no branches, so some of the inputs become new beginnings.
                if chance.random() < 0.001:
                    pool.append(data)
                continue
            print(f"== finding: {said}\n{data!r}")
            if options.findings:
                (options.findings / f"crash-{seed}-{executions}").write_bytes(data)
            return 1
    print(f"{executions} executions")
    return 0


if __name__ == "__main__":
    sys.exit(run())
