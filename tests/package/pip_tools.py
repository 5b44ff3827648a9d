# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Tools installed by pip, in a virtual environment of the tests."""
import pathlib
import re
import subprocess
import sys
import venv


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def install(folder, *packages):
    """Returns the folder of the programs. Skips the test (exit code 77) if pip is missing or reaches no
    package index."""
    programs = pathlib.Path(folder) / "bin"
    done = pathlib.Path(folder) / "installed"
    if done.exists() and done.read_text() == " ".join(packages):
        return programs
    try:
        venv.create(folder, with_pip=True, clear=True)
    except (subprocess.CalledProcessError, SystemExit):  # Debian's venv exits
        skip("this Python has no ensurepip (Debian's package python3-venv)")
    pip = [programs / "pip", "install", "--quiet", "--retries", "1", *packages]
    run = subprocess.run(pip, capture_output=True, text=True)
    if run.returncode:
        print(run.stdout, run.stderr)
        if re.search("NewConnectionError|ConnectTimeout|ReadTimeout|Name or service not known|No matching distribution", run.stderr):
            skip(f"pip reaches no package index, which has {', '.join(packages)}")
        sys.exit("pip could not install them")
    done.write_text(" ".join(packages))
    return programs
