#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Builds the consumer with the port of packaging/vcpkg, in vcpkg's manifest mode and in its classic mode: vcpkg.py
SOURCE FOLDER CXX

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
overlays = {
    "ports": [source / "packaging" / "vcpkg", here / "vcpkg" / "system-boost"],
    "triplets": [here / "vcpkg" / "triplets"],
}
triplets = {"TARGET": "header-only-linux", "HOST": "header-only-linux"}
# What vcpkg's own checks of a port report is an error.
kept = ["--enforce-port-checks", f"--x-buildtrees-root={folder / 'buildtrees'}", f"--x-packages-root={folder / 'packages'}"]


def consumer(build, *options):
    """Builds a project with vcpkg's toolchain file, and runs its program."""
    run(
        "cmake", "-G", "Ninja", "-S", here / "consumer", "-B", build,
        f"-DCMAKE_TOOLCHAIN_FILE={root / 'scripts' / 'buildsystems' / 'vcpkg.cmake'}",
        *(f"-DVCPKG_{kind}_TRIPLET={triplet}" for kind, triplet in triplets.items()),
        f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release", "-DCOMPONENT=host", *options,
    )
    run("cmake", "--build", build)
    run(build / "consumer", "0")


def check_installed(folder):
    """What vcpkg's maintainers expect of a header-only package."""
    share = next(folder.glob("*/share"))
    for wanted in ("copyright", "usage", "warpsafe-config.cmake", "warpsafe-config-version.cmake"):
        if not (share / "warpsafe" / wanted).exists():
            sys.exit(f"the package has no {wanted}")
    left = [path for path in ("lib", "debug", "share/cmake", "share/doc") if (share.parent / path / "warpsafe").exists()]
    if left:
        sys.exit(f"the package has {left}")


run(program, "version")
shutil.rmtree(folder, ignore_errors=True)
manifest = folder / "manifest"
consumer(
    manifest,
    f"-DVCPKG_MANIFEST_DIR={here / 'vcpkg'}",
    *(f"-DVCPKG_OVERLAY_{kind.upper()}={';'.join(map(str, paths))}" for kind, paths in overlays.items()),
    f"-DVCPKG_INSTALL_OPTIONS={';'.join(kept)}",
)
check_installed(manifest / "vcpkg_installed")

# The command of packaging/README.md, in the checkout.
os.chdir(source)
classic = folder / "classic_installed"
run(
    program, "install", "warpsafe", "--classic",
    *(f"--overlay-{kind}={path}" for kind, paths in overlays.items() for path in paths),
    *(f"--{option}={triplets[kind]}" for option, kind in {"triplet": "TARGET", "host-triplet": "HOST"}.items()),
    f"--x-install-root={classic}", *kept,
)
check_installed(classic)
consumer(
    folder / "classic", "-DVCPKG_MANIFEST_MODE=OFF", f"-DVCPKG_INSTALLED_DIR={classic}", f"-DPROGRAM={here / 'consumer' / 'level.cpp'}"
)
