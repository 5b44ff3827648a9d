#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Creates the Conan package and builds its consumer against it, with nvcc if available and without: conan.py
SOURCE FOLDER CXX BOOST_VERSION [NVCC]

pip installs Conan, and a CMake that works with it and nvcc, into FOLDER. Nothing else is downloaded: Boost is
the system's, and no remote is used. Exit code 77: pip is missing, or reaches no package index."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pip_tools

source, folder, compiler, boost = sys.argv[1:5]
nvcc = sys.argv[5] if len(sys.argv) > 5 else None
folder = pathlib.Path(folder)
programs = pip_tools.install(folder / "venv", "conan>=2,<3", "cmake>=3.26")


def without_nvcc():
    """This environment without nvcc."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CUDACXX", "CUDA_PATH")}
    paths = environment.get("PATH", "").split(os.pathsep)
    paths = [str(programs)] + [path for path in paths if not (pathlib.Path(path) / "nvcc").exists()]
    environment["PATH"] = os.pathsep.join(paths)
    return environment | {"CONAN_HOME": str(folder / "home")}


def conan(*arguments, fails_with=None):
    """Returns the standard output of a Conan command; ends the test if the exit status is unexpected."""
    print("conan", *arguments, flush=True)
    run = subprocess.run([programs / "conan", *arguments], env=without_nvcc(), capture_output=True, text=True)
    if fails_with is None and run.returncode:
        sys.exit(f"{run.stdout}\n{run.stderr}\nended with {run.returncode}")
    if fails_with is not None and (run.returncode == 0 or fails_with not in run.stderr):
        sys.exit(f"{run.stdout}\n{run.stderr}\nended with {run.returncode}; '{fails_with}' was to be its error")
    return run.stdout + run.stderr if arguments[0] == "test" else run.stdout


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, not {wanted}")


def settings(*changes):
    profile = folder / "profile"
    profile.write_text(
        f"[settings]\nos=Linux\narch={architecture}\n"
        f"compiler={family}\ncompiler.version={major}\ncompiler.libcxx=libstdc++11\ncompiler.cppstd=20\n"
        f"[platform_requires]\nboost/{boost}\n"
        "[conf]\ntools.cmake.cmaketoolchain:generator=Ninja\n"
        # Leaves the source folder unchanged.
        f"tools.cmake.cmake_layout:test_folder={folder / 'test_package'}\ntools.cmake.cmaketoolchain:user_presets=\n"
        f"tools.build:compiler_executables={{'cpp': '{compiler}'}}\n"
    )
    arguments = ["--profile:all", str(profile)]
    for change in changes:
        arguments += ["--settings", change]
    return arguments


version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
architecture = {"aarch64": "armv8"}.get(os.uname().machine, os.uname().machine)
family = "clang" if "clang" in version else "gcc"
major = re.search(r" (\d+)\.\d+\.\d+", version)[1]
conan("remote", "disable", "*")
with_nvcc = ["--conf", f"tools.build:compiler_executables={{'cpp': '{compiler}', 'cuda': '{nvcc}'}}"] if nvcc else []

made = json.loads(conan("create", source, "--test-folder=", "--format=json", *settings("build_type=Release")))
package = next(node for node in made["graph"]["nodes"].values() if node["name"] == "warpsafe")
reference = package["ref"].split("#")[0]
include = pathlib.Path(conan("cache", "path", f"{package['ref']}:{package['package_id']}").strip()) / "include"
headers = pathlib.Path(source) / "include"
check(
    "the headers in the package",
    sorted(str(path.relative_to(include)) for path in include.rglob("*") if path.is_file()),
    sorted(str(path.relative_to(headers)) for path in headers.rglob("*.hpp")),
)

test_package = os.path.join(source, "test_package")
for build_type, options in {"Release": with_nvcc, "Debug": []}.items():
    ran = conan("test", test_package, reference, *settings(f"build_type={build_type}"), *options)
    level = 0 if build_type == "Release" else 2
    # One program for the host and one for CUDA; each prints its kind.
    said = re.findall(r"^warpsafe [\d.]+, check level \d$", ran, re.MULTILINE)
    check("what the programs say", said, [f"warpsafe {package['version']}, check level {level}"] * (2 if options else 1))

# The headers form the same package for all settings.
packages = json.loads(conan("list", f"{reference}:*", "--format=json"))["Local Cache"][reference]["revisions"]
check("packages", [len(revision["packages"]) for revision in packages.values()], [1])
conan(
    "install", f"--requires={reference}", *settings("compiler=gcc", "compiler.version=11"), fails_with="needs gcc 12 or later"
)
