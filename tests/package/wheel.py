#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Builds the Python package, installs it without an index, and uses it as a user does: wheel.py SOURCE BUILD FOLDER CXX
[release | old-system]

BUILD is the project's build folder, which has the stand-ins for CUDA's driver and CUPTI. With `release`:
packaging/python/build makes the wheel; the test also reads which glibc its libraries need, and installs the extra
[lint]. With `old-system`: tries the wheel that `release` made in a root of Debian 11. Exit code 77: pip is missing, or
reaches no package index; with `old-system`, there is no wheel, or mmdebstrap cannot make a root."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv
import zipfile

import pip_tools

source, build, folder, compiler = (pathlib.Path(word) for word in sys.argv[1:5])
release = sys.argv[5:] == ["release"]
problems = []


def run(*words, **options):
    """Runs a command; standard error is part of its output."""
    print(*words, flush=True)
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def must(*words, **options):
    done = run(*words, **options)
    if done.returncode:
        sys.exit(f"{done.stdout}\nended with {done.returncode}")
    return done.stdout


def expect(what, said, *parts):
    problems.extend(f"{what}: '{part}' is missing in\n{said[-3000:]}" for part in parts if part not in said)


def version_of_headers():
    text = (source / "include/warpsafe/core/config.hpp").read_text()
    return ".".join(re.search(rf"#define WARPSAFE_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def make_wheel():
    dist = folder / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    if release:
        done = run(sys.executable, source / "packaging/python/build", dist)
        if done.returncode:
            print(done.stdout)
            sys.exit(done.returncode)
    else:
        # Not optimised, only for CUDA, and in a folder that stays, because this test runs often. CMake cannot change the
        # compiler of a folder.
        must(programs / "python", "-m", "build", "--wheel", "--no-isolation", "--outdir", dist, source, "-C", "cmake.build-type=Debug",
             "-C", f"build-dir={folder / ('build-' + compiler.name)}", "-C", f"cmake.define.CMAKE_CXX_COMPILER={compiler}", "-C", "cmake.define.CMAKE_CXX_FLAGS_DEBUG=-g0",
             "-C", "cmake.define.warpsafe_HIP_INCLUDE_DIR=", env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"})
    return next(dist.glob("*.whl"))


def check_content(wheel):
    """The wheel's version and files. Returns whether it can watch CUDA programs."""
    version = version_of_headers()
    if not wheel.name.startswith(f"warpsafe-{version}-py3-none-"):
        problems.append(f"{wheel.name} is not of version {version} for every Python 3")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")]  # auditwheel adds the folders
    headers = sorted(path.relative_to(source / "include").as_posix() for path in (source / "include").rglob("*") if path.is_file())
    if sorted(name.removeprefix("warpsafe/include/") for name in names if name.startswith("warpsafe/include/")) != headers:
        problems.append("the wheel has other files than include/")
    libraries = {f"warpsafe/lib/warpsafe/libwarpsafe_watch_{vendor}.so" for vendor in ("cuda", "hip")}
    libraries.add("warpsafe/lib/warpsafe/libwarpsafe_ranks_nccl.so")
    for helper in ("warpsafe-faults", "warpsafe-rerun"):
        if "warpsafe/lib/warpsafe/libwarpsafe_watch_cuda.so" in names and f"warpsafe/lib/warpsafe/{helper}" not in names:
            problems.append(f"the wheel lacks {helper}")
    foreign = [name for name in names if ".so" in name and name not in libraries]
    foreign += [name for name in names if not name.startswith(("warpsafe/", f"warpsafe-{version}.dist-info/"))]
    problems.extend(f"the wheel has {name}" for name in foreign)
    return "warpsafe/lib/warpsafe/libwarpsafe_watch_cuda.so" in names


def check_glibc(wheel):
    """The libraries need no newer glibc than the tag and the page say, and no other library."""
    oldest = re.search(r'"--glibc", default="([\d.]+)"', (source / "packaging/python/build").read_text())[1]
    page = (source / "tools/run/docs/run.md").read_text()
    expect("tools/run/docs/run.md", page, f"glibc {oldest}")
    expect("the wheel's tag", wheel.name, f"manylinux_{oldest.replace('.', '_')}_")
    unpacked = folder / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    zipfile.ZipFile(wheel).extractall(unpacked)
    for library in [*unpacked.rglob("*.so"), *unpacked.rglob("warpsafe-faults"), *unpacked.rglob("warpsafe-rerun")]:
        needs = re.findall(r"\bGLIBC_([\d.]+)", must("readelf", "--version-info", "--wide", library))
        newest = max(needs, key=lambda text: [int(part) for part in text.split(".")])
        if [int(part) for part in newest.split(".")] > [int(part) for part in oldest.split(".")]:
            problems.append(f"{library.name} needs glibc {newest}, and the page says {oldest}")
        linked = re.findall(r"NEEDED.*\[(.*?)\]", must("readelf", "--dynamic", "--wide", library))
        other = [name for name in linked if not re.match(r"(libc|libdl|libm|libpthread|librt|ld-linux.*)\.so", name)]
        problems.extend(f"{library.name} links {name}" for name in other)


def check_lint():
    # The compiler's own headers must be found too, for <cstdlib>.
    (folder / "mistake.cpp").write_text('#include <cstdlib>\nvoid f() {\n  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);\n}\n')
    said = run(user / "warpsafe-lint", "--rows=G01", "mistake.cpp", cwd=folder).stdout
    if not release and "is not installed" in said:
        expect("warpsafe-lint without libclang", said, "pip install 'libclang==18.*' 'clang-tidy==18.*'")
    else:
        expect("warpsafe-lint", said, "mistake.cpp:3:3: warning: ", "[G01]")


def check_ranks(watches_cuda):
    said = run(user / "warpsafe-ranks", folder / "nowhere")
    if said.returncode != 2:
        problems.append(f"warpsafe-ranks of no folder ends with {said.returncode}")
    expect("warpsafe-ranks", said.stdout, "is not a folder")
    if watches_cuda:
        said = run(user / "warpsafe-run", "--cuda", "--ranks", folder / "records", "sh", "-c", "echo $WARPSAFE_RANKS $LD_PRELOAD")
        expect("warpsafe-run --ranks", said.stdout, f"{folder / 'records'} ", "libwarpsafe_ranks_nccl.so")
        if "cannot be preloaded" in said.stdout:
            problems.append(f"warpsafe-run --ranks: {said.stdout}")


def check_run(watches_cuda):
    watch = build / "tests" / "watch"
    packages = pathlib.Path(must(user / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    shutil.rmtree(packages / "nvidia", ignore_errors=True)
    script = (source / "tools/run/warpsafe-run.in").read_text()
    with_value = re.search(r"^    (--kernel \|.*)\)$", script, re.M)[1].split(" | ")
    known = must(user / "python", "-c", "from warpsafe import commands; print(*commands.WITH_VALUE)").split()
    if sorted(known) != sorted(with_value):
        problems.append(f"commands.py knows the options with a value {known}, and warpsafe-run.in has {with_value}")
    said = run(user / "warpsafe-run", "sh", "-c", "echo of the program; exit 3")
    if not watches_cuda:
        expect("warpsafe-run without libraries", said.stdout, "built without CUDA's and HIP's headers")
        return
    expect("warpsafe-run", said.stdout, "of the program\n")
    expect("warpsafe-run-report", run(user / "warpsafe-run-report").stdout, "Makes a page or a SARIF file")
    finders = "import sys, warpsafe.pools; print([type(one).__name__ for one in sys.meta_path])"
    expect("warpsafe-run --races", must(user / "warpsafe-run", "--cuda", "--races", user / "python", "-c", finders), "'Finder'")
    if said.returncode != 3:
        problems.append(f"warpsafe-run ends with {said.returncode}, and its program with 3")
    ignored = must(user / "warpsafe-run", "--cuda", "sh", "-c", "grep SigIgn /proc/$$/status")
    if int(re.search(r"SigIgn:\s*([0-9a-f]+)", ignored)[1], 16) & (1 << 12 | 1 << 24):  # SIGPIPE, SIGXFSZ
        problems.append(f"warpsafe-run's program ignores signals that Python ignores: {ignored}")
    if run(sys.executable, "-c", "import ctypes; ctypes.CDLL('libcuda.so.1')").returncode:
        expect("warpsafe-run without a driver", said.stdout, "libcuda.so.1, the library of NVIDIA's driver, is not found")
    program = watch / "watch_driver_program"
    if not program.exists() or not (watch / "cupti" / "libcupti.so.13").exists():
        must("cmake", "--build", build, "--target", "watch_driver_program", "watch_stand_in_cupti")
    # CUPTI is where NVIDIA's packages put it. The driver is older than the other file, which is no CUPTI.
    for place, name, stands_in in (("cu13", "libcupti.so.13", "cupti"), ("cu99", "libcupti.so.99", "driver")):
        (packages / "nvidia" / place / "lib").mkdir(parents=True)
        shutil.copy(next((watch / stands_in).glob("lib*.so.1*")), packages / "nvidia" / place / "lib" / name)
    said = run(user / "warpsafe-run", "--kernel", "axpy", program, "good", "grid_y", env=os.environ | {"LD_LIBRARY_PATH": str(watch / "driver")})
    expect("warpsafe-run --stop-at-fault with CUPTI from pip", must(user / "warpsafe-run", "--stop-at-fault", "echo", "of the program"), "of the program\n")
    expect("warpsafe-run with CUPTI from pip", said.stdout, "Kernel 'demo::axpy' not launched: grid.y 70000 invalid", "2 launches of 1 kernel, 1 refused")


def check_headers(watches_cuda):
    version = version_of_headers()
    expect("--version", must(user / "python", "-m", "warpsafe", "--version"), version)
    include, cmake, pools = must(user / "python", "-m", "warpsafe", "--include", "--cmake-dir", "--pools").split()
    if watches_cuda:
        must(compiler, "-fsyntax-only", pathlib.Path(pools) / "warpsafe_pool.h")
    (folder / "grid.cpp").write_text(
        '#include <warpsafe/dims/safe_grid.hpp>\n#include <cstdio>\nint main() {\n'
        '  const auto grid = warpsafe::SafeGrid<>::cover(1000, warpsafe::block<256>);\n  std::puts(grid ? "a grid" : "no grid");\n}\n')
    must(compiler, "-std=c++20", "-I", include, folder / "grid.cpp", "-o", folder / "grid")
    expect("a program with --include", must(folder / "grid"), "a grid\n")
    consumer = folder / "consumer"
    must("cmake", "--fresh", "-S", source / "tests/package/consumer", "-B", consumer, f"-Dwarpsafe_DIR={cmake}", f"-DCMAKE_CXX_COMPILER={compiler}",
         "-DPROGRAM=level.cpp", "-DCMAKE_BUILD_TYPE=Debug", "-DCOMPONENT=host")
    must("cmake", "--build", consumer)
    must(consumer / "consumer", "1")


def check_old_system(wheel):
    """The wheel in Debian 11, whose glibc is 2.31 and whose Python is 3.9: pip takes it, and its libraries load."""
    root = folder / "bullseye"
    if not shutil.which("mmdebstrap") or os.geteuid() != 0:
        pip_tools.skip("a root of Debian 11 needs mmdebstrap, and the user root")
    try:
        made = run("mmdebstrap", "--quiet", "--variant=minbase", "--include=python3,python3-venv", '--aptopt=Acquire::Check-Valid-Until "false"', "bullseye", root)
        if made.returncode:
            print(made.stdout)
            pip_tools.skip("mmdebstrap cannot make a root of Debian 11")
        shutil.copy(wheel, root / "root")
        said = must("chroot", root, "env", "-i", "PATH=/usr/bin:/bin", "sh", "-c", f"""set -e; cd /root
            python3 -m venv v; v/bin/pip install --no-index ./{wheel.name}
            v/bin/warpsafe-run sh -c 'echo of the program'; v/bin/warpsafe-lint no.cu || true
            v/bin/python -c 'import ctypes, glob
for file in glob.glob("/root/v/lib/python3*/site-packages/warpsafe/lib/warpsafe/*.so"):
    library = ctypes.CDLL(file)
    if "cuda" in file: library.InitializeInjection()'""")
        expect("the wheel in Debian 11", said, "of the program", "pip install 'libclang==18.*' 'clang-tidy==18.*'", "warpsafe: not watched: libcupti was not found")
    finally:
        subprocess.run(["rm", "-rf", "--one-file-system", root], check=True)


if sys.argv[5:] == ["old-system"]:
    wheels = sorted((folder / "dist").glob("*.whl"))
    if not wheels:
        pip_tools.skip("package.wheel_release has made no wheel")
    check_old_system(wheels[0])
    print("\n".join(problems) or f"{wheels[0].name} works in Debian 11")
    sys.exit(bool(problems))
programs = pip_tools.install(folder / "tools", "build", "scikit-build-core>=0.11")
wheel = make_wheel()
watches_cuda = check_content(wheel)
user = folder / "user" / "bin"
venv.create(folder / "user", with_pip=False, clear=True)
extra = re.findall(r'"([\w=.*-]+)"', re.search(r"^lint = (.*)$", (source / "pyproject.toml").read_text(), re.M)[1]) if release else []
if extra:
    must(*pip_tools.pip(programs, user / "python"), "install", "--quiet", *extra)
must(*pip_tools.pip(programs, user / "python"), "install", "--quiet", "--no-index", "--no-deps", wheel)
check_lint()
check_ranks(watches_cuda)
check_run(watches_cuda)
check_headers(watches_cuda)
if release:
    check_glibc(wheel)
    for mistakes in sorted((source / "tools/lint/tests/sources").iterdir()):
        done = run(user / "python", source / "tools/lint/tests/check.py", user / "warpsafe-lint", mistakes)
        if done.returncode not in (0, 77):
            problems.append(done.stdout)
print("\n".join(problems) or wheel.name)
sys.exit(1 if problems else 0)
