# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Files and lines of places, where the program has debug information and addr2line is installed."""

import pathlib
import re
import shutil
import subprocess

# A place is shown with so many of the places that led there.
MOST_CALLERS = 2


def chain(place):
    """The lines of a place and of the places that led there, the innermost first. `place` is (library, number)."""
    lines = []
    if place is not None:
        library, number = place
        # A damaged file may have a circle.
        while number in library.places and len(lines) < 8:
            lines.append(library.places[number])
            number = lines[-1].get("caller", 0)
    return lines


class Places:
    """Asks addr2line once for each instruction."""

    def __init__(self):
        self._known = {}
        self._tool = shutil.which("addr2line")

    def text(self, place):
        """"train.cpp:88, in step, called at train.cpp:20, in main"; empty for an unknown place."""
        frames = []
        for line in chain(place):
            if not line["object"]:
                break
            if "line" in line:
                name = pathlib.Path(line["object"]).name
                frames.append((line["object"], f"{name}:{line['line']}, in {line.get('function', '')}"))
                continue
            key = line["object"], line["offset"]
            if key not in self._known:
                self._known[key] = self._asked(*key) or [self._plain(line)]
            frames += self._known[key]
        # The checks of warpsafe itself say nothing.
        frames = [text for path, text in frames if "/include/warpsafe/" not in path] or [text for _, text in frames[:1]]
        # Framework functions without lines, or places in a loop, may look alike.
        shown = list(dict.fromkeys(frames))[: 1 + MOST_CALLERS]
        return ", called at ".join(shown)

    def _asked(self, path, offset):
        """(path, text) of the instruction and of the functions that it was inlined into."""
        if not self._tool or not pathlib.Path(path).is_file():
            return []
        try:
            done = subprocess.run([self._tool, "-i", "-f", "-C", "-e", path, hex(offset)], capture_output=True, text=True,
                                  timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return []
        lines, found = done.stdout.splitlines(), []
        for function, position in zip(lines[::2], lines[1::2]):
            file, _, number = position.partition(" (")[0].rpartition(":")
            if number.isdigit() and not file.startswith("??"):
                name = short(function)
                found.append((file, f"{pathlib.Path(file).name}:{number}" + (f", in {name}" if name else "")))
        return found

    def _plain(self, line):
        name = pathlib.Path(line["object"]).name
        function = short(self._demangled(line["function"]))
        # A program's own functions are seldom exported: the object and the offset always help.
        return "", f"{name}+{hex(line['offset'])}" + (f", near {function}" if function else "")

    @staticmethod
    def _demangled(name):
        tool = shutil.which("c++filt")
        if not name.startswith("_Z") or not tool:
            return name
        done = subprocess.run([tool, name], capture_output=True, text=True, timeout=20, check=False)
        return done.stdout.strip() or name


def short(function):
    """"Trainer::step" for "int Trainer::step<float>(float, int) const"."""
    name = function.replace("(anonymous namespace)::", "").replace("operator()", "operator").replace("operator<", "operator")
    before = None
    while name != before:
        before, name = name, re.sub(r"<[^<>]*>", "", name)
    name = name.partition("(")[0].split(" ")[-1]
    return "" if name == "??" else name
