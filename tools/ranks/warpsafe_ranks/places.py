# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Files and lines of places, where the program has debug information and addr2line is installed."""

import pathlib
import shutil
import subprocess


class Places:
    """Asks addr2line once for each place."""

    def __init__(self):
        self._known = {}
        self._tool = shutil.which("addr2line")

    def text(self, place):
        """"train.cpp:88, in step()"; empty for an unknown place."""
        if place is None:
            return ""
        library, number = place
        line = library.places.get(number)
        if line is None or not line["object"]:
            return ""
        key = line["object"], line["offset"]
        if key not in self._known:
            self._known[key] = self._asked(*key) or self._plain(line, library)
        return self._known[key]

    def _asked(self, path, offset):
        if not self._tool or not pathlib.Path(path).is_file():
            return ""
        try:
            done = subprocess.run([self._tool, "-f", "-C", "-e", path, hex(offset)], capture_output=True, text=True,
                                  timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        lines = done.stdout.splitlines()
        if len(lines) < 2 or lines[1].startswith("??"):
            return ""
        file, _, number = lines[1].partition(" (")[0].rpartition(":")
        if not number.isdigit():
            return ""
        function = lines[0].partition("(")[0]
        return f"{pathlib.Path(file).name}:{number}" + (f", in {function}" if function not in ("", "??") else "")

    def _plain(self, line, library):
        name = pathlib.Path(line["object"]).name
        function = self._demangled(line["function"])
        # A program's own functions are seldom exported: the object and the offset always help.
        return f"{name}+{hex(line['offset'])}" + (f", near {function}" if function else "")

    @staticmethod
    def _demangled(name):
        tool = shutil.which("c++filt")
        if not name.startswith("_Z") or not tool:
            return name
        done = subprocess.run([tool, name], capture_output=True, text=True, timeout=20, check=False)
        return done.stdout.strip() or name
