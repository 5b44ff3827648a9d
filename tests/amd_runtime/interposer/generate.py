#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Writes what the interposer needs of a HIP runtime: generate.py LIBRARY FUNCTIONS.inc VERSIONS.map

FUNCTIONS.inc has a line for each function that the library exports, whatever its release. VERSIONS.map gives each the
version that it has in the library, which programs ask the loader for.
"""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path


def exported(library):
    """The functions of the library, by version."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    versions = defaultdict(set)
    for line in lines.splitlines():
        _, kind, symbol = line.split()
        name, _, version = symbol.partition("@@")
        if kind in "TW" and version:
            versions[version].add(name)
    return versions


def main():
    library, functions, versions_map = sys.argv[1:]
    versions = exported(library)
    names = sorted(set().union(*versions.values()))
    if "hipLaunchKernel" not in names:
        sys.exit(f"{library} exports no hipLaunchKernel: it is no HIP runtime")
    lines = [f'SOFT_HIP_FORWARD({number}, "{name}")\n' for number, name in enumerate(names)]
    Path(functions).write_text("".join(lines))
    text = ""
    for version in sorted(versions):
        text += f"{version} {{ global: {' '.join(f'{name};' for name in sorted(versions[version]))} }};\n"
    text += "warpsafe_interposer { global: amd_control_*; local: *; };\n"
    Path(versions_map).write_text(text)


main()
