# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What differs from an earlier state: lines changed since a commit of git, and findings that a baseline has."""

import collections
import hashlib
import json
import os
import pathlib
import re
import subprocess

from .replace import replace

VERSION = 1


class Unusable(Exception):
    """git or a baseline file gives no answer, and why: one line."""


def git(folder, *words):
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except OSError as error:
        raise Unusable(f"git: {error.strerror}") from error
    if done.returncode != 0:
        raise Unusable("git: " + " ".join(done.stderr.decode(errors="replace").split()))
    return done.stdout.decode(errors="surrogateescape")


def named(header):
    """The name in a line `+++ b/name` of a diff. git quotes unusual names as C does."""
    name = header[4:].rstrip("\t")
    if name.startswith('"'):
        short = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
        name = re.sub(r"\\([0-7]{3}|.)", lambda found: chr(int(found[1], 8)) if len(found[1]) == 3 else short.get(found[1], found[1]), name[1:-1])
    return name if name == "/dev/null" else name[2:]


def changed_since(reference, folder="."):
    """The changed lines of each file since a commit, by the file's full path: a set of line numbers, or None for all lines: of a
    file that git does not know yet, or whose changed lines it does not show."""
    if reference.startswith("-"):
        raise Unusable(f"git: '{reference}' is not a commit")
    top = git(folder, "rev-parse", "--show-toplevel").rstrip("\n")
    # As text also where an attribute or a byte makes git take a file for binary.
    diff = ("-c", "core.quotePath=false", "-c", "diff.relative=false", "diff", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    text = git(folder, *diff, "--unified=0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/", reference, "--")
    found, lines = {}, None
    rest = 0  # lines of the hunk that follow: one of the source may look like a header
    for line in text.split("\n"):
        if rest and line[:1] in ("+", "-"):
            rest -= 1
        elif line.startswith("+++ "):
            name = named(line)
            lines = None if name == "/dev/null" else found.setdefault(os.path.realpath(os.path.join(top, name)), set())
        elif hunk := re.match(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            removed, start, added = (int(number or 1) for number in hunk.groups())
            rest = removed + added
            if lines is not None:
                lines.update(range(start, start + added))
    for entry in git(folder, *diff, "--numstat", "-z", reference, "--").split("\0"):
        added, _, name = (entry.split("\t", 2) + ["", ""])[:3]
        path = os.path.realpath(os.path.join(top, name))
        if name and added != "0" and not found.get(path):
            found[path] = None
    for name in git(top, "ls-files", "--others", "--exclude-standard", "-z").split("\0"):
        if name:
            found[os.path.realpath(os.path.join(top, name))] = None
    return found


def fingerprint(finding, folder, text):
    """What stays the same if lines are added elsewhere: the file, the row and the text of the line without its spaces."""
    name = os.path.relpath(os.path.abspath(finding["file"]), folder)
    digest = hashlib.sha256(re.sub(r"\s", "", text).encode()).hexdigest()[:16]
    return f"{name.replace(os.sep, '/')}:{finding['row']}:{digest}"


def write_baseline(name, findings):
    """Writes the findings as accepted. Names of files are relative to the baseline's folder."""
    counts = collections.Counter(fingerprint(item, os.path.dirname(os.path.abspath(name)), item["text"]) for item in findings)
    text = json.dumps({"version": VERSION, "findings": dict(sorted(counts.items()))}, indent=1) + "\n"
    try:
        replace(name, text.encode())
    except OSError as error:
        raise Unusable(f"{name}: not written: {error.strerror}") from error


class Baseline:
    """Accepted findings. Each entry accepts as many findings as it had when it was written."""

    def __init__(self, name):
        self.folder = os.path.dirname(os.path.abspath(name))
        try:
            read = json.loads(pathlib.Path(name).read_bytes().decode())
            counts = read["findings"] if read["version"] == VERSION else None
            self.left = collections.Counter({str(key): int(count) for key, count in counts.items()})
        except OSError as error:
            raise Unusable(f"{name}: {error.strerror}; write one with --write-baseline={name}") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise Unusable(f"{name}: it is not a baseline; write one with --write-baseline={name}") from error

    def accepts(self, finding):
        key = fingerprint(finding, self.folder, finding["text"])
        if self.left[key] <= 0:
            return False
        self.left[key] -= 1
        return True
