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


def takes_folders():
    """Whether this Python's own pip installs into another environment, which pip 22.3 learned."""
    said = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True).stdout
    version = re.match(r"pip (\d+)\.(\d+)", said)
    return version is not None and (int(version[1]), int(version[2])) >= (22, 3)


def pip(programs, python):
    """The beginning of a command of pip for an environment, by its Python: that of `programs`, which install() returned, or another."""
    if not (programs / "pip").exists():
        return [sys.executable, "-m", "pip", "--python", python]
    return [programs / "pip", *([] if python == programs / "python" else ["--python", python])]


def install(folder, *packages):
    """Returns the folder of the programs. Skips the test (exit code 77) if pip is missing or reaches no
    package index."""
    programs = pathlib.Path(folder) / "bin"
    done = pathlib.Path(folder) / "installed"
    if done.exists() and done.read_text() == " ".join(packages):
        return programs
    try:
        # A pip in each environment takes longer than most packages.
        venv.create(folder, with_pip=not takes_folders(), clear=True)
    except (subprocess.CalledProcessError, SystemExit):  # Debian's venv exits
        skip("this Python has no ensurepip (Debian's package python3-venv)")
    command = [*pip(programs, programs / "python"), "install", "--quiet", "--retries", "1", *packages]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        print(run.stdout, run.stderr)
        if re.search("NewConnectionError|ConnectTimeout|ReadTimeout|Name or service not known|No matching distribution", run.stderr):
            skip(f"pip reaches no package index, which has {', '.join(packages)}")
        sys.exit("pip could not install them")
    done.write_text(" ".join(packages))
    return programs
