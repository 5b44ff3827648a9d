#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks that the headers' includes follow the order of the rooms in rooms.txt.

check_rooms.py INCLUDE_FOLDER. Fails for an include against the order, for two folders that include each
other, for a folder without a row, for a call that a helper must make, for a header that all.hpp omits without
need, for a declaration whose comment names a header without the definition, for an entry header with code, for
a tool that includes a header of detail/, and for a folder of tests/unit that is no room.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

# all.hpp includes every header except these, which include another library's header or a vendor's backend.
FOREIGN = re.compile(r"^\s*#\s*include <(?!warpsafe/|boost/|sys/)[\w-]+/|include <warpsafe/backend/(cuda|hip)/", re.MULTILINE)
# Calls that only one helper makes, because the call alone is a hole: the pattern, the helper, its header.
HELPERS = (
    (re.compile(r"(?<!secure_)\bgetenv\("), "read_environment", "core/detail/environment.hpp"),
    (re.compile(r'fopen\([^;]*"[wa]|\bofstream\b|::(creat|open)\('), "write_to or create_file", "debug/detail/output_file.hpp"),
)
# An entry header has nothing but comments, includes and conditions around includes.
ENTRY_LINE = re.compile(r"\s*(//.*|#\s*(pragma once|include <.*>|if|elif|else|endif).*)?")
# tests/unit has a folder for each room; these have the tests that need a program of their own, the fixtures, and the
# tests of the parts of debug.
NOT_ROOMS = {"alone", "off", "fixtures", "debug_parts"}
# A declaration that names the header of the definition.
DECLARED = re.compile(r"^\s*(?:struct|class|enum class) (\w+)[^;{]*;\s*// ([\w/]+[.]hpp)$", re.MULTILINE)
INCLUDE = re.compile(r"^\s*#\s*include <warpsafe/([^>]+)>", re.MULTILINE)


def rooms_in_order():
    lines = Path(__file__).with_name("rooms.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def room_of(header, order):
    """The longest row that begins the header's folder; the entry headers lie in no folder."""
    if "/" not in header:
        return "entry"
    folder = header.rpartition("/")[0]
    folder = folder.removesuffix("/detail")
    return folder if folder in order else None


def reached(header, includes, seen=None):
    """The header and all that it includes."""
    seen = set() if seen is None else seen
    if header in includes and header not in seen:
        seen.add(header)
        for name in includes[header]:
            reached(name, includes, seen)
    return seen


def project_files():
    """The files that git tracks; in a tree without git, all outside of build/."""
    project = Path(__file__).parents[2]
    if (project / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(["git", "-C", project, "ls-files"], capture_output=True, text=True)
        if listed.returncode == 0:
            return listed.stdout.splitlines()
    found = []
    for folder, subfolders, files in os.walk(project):
        subfolders[:] = set(subfolders) - {"build", ".git", "__pycache__"}
        found += [(Path(folder) / file).relative_to(project).as_posix() for file in files]
    return found


def main():
    root = Path(sys.argv[1])
    order = rooms_in_order()
    text = {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*.hpp"))}
    includes = {header: INCLUDE.findall(body) for header, body in text.items()}
    problems = []
    between = defaultdict(list)
    for header, names in includes.items():
        room = room_of(header, order)
        if room is None:
            problems.append(f"{header}: its folder has no row in rooms.txt")
            continue
        for name in names:
            other = room_of(name, order) if name in includes else None
            if other is None:
                problems.append(f"{header} includes {name}: there is no such header in a room")
            elif other != room:
                between[room, other].append((header, name))
                if order.index(other) > order.index(room):
                    problems.append(f"{header} includes {name}: room '{other}' stands below '{room}' in rooms.txt")
    for a, b in sorted(between):
        if a < b and (b, a) in between:
            problems.append(f"rooms '{a}' and '{b}' include each other: {between[a, b][0]}, {between[b, a][0]}")
    for header in text.keys() - reached("all.hpp", includes):
        if "/detail/" not in header and not FOREIGN.search(text[header]):
            problems.append(f"{header}: all.hpp does not include it")
    for header, body in text.items():
        for call, helper, home in HELPERS:
            if header != home and call.search(body):
                problems.append(f"{header}: call {helper} of {home} instead of '{call.search(body)[0]}'")
        for name, home in DECLARED.findall(body):
            if not re.search(rf"^(struct|class|enum class) (\[\[.*\]\] |[A-Z_]+ )?{name}\b[^;{{]*{{", text.get(home, ""), re.MULTILINE):
                problems.append(f"{header}: {home} does not define '{name}'")
    for header in [header for header in text if "/" not in header]:
        for line in text[header].replace("\\\n", " ").split("\n"):
            if not ENTRY_LINE.fullmatch(line):
                problems.append(f"{header}: an entry header has only includes, not '{line}'")
    files = project_files()
    for name in files:
        if re.fullmatch(r"tools/(?!.*tests/).*\.(hpp|cpp|cu)", name):
            inner = re.findall(r"include <warpsafe/.*detail/.*>", (Path(__file__).parents[2] / name).read_text())
            problems += [f"{name}: {include}: a tool includes warpsafe/tool_api.hpp" for include in inner]
    rooms = {room.partition("/")[0] for room in order}
    for folder in sorted({name.split("/")[2] for name in files if re.match("tests/unit/[^/]+/", name)}):
        if folder not in rooms | NOT_ROOMS:
            problems.append(f"tests/unit/{folder}: there is no such room")
    print(*problems, sep="\n")
    print(f"{len(text)} headers in {len(order)} rooms, {len(problems)} problems")
    return bool(problems) or not text


if __name__ == "__main__":
    sys.exit(main())
