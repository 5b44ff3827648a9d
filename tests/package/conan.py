#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Creates the Conan package with the profile that Conan detects, and builds its consumers against it, with nvcc if
available and without: conan.py SOURCE FOLDER CXX BOOST_VERSION [NVCC]

pip installs Conan, and a CMake that works with it and nvcc, into FOLDER. Nothing else is downloaded: Boost is
the system's, in a package of its own, and no remote is used. Exit code 77: pip is missing, or reaches no package
index."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pip_tools

source, folder, compiler, boost = sys.argv[1:5]
nvcc = sys.argv[5] if len(sys.argv) > 5 else None
source = pathlib.Path(source)
folder = pathlib.Path(folder)
programs = pip_tools.install(folder / "venv", "conan>=2,<3", "cmake>=3.26")
home = folder / "home"


def without_nvcc():
    """This environment without nvcc, with the compiler that Conan's detection and CMake take."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CUDACXX", "CUDA_PATH")}
    paths = environment.get("PATH", "").split(os.pathsep)
    paths = [str(programs)] + [path for path in paths if not (pathlib.Path(path) / "nvcc").exists()]
    environment["PATH"] = os.pathsep.join(paths)
    return environment | {"CONAN_HOME": str(home), "CXX": compiler}


def run(*command, fails_with=None, cwd=source):
    """Returns the output of a command and its messages; ends the test if the exit status is unexpected."""
    print(*command, flush=True)
    done = subprocess.run(command, env=without_nvcc(), cwd=cwd, capture_output=True, text=True)
    if fails_with is None and done.returncode:
        sys.exit(f"{done.stdout}\n{done.stderr}\nended with {done.returncode}")
    if fails_with is not None and (done.returncode == 0 or fails_with not in done.stderr):
        sys.exit(f"{done.stdout}\n{done.stderr}\nended with {done.returncode}; '{fails_with}' was to be its error")
    return done.stdout, done.stderr


def conan(*arguments, **options):
    return run(programs / "conan", *arguments, **options)


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, not {wanted}")


shutil.rmtree(home, ignore_errors=True)
home.mkdir(parents=True)
# Leaves the source folder unchanged.
(home / "global.conf").write_text(
    "tools.cmake.cmaketoolchain:generator=Ninja\n"
    f"tools.cmake.cmake_layout:test_folder={folder / 'test_package'}\n"
)
no_presets = "--conf=tools.cmake.cmaketoolchain:user_presets="
with_nvcc = f"--conf=tools.build:compiler_executables={{'cpp': '{compiler}', 'cuda': '{nvcc}'}}"
conan("remote", "disable", "*")
conan("profile", "detect")
detected = (home / "profiles" / "default").read_text()
print(detected)
conan("export", "tests/package/conan/boost", f"--version={boost}")

# A detected profile may name a C++ standard before 20: the recipe says so, and its targets request C++20.
created, messages = conan("create", ".", "--build=missing", "--format=json", no_presets)
said = re.findall(r"WARN: compiler.cppstd is (\w+), and warpsafe needs C\+\+20", messages)
standard = re.search(r"^compiler\.cppstd=(\w+)", detected, re.MULTILINE)[1]
check("the standards that the recipe warns of", set(said), set() if standard in ("gnu20", "gnu23", "gnu26") else {standard})

package = next(node for node in json.loads(created)["graph"]["nodes"].values() if node["name"] == "warpsafe")
reference = package["ref"].split("#")[0]
include = pathlib.Path(conan("cache", "path", f"{package['ref']}:{package['package_id']}")[0].strip()) / "include"
headers = source / "include"
check(
    "the files in the package",
    sorted(str(path.relative_to(include)) for path in include.rglob("*") if path.is_file()),
    sorted(str(path.relative_to(headers)) for path in headers.rglob("*") if path.is_file()),
)

# The program for the host prints a line, and the one for CUDA another.
expected = {("Release", "gnu17"): 1, ("Debug", "20"): 1}
if nvcc:
    expected[("Release", "20")] = 2
for (build_type, cppstd), lines in expected.items():
    options = [f"--settings=build_type={build_type}", f"--settings=compiler.cppstd={cppstd}", no_presets]
    ran, messages = conan("test", "test_package", reference, *options, *([with_nvcc] if lines == 2 else []))
    level = 0 if build_type == "Release" else 1
    said = re.findall(r"^warpsafe [\d.]+, check level \d$", ran + messages, re.MULTILINE)
    check("what the programs say", said, [f"warpsafe {package['version']}, check level {level}"] * lines)
    check("a warning of the standard", "needs C++20" in messages, cppstd == "gnu17")

# A user's project with Conan's presets. CMakeConfigDeps takes the place of CMakeDeps in later releases of Conan.
for generator, program in {
    "CMakeDeps": source / "test_package" / "test_package.cpp",
    "CMakeConfigDeps": source / "tests" / "package" / "consumer" / "level.cpp",
}.items():
    project = folder / f"consumer.{generator}"
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(source / "tests" / "package" / "consumer", project)
    recipe = project / "conanfile.py"
    recipe.write_text(recipe.read_text().replace("CMakeDeps", generator))
    conan("install", ".", "--settings=compiler.cppstd=gnu17", cwd=project)
    run("cmake", "--preset", "conan-release", "-DCOMPONENT=host", f"-DPROGRAM={program}", cwd=project)
    run("cmake", "--build", "--preset", "conan-release", cwd=project)
    run(project / "build" / "Release" / "consumer", "0", cwd=project)

# The headers form the same package for all settings.
packages = json.loads(conan("list", f"{reference}:*", "--format=json")[0])["Local Cache"][reference]["revisions"]
check("packages", [len(revision["packages"]) for revision in packages.values()], [1])
too_old = ["--settings=compiler=gcc", "--settings=compiler.version=11", "--settings=compiler.libcxx=libstdc++11"]
conan("install", f"--requires={reference}", *too_old, fails_with="needs gcc 12 or later")
