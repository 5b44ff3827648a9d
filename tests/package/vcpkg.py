#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Builds the consumer in vcpkg's manifest mode, with the port of packaging/vcpkg: vcpkg.py SOURCE FOLDER CXX

Boost and the tools are the system's; nothing is downloaded. Exit code 77: vcpkg is not installed."""
import os
import pathlib
import shutil
import subprocess
import sys

source, folder, compiler = (pathlib.Path(argument) for argument in sys.argv[1:4])
program = shutil.which("vcpkg", path=os.environ.get("VCPKG_ROOT")) or shutil.which("vcpkg")
if not program:
    print("skipped: no vcpkg on PATH or in VCPKG_ROOT")
    sys.exit(77)
root = pathlib.Path(os.environ.get("VCPKG_ROOT") or pathlib.Path(program).resolve().parent)
environment = os.environ | {
    "VCPKG_ROOT": str(root),
    "VCPKG_FORCE_SYSTEM_BINARIES": "1",
    "VCPKG_DISABLE_METRICS": "1",
    # Builds from scratch each time, because vcpkg's cache depends on the port's files and not on the headers.
    "VCPKG_BINARY_SOURCES": "clear",
}


def run(*command):
    print(*command, flush=True)
    subprocess.run(command, env=environment, check=True)


here = source / "tests" / "package"
run(program, "version")
shutil.rmtree(folder, ignore_errors=True)
run(
    "cmake", "-G", "Ninja", "-S", here / "consumer", "-B", folder,
    f"-DCMAKE_TOOLCHAIN_FILE={root / 'scripts' / 'buildsystems' / 'vcpkg.cmake'}",
    f"-DVCPKG_MANIFEST_DIR={here / 'vcpkg'}",
    f"-DVCPKG_OVERLAY_PORTS={source / 'packaging' / 'vcpkg'};{here / 'vcpkg' / 'system-boost'}",
    f"-DVCPKG_OVERLAY_TRIPLETS={here / 'vcpkg' / 'triplets'}",
    "-DVCPKG_TARGET_TRIPLET=header-only-linux", "-DVCPKG_HOST_TRIPLET=header-only-linux",
    f"-DVCPKG_INSTALL_OPTIONS=--x-buildtrees-root={folder / 'buildtrees'};--x-packages-root={folder / 'packages'}",
    f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release", "-DCOMPONENT=host",
)
run("cmake", "--build", folder)
run(folder / "consumer", "0")

# vcpkg's own check of a port reports these; they do not apply to a header-only package.
installed = next(folder.glob("vcpkg_installed/*/share/warpsafe"))
for wanted in ("copyright", "usage", "warpsafe-config.cmake", "warpsafe-config-version.cmake"):
    if not (installed / wanted).exists():
        sys.exit(f"the package has no {wanted}")
left = [path for path in ("lib", "debug", "share/cmake", "share/doc") if (installed.parent.parent / path / "warpsafe").exists()]
if left:
    sys.exit(f"the package has {left}")
