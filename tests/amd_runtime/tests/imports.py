#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Names the functions that a HIP runtime imports from HSA's runtime and the software agent lacks.

imports.py AGENT RUNTIME... A release that adds an import fails here, and not when a program first calls it.
"""

import subprocess
import sys


def symbols(library, which):
    lines = subprocess.run(["nm", "-D", which, library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in lines.splitlines() if line.split()[-1].startswith("hsa_")}


def main():
    agent, *runtimes = sys.argv[1:]
    has = {name.partition("@")[0] for name in symbols(agent, "--defined-only")}
    failed = False
    for runtime in runtimes:
        imports = symbols(runtime, "--undefined-only")
        if not imports:
            sys.exit(f"{runtime} imports nothing from HSA's runtime: it is no HIP runtime")
        missing = sorted(name for name in imports if name.partition("@")[0] not in has)
        print(f"{runtime}: {len(imports)} imports, missing: {', '.join(missing) or 'none'}")
        failed |= bool(missing)
    sys.exit(1 if failed else 0)


main()
