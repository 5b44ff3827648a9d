# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The commands: warpsafe-run starts the tool's script, the others call the tool."""

import ctypes
import os
import pathlib
import re
import runpy
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
# The options of warpsafe-run that are followed by a value.
WITH_VALUE = ("--kernel", "--journal", "--timeline", "--report", "--error-exitcode", "--timeout", "--log", "--ranks", "--cupti")


def cuda_of_driver():
    """The major number of the newest CUDA that the driver serves (0 if it does not answer), or None
    without a driver. Initialises nothing (CUDA Driver API, cuDriverGetVersion)."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    version = ctypes.c_int(0)
    return version.value // 1000 if driver.cuDriverGetVersion(ctypes.byref(version)) == 0 else 0


def cupti_files(newest):
    """The files of CUPTI in the environment that fit a driver of CUDA `newest`, the newest first. NVIDIA's packages
    have them in nvidia/cuda_cupti/lib (CUDA 12) and nvidia/cu13/lib (CUDA 13), Conda's in lib."""
    folders = [pathlib.Path(folder) for folder in sys.path if folder]
    prefixes = [pathlib.Path(os.environ[name]) for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if os.environ.get(name)]
    for prefix in prefixes:
        folders += sorted(prefix.glob("lib/python3*/site-packages"))
    files = [file for folder in folders for place in ("cuda_cupti", "cu[1-9]*") for file in folder.glob(f"nvidia/{place}/lib/libcupti.so.*")]
    files += [file for prefix in (pathlib.Path(sys.prefix), *prefixes) for file in prefix.glob("lib/libcupti.so.*")]
    found = {}
    for file in files:
        major = re.fullmatch(r"libcupti\.so\.(\d{2})", file.name)
        if major and (not newest or int(major[1]) <= newest):
            found.setdefault(str(file), int(major[1]))
    return sorted(found, key=found.get, reverse=True)


def own_options(words):
    """The words before the program and its arguments."""
    own, words = [], list(words)
    while words and words[0].startswith("-") and words[0] != "--":
        own.append(words.pop(0))
        if own[-1] in WITH_VALUE and words:
            words.pop(0)
    return own


def run():
    """warpsafe-run: the same script as without Python, which is told the environment's CUPTI."""
    words = sys.argv[1:]
    script = HERE / "bin" / "warpsafe-run"
    if not script.exists():
        print("warpsafe-run: this package was built without CUDA's and HIP's headers, so it can watch nothing; "
              "build it on a machine that has them", file=sys.stderr)
        return 2
    own, found = own_options(words), []
    if words and not {"-h", "--help", "--hip"} & set(own):
        newest = cuda_of_driver()
        if newest is None and not os.path.exists("/dev/kfd"):
            print("warpsafe-run: libcuda.so.1, the library of NVIDIA's driver, is not found here: nothing to watch", file=sys.stderr)
        if not {"--cupti", "--stop-at-fault"} & set(own):  # CUPTI and core dumps exclude each other
            found = [word for file in cupti_files(newest) for word in ("--cupti", file)]
    # Python ignores these signals, and the program would inherit that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    os.execv("/bin/sh", ["sh", str(script), *found, *words])


def report():
    """warpsafe-run-report."""
    script = HERE / "bin" / "warpsafe-run-report"
    if not script.exists():
        print("warpsafe-run-report: this package was built without CUDA's and HIP's headers, and has no warpsafe-run", file=sys.stderr)
        return 2
    return runpy.run_path(str(script))["main"](sys.argv[1:])


def lint():
    """warpsafe-lint."""
    from .lint.warpsafe_lint.main import main

    return main(sys.argv[1:])


def ranks():
    """warpsafe-ranks."""
    from .ranks.warpsafe_ranks.main import main

    return main(sys.argv[1:])
