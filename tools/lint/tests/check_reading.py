#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks how warpsafe-lint finds a source's flags and headers: check_reading.py LINT

First the words of commands, as CMake's generators write them for nvcc, hipcc and clang++; then sources in trees, with and
without compile_commands.json. Exit code 77: libclang is not installed."""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from linter import Linter

linter = Linter(sys.argv[1])
from warpsafe_lint import commands, flags  # noqa: E402  (the linter puts its folder on the path)

problems = []


def expect(what, is_now, should_be):
    if is_now != should_be:
        problems.append(f"{what}: {is_now!r}, expected {should_be!r}")


def run(folder, *words):
    """A run whose findings show that a file was read: notes too, because most rows are notes by default."""
    return linter.run(*([] if any(word.startswith(("--rows", "--level")) for word in words) else ["--level=note"]), *words, cwd=folder)


RUNTIME = """#pragma once
enum cudaError_t { cudaSuccess };
extern "C" cudaError_t cudaGetLastError();
"""
SOURCE = """#include <api/runtime.h>
#include "beside.h"
void f() { cudaGetLastError(); }
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "more.rsp").write_text("-DMORE=\\\"text\\\" '-I/a b'\n")
    (folder / "all.rsp").write_text("-isystem=/s -I/i\n@more.rsp --define-macro=LONG -DSHORT\n")
    for what, words, kept in (
            ("CMake's Makefile generator", "-DX --options-file all.rsp -x cu -c a.cu",
             ["-DX", "-isystem", "/s", "-I", "/i", '-DMORE="text"', "-I", "/a b", "-DLONG", "-DSHORT"]),
            ("a response file", "@all.rsp", ["-isystem", "/s", "-I", "/i", '-DMORE="text"', "-I", "/a b", "-DLONG", "-DSHORT"]),
            ("-optf", "-optf more.rsp,more.rsp -std c++20", ['-DMORE="text"', "-I", "/a b"] * 2 + ["-std=c++20"]),
            ("the host compiler's options", "-Xcompiler=-fPIC,-DA -Xcompiler -I/b,-DB", ["-DA", "-I", "/b", "-DB"]),
            ("nvcc's long names", "--include-path /a --include-path=/b,/c --pre-include p.h --undefine-macro U",
             ["-I", "/a", "-I", "/b", "-I", "/c", "-include", "p.h", "-UU"]),
            ("clang's frontend", "-Xclang -include-pch -Xclang a.pch -Xclang -include -Xclang p.h -DX", ["-include", "p.h", "-DX"]),
            ("extended lambdas", "--extended-lambda -gencode arch=compute_90,code=sm_90", ["-D__CUDACC_EXTENDED_LAMBDA__"])):
        expect(what, commands.kept(words.split(" "), name, "nvcc"), kept)
    absent = []
    expect("a response file that is gone", commands.kept(["@gone.rsp", "-DX"], name, "nvcc", absent), ["-DX"])
    expect("its name", absent, [f"{name}/gone.rsp"])
    (folder / "loop.rsp").write_text("-DX @loop.rsp")
    expect("a response file that names itself", set(commands.kept(["@loop.rsp"], name, "nvcc")), {"-DX"})

    for what, file, text, compiler, words, language in (
            ("nvcc -x cu", "a.cpp", "", "nvcc", ["-x", "cu"], "cuda"), ("clang++ -x cuda", "a.cpp", "", "clang++", ["-x", "cuda"], "cuda"),
            ("clang++ -xhip", "a.cpp", "", "clang++", ["-xhip"], "hip"), ("hipcc", "a.cpp", "", "hipcc", [], "hip"),
            ("clang++ of a .cpp", "a.cpp", "int i;", "clang++", [], "c++"), ("a .cpp with a launch", "a.cpp", "k<<<1, 2>>>(p);", "", [], "cuda"),
            ("a header with HIP's calls", "a.h", "__global__ void k(); void f() { hipMalloc(p, 1); }", "", [], "hip"),
            ("a header with a kernel", "a.h", "__global__ void k();", "", [], "cuda"),
            ("a .cu of HIP", "a.cu", "#include <hip/hip_runtime.h>\n", "", [], "hip"),
            ("a .cu of both", "a.cu", "#include <hip/hip_runtime.h>\n#include <cuda_runtime.h>\n", "", [], "cuda")):
        expect(f"the language: {what}", flags.language_of(file, text, compiler, commands.language_in(words, compiler)), language)

    # A tree without a database: its folders are found, also where a header's folder holds a standard name.
    tree = folder / "tree"
    for place, text in {"LICENSE": "", "include/api/runtime.h": RUNTIME, "include/string.h": "#error the wrong string.h\n",
                        "src/part/a.cpp": "#include <string.h>\n#include <cstring>\n" + SOURCE, "lib/beside.h": "#if !defined FLAG || defined WRONG || defined __APPLE__\n#error wrong flags\n#endif\n",
                        "src/part/Makefile": "CXXFLAGS += -DFLAG=1 -O3 -D__APPLE__\n# -DWRONG\n", "src/part/b.cpp": '#include "no/such.h"\n#include "nor_this.h"\n' + SOURCE,
                        "src/part/clean.h": "int i;\n"}.items():
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).write_text(text)
    done = run(tree, "src/part/a.cpp")
    expect("a tree without a database", (done.returncode, "[D03]" in done.stdout, done.stderr), (1, True, ""))
    done = run(tree, "src/part/b.cpp")
    expect("a header that is not found", (done.returncode, done.stderr.count("\n"), "not find no/such.h, included at" in done.stderr,
                                          ", and not nor_this.h; name" in done.stderr, "[D03]" in done.stdout), (2, 1, True, True, True))
    expect("--ignore-unread", run(tree, "--ignore-unread", "src/part/b.cpp").returncode, 1)

    # A forced header of which the program's compiler made a precompiled one.
    (tree / "src/forced.h").write_text("#define FORCED\n")
    (tree / "src/new.cpp").write_text("#ifndef FORCED\n#error not forced\n#endif\n")
    for ending in ("pch", "gch"):
        precompiled = tree / f"src/forced.h.{ending}"
        precompiled.write_text("of another compiler")
        done = run(tree, "src/new.cpp", "--", "-include", "src/forced.h")
        expect(f"a precompiled header: {ending}", (done.returncode, done.stderr), (0, ""))
        precompiled.unlink()

    # The standard that the nearest build file names.
    (tree / "src/new.cpp").write_text("#if __cplusplus < 202002L\n#error too old\n#endif\n")
    expect("the tool's own standard", "too old" in run(tree, "src/new.cpp").stderr, True)
    for text, told in (("set(CMAKE_CXX_STANDARD 20)\n", False), ("target_compile_features(a PUBLIC cxx_std_20)\n", False), ("# set(CMAKE_CXX_STANDARD 20)\n", True),
                       ("set(CMAKE_CUDA_STANDARD 11)\n", True), ("add_compile_options(-std=c++20)\n", False)):
        (tree / "CMakeLists.txt").write_text(text)
        expect(f"a standard: {text}", "too old" in run(tree, "src/new.cpp").stderr, told)
    (tree / "CMakeLists.txt").unlink()
    (tree / "src/new.cpp").unlink()

    # A build file elsewhere in the tree, if it compiles for a GPU. Its macros are for the files that it names.
    (tree / "out-cuda").mkdir()
    for text, old, macro in (("NVCC = nvcc\nF = -std=c++20 -DOURS\nnew.o:\n\tnvcc new.cpp\n", False, True), ("F = -std=c++20 -DOURS\nnew.o: new.cpp\n", True, False),
                             ("F = -std=c++20 -DOURS\nother.o:\n\tnvcc other.cpp\n", False, False)):
        (tree / "out-cuda/Makefile").write_text(text)
        (tree / "src/new.cpp").write_text("#if __cplusplus < 202002L\n#error too old\n#endif\n#ifndef OURS\n#error not ours\n#endif\n")
        said = run(tree, "src/new.cpp").stderr
        expect(f"a build file elsewhere: {text}", ("too old" in said, "too old" not in said and "not ours" not in said), (old, macro))
    (tree / "out-cuda/Makefile").unlink()
    (tree / "out-cuda").rmdir()
    (tree / "src/new.cpp").unlink()

    # The macros of build files: none under a condition, but those of an option that is on and those that turn the GPU on.
    (tree / "src/new.cpp").write_text("#if !defined ALL || LEVEL != 3 || !defined TARGET || !defined PART || !defined USE_GPU || defined SOME || defined TEXT || "
                                      "defined OFF || defined ELSE\n#error wrong macros\n#endif\n")
    cmake = ("add_definitions(-DALL /DLEVEL=3) # -DSOME\noption(FAST \"a text\" ON)\noption(SLOW \"a text\" OFF)\nif(FAST)\n  add_compile_definitions(PART TEXT=\"a b\")\n"
             "else()\n  add_definitions(-DELSE)\nendif()\nif(SLOW AND X)\n  add_definitions(-DOFF -DUSE_GPU)\nendif()\n")
    (tree / "CMakeLists.txt").write_text(cmake + "target_compile_definitions(program PRIVATE SOME)\n")
    (tree / "src/CMakeLists.txt").write_text("target_compile_definitions(part PRIVATE TARGET)\n")
    expect("the macros of CMakeLists.txt", run(tree, "src/new.cpp").stderr, "")
    (tree / "CMakeLists.txt").unlink()
    (tree / "src/CMakeLists.txt").write_text("")
    (tree / "src/Makefile").write_text("F = -DALL -DLEVEL=3 -DTARGET -DPART -DTEXT=\\\"a\\\"\nifeq ($(X), 1)\nF += -DSOME -DUSE_GPU\nelse\nF += -DELSE\nendif\n")
    expect("the macros of a Makefile", run(tree, "src/new.cpp").stderr, "")
    for name in ("CMakeLists.txt", "Makefile", "new.cpp"):
        (tree / "src" / name).unlink()

    # A macro whose value is a variable of the Makefile.
    (tree / "src/Makefile").write_text("TYPE := float\nSIZE = 3\nSIZE += 4\nx:\n\tnvcc -DTYPE='$(TYPE)' -DSIZE=$(SIZE) -DOTHER=$(NONE)\n")
    (tree / "src/new.cpp").write_text("#ifdef OTHER\n#error another macro\n#endif\nTYPE a[SIZE];\nstatic_assert(sizeof a == 12);\nint i = no;\n")
    said = run(tree, "src/new.cpp").stderr
    expect("a macro whose value is a variable", ("1 error," in said, "'no'" in said), (True, True))
    (tree / "src/Makefile").unlink()

    # Macros that turn the GPU on, if the source cannot be read without them.
    (tree / "src/with.h").write_text("#if defined(USE_CUDA) && !defined(NO)\nstruct OnGpu {};\n#endif\n#ifdef HAVE_GPU\n#define WRONG\n#endif\n")
    for text, errors in (("OnGpu a;\n", 0), ("#ifdef USE_CUDA\n#error the macro is not needed\n#endif\n", 0), ("OnGpu a;\nint i = no;\n", 1), ("int i = no;\n", 1)):
        (tree / "src/new.cpp").write_text('#include "with.h"\n' + text)
        said = run(tree, "src/new.cpp").stderr
        expect(f"a macro that turns the GPU on: {text}", "1 error," in said if errors else said, True if errors else "")
    (tree / "src/with.h").unlink()

    # Of two headers of one name the nearer one, also if another header's folder has the farther one; but first what a build file names.
    for place, text in {"lib/far/first.h": "", "lib/far/both.h": "#error the farther one\n", "src/near/both.h": "#define NEAR\n", "src/part/both.cpp": "#include <first.h>\n#include <both.h>\n"}.items():
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        (tree / place).write_text(text)
    expect("the nearer of two headers", run(tree, "src/part/both.cpp").stderr, "")
    (tree / "src/Makefile").write_text("x:\n\tnvcc -I../lib/far\n")
    expect("the header of a build file", "the farther one" in run(tree, "src/part/both.cpp").stderr, True)
    (tree / "src/Makefile").unlink()
    (tree / "src/new.cpp").unlink()

    # A part of another file is read there. OpenMP's header is found on a machine that has no clang's.
    (tree / "src/whole.cpp").write_text('#include <omp.h>\n#include <api/runtime.h>\nconstexpr int first = 1;\n#include "part.inl"\n')
    (tree / "src/part.inl").write_text("void f() {\n  cudaGetLastError();\n  const int i = first + omp_get_thread_num();\n}\n")
    (tree / "src/deep").mkdir()
    (tree / "src/deep/outer.cpp").write_text('#include <api/runtime.h>\nconstexpr int second = 1;\n#include "../between.h"\n')
    (tree / "src/between.h").write_text('#include "deep/inner.h"\n')
    (tree / "src/deep/inner.h").write_text("inline int h() {\n  cudaGetLastError();\n  return second;\n}\n")
    for file, line in (("src/part.inl", 2), ("src/whole.cpp", 0), ("src/deep/inner.h", 2)):
        done = run(tree, file)
        expect(f"a part of another file: {file}", (done.returncode, f"{file}:{line}:" in done.stdout, done.stderr), (int(line > 0), line > 0, ""))

    # The header that the including file lacks is the reason for both. An error in another file's function leaves this file whole.
    (tree / "src/whole.cpp").write_text('#include "absent.h"\n#include "part.inl"\n')
    expect("a part of a file that lacks a header", "not find absent.h" in run(tree, "src/part.inl").stderr, True)
    (tree / "src/broken.h").write_text("struct A {};\ninline int broken(A a) {\n  return a;\n}\n")
    (tree / "src/whole.cpp").write_text('#include "broken.h"\nint i = 1;\n')
    expect("an error in another file's function", run(tree, "src/whole.cpp").stderr, "")
    for header, source in (("struct A {};\nint i = A();\n", "int j = 1;\n"), ("struct A {};\n", "int g(A a) {\n  return a;\n}\n"), ('#include "absent.h"\n', "")):
        (tree / "src/broken.h").write_text(header)
        (tree / "src/whole.cpp").write_text('#include "broken.h"\n' + source)
        expect(f"an error outside of it: {header}", "not read completely" in run(tree, "src/whole.cpp").stderr, True)
    for name in ("whole.cpp", "broken.h"):
        (tree / "src" / name).unlink()
    # Names as Windows takes them, with `\\` and in other letters; also in a header, and one that the tree does not have.
    (tree / "src/Parts").mkdir()
    (tree / "src/Parts/Types.h").write_text("#pragma once\nstruct Type {};\n")
    (tree / "src/outer.h").write_text('#pragma once\n#include "parts\\types.h"\n')
    for text, said in (('#include "Parts\\Types.h"\nType t;\n', ""), ('#include "outer.h"\nType t;\n', ""), ("#include <parts/TYPES.h>\nType t;\n", ""),
                       ('#include "..\\src\\Parts\\Types.h"\nType t;\n', ""), ('#include "Parts\\Absent.h"\n', "not find Parts/Absent.h")):
        (tree / "src/new.cpp").write_text(text)
        expect(f"a name of Windows: {text}", (said or "completely") in run(tree, "src/new.cpp").stderr, said != "")
    (tree / "src/version.h.in").write_text("#define @NAME@_PATCH @PATCH@\n#define WHOLE_@NAME@ @MAJOR@\n#define MINOR @MINOR@\n")
    (tree / "src/new.cpp").write_text('#include "version.h"\nint minor = MINOR;\n')
    expect("a template with names", run(tree, "src/new.cpp").stderr, "")
    for name in ("new.cpp", "outer.h", "version.h.in", "Parts/Types.h"):
        (tree / "src" / name).unlink()
    (tree / "src/Parts").rmdir()
    # A run over a tree leaves out other libraries and what a build made, unless it names them.
    for place, made in (("third_party/a", ""), ("lib3/_deps", ""), ("3rd", ""), ("cub-1.8.0", ""), ("made", "CMakeCache.txt"), ("own", ""), ("eigen", "")):
        (tree / "src" / place).mkdir(parents=True)
        (tree / "src" / place / "a.cu").write_text("not C++\n")
        if made:
            (tree / "src" / place / made).write_text("")
        expect(f"a folder of another library: {place}", "not C++" in run(tree, "src").stderr or "not read" in run(tree, "src").stderr, place in ("own", "eigen"))
        expect(f"the same, named: {place}", "not read" in run(tree, f"src/{place}").stderr, True)
        shutil.rmtree(tree / "src" / place.split("/")[0])
    # CMake's own files are none of the program's.
    (tree / "src/CMakeFiles").mkdir()
    (tree / "src/CMakeFiles/a.cu").write_text("not C++\n")
    expect("CMake's own files", "src: no source to check" in run(tree, "src").stderr, True)
    (tree / "src/CMakeFiles/a.cu").unlink()
    (tree / "src/CMakeFiles").rmdir()

    # A database: a launcher before the compiler, a response file, a header without an entry of its own.
    (tree / "out").mkdir()
    (tree / "out/a.rsp").write_text("-I../include -I../lib\n")
    (tree / "out/compile_commands.json").write_text(json.dumps(
        [{"directory": f"{tree}/out", "file": "../src/part/a.cpp", "command": "CCACHE_DIR=/x ccache g++ -DFLAG @a.rsp -c ../src/part/a.cpp"}]))
    (tree / "lib/only.h").write_text("#ifndef FLAG\n#error no flag\n#endif\n" + SOURCE)
    (tree / "src/part/Makefile").unlink()
    (tree / "include/string.h").unlink()
    for file in ("src/part/a.cpp", "lib/only.h"):
        done = run(tree, file)
        expect(f"{file} of a database", (done.returncode, "[D03]" in done.stdout, done.stderr), (1, True, ""))
    # CUDA's flags lead HIP's headers to NVIDIA's platform, so a HIP file does not take them.
    database = tree / "out/compile_commands.json"
    own = database.read_text()
    database.write_text(json.dumps([{"directory": f"{tree}/out", "file": "../src/part/a.cu", "command": "nvcc -DFOREIGN -c ../src/part/a.cu"}]))
    (tree / "src/part/other.hip").write_text("#ifdef FOREIGN\n#error flags of another language\n#endif\nint x;\n")
    done = run(tree, "src/part/other.hip")
    expect("a .hip beside the entry of a .cu", "another language" in done.stderr, False)
    (tree / "src/part/other.hip").unlink()
    database.write_text(own)
    done = run(tree, "src")
    expect("a folder has no source without device code", (done.returncode, done.stdout, "src: no source to check" in done.stderr), (2, "", True))

    # Device code in a .cpp and in a .h, and a placement new and an atomic operation that only nvcc knows.
    kernel = ("#include <cuda_runtime.h>\n#include <new>\n__global__ void k(int* p) {\n  new (p) int(1);\n"
              "  p[1] = __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED);\n}\ninline void f(int* p) { k<<<1, 2048>>>(p); }\n")
    # What nvcc takes and clang refuses: names of the device that the host view declares, and a template's member without `template`.
    kernel += "#ifndef __CUDA_ARCH__\nextern const dim3 blockDim;\n#endif\n"
    kernel += "template <class T>\nstruct M {\n  operator float();\n};\ninline M<int>::operator float() { return 1; }\n"
    kernel += "template <class T>\nstruct S {\n  T* part();\n  void h() { int* p = part()->value<int>(); }\n};\n"
    kernel += ("template <class T>\n__global__ void aligned(T* p) {\n  __shared__ alignas(alignof(double2)) T tile[4];\n"
               "  if (p != nullptr) aligned<T><<<1, 32>>>(p);\n  tile[0] = p[0];\n}\n"
               "inline void g(float* p) {\n  aligned<float><<<{1, 2}, {16, 2, 1}>>>(p);\n  aligned<float> << < dim3(1), 4096 >> > (p);\n  if (isfinite(1.0F)) cudaThreadSynchronize();\n}\n")
    (tree / "src/kernel.h").write_text("#pragma once\n" + kernel)
    # Names and headers that CUDA 13 took out of Thrust and CUB, clusters, a function that clang has built in, and headers that nvcc includes.
    kernel += ("#include <cooperative_groups.h>\n#include <cub/cub.cuh>\n#include <thrust/functional.h>\n"
               "static unsigned long long inline __rdtsc() { return 1; }\nstd::function<int(int)> called;\nauto several = std::make_tuple(1, 2);\n"
               "struct twice : thrust::unary_function<int, int> { __host__ __device__ int operator()(int i) const { return i + i; } };\n"
               "__global__ void cluster(int* p) { p[0] = cub::Max()(p[1], int(cooperative_groups::this_cluster().block_rank())); }\n"
               "inline void j(int* p, size_t n, const int (&archs)[3] = {__CUDA_ARCH_LIST__}) {\n"
               "  cub::TransformInputIterator<int, twice, int*> doubled(p, twice());\n  cub::DeviceReduce::Reduce(nullptr, n, doubled, p, 5, cub::Sum(), 1);\n"
               "  cluster<< <1, 2048>> >\n    (p);\n}\n")
    kernel += "".join(f"#include <cub/iterator/{name}_iterator.cuh>\n" for name in ("discard_output", "constant_input", "counting_input", "transform_input"))
    kernel += ("int iterators(int* p) {\n  cub::DiscardOutputIterator<> d;\n  cub::CountingInputIterator<int> i(3);\n  cub::TransformInputIterator<int, twice, int*> t(p, twice());\n"
               "  return *cub::ConstantInputIterator<int>(3) + i[2] + *t;\n}\n")
    (tree / "src/kernel.cpp").write_text(kernel)
    done = run(tree, "--rows=B01", "src", "--", "-std=c++14")
    if "not find cuda_runtime.h" in done.stderr or "cannot find CUDA" in done.stderr:
        print("no CUDA toolkit here: device code in a .cpp is not read")
    else:
        expect("device code in a .cpp and a .h", (done.returncode, done.stdout.count("[B01]"), done.stderr), (1, 5, ""))

    # PyTorch's headers in an environment of Python, and the macros of its extensions.
    packages = folder / "venv/lib/python3.11/site-packages"
    (packages / "torch/include/torch/csrc/api/include/torch").mkdir(parents=True)
    (packages / "torch/include/torch/extension.h").parent.mkdir(exist_ok=True)
    (packages / "torch/include/torch/extension.h").write_text("#include <torch/all.h>\n#ifndef __CUDA_NO_HALF_OPERATORS__\n#error no macro\n#endif\n")
    (packages / "torch/include/torch/csrc/api/include/torch/all.h").write_text(RUNTIME)
    (tree / "src/extension.cpp").write_text("#include <torch/extension.h>\nvoid f() { cudaGetLastError(); }\n")
    os.environ["VIRTUAL_ENV"] = str(folder / "venv")
    done = run(tree, "src/extension.cpp")
    expect("a PyTorch extension", (done.returncode, "[D03]" in done.stdout, done.stderr), (1, True, ""))
    # Headers of its latest releases need C++20.
    (packages / "torch/include/torch/headeronly").mkdir()
    (packages / "torch/include/torch/headeronly/version.h").write_text("#define TORCH_VERSION_MAJOR 2\n")
    (packages / "torch/include/torch/csrc/api/include/torch/all.h").write_text("#if __cplusplus < 202002L\n#error too old\n#endif\n" + RUNTIME)
    expect("a PyTorch extension in C++20", run(tree, "src/extension.cpp").stderr, "")

    # The compiler drops a macro that a missing header defines: what is inside of it is no statement.
    unknown = folder / "unknown"
    unknown.mkdir()
    (unknown / "LICENSE").write_text("")
    (unknown / "api.h").write_text(RUNTIME + 'extern "C" cudaError_t cudaFree(void*);\n')
    (unknown / "a.cpp").write_text('#include "api.h"\n#include "absent.h"\n#define TWICE(x) CHECK(x); CHECK(x)\ncudaError_t frees(void* p) { return cudaFree(p); }\n'
                                   "void f(void* p) {\n  CHECK(cudaGetLastError());\n  CHECK( /* late */ cudaGetLastError() );\n"
                                   "  TWICE(cudaGetLastError());\n  CHECK(frees(p));\n  if (p) cudaGetLastError();\n  cudaGetLastError();\n  frees(p);\n"
                                   '  const char* place = "a//b"; cudaGetLastError();\n}\n')
    done = run(unknown, "--json", "a.cpp")
    expect("a check by an unknown macro", [(place["line"], item["row"]) for item in json.loads(done.stdout) for place in (item, *item["also"])],
           [(10, "D03"), (11, "D03"), (13, "D03"), (12, "D08")])

    # Headers that the build makes from templates. Macros that turn the GPU on are set, others are not.
    built = folder / "built"
    for place, text in {"LICENSE": "", "external/lib/config.h": "CC = gcc\n", "config.h.in": "#undef HAVE_CUDA\n#undef HAVE_MPI\n",
                        "cmake/version.hpp.in": '#cmakedefine01 WITH_X\n#cmakedefine01 WITH_GPU\n#cmakedefine HAVE_MPI\n#define MAJOR @MAJOR@\n#define TEXT "@TEXT@"\n',
                        "src/a.cpp": '#include "config.h"\n#include "api/version.hpp"\n#if !defined(HAVE_CUDA) || defined(HAVE_MPI) || WITH_X || !WITH_GPU\n#error\n#endif\n'
                                     "const char* text = TEXT;\nint number = MAJOR;\n", "src/b.cpp": '#include "other.h"\n'}.items():
        (built / place).parent.mkdir(parents=True, exist_ok=True)
        (built / place).write_text(text)
    expect("headers from templates", run(built, "src/a.cpp").stderr, "")
    expect("a header without a template", "does not find other.h" in run(built, "src/b.cpp").stderr, True)

    # nvcc needs no comma between the operands of an asm statement.
    (unknown / "b.cpp").write_text('void f(int a, int b) {\n  asm volatile("nop" : : "r"(a) "r"(b));\n}\n')
    expect("an asm statement without a comma", run(unknown, "b.cpp").stderr, "")
    (unknown / "b.cpp").write_text("void g(int);\nvoid f(int a) {\n  g((a);\n}\n")
    expect("a bracket that is missing", "expected ')'" in run(unknown, "b.cpp").stderr, True)

    # A launch that a function of another file checks. The index of the tree follows its files.
    cache = folder / "cache"
    os.environ["XDG_CACHE_HOME"] = str(cache)
    apart = folder / "apart"
    kernel = "#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\nvoid start(int* p) { k<<<1, 1>>>(p); }\n"
    caller = "#include <cuda_runtime.h>\nvoid start(int* p);\nvoid look(cudaError_t);\n#define ASK() look(cudaGetLastError())\n"
    for place, text in {"LICENSE": "", "a/start.cu": kernel, "b/main.cpp": caller + "int main() {\n  start(nullptr);\n  ASK();\n}\n"}.items():
        (apart / place).parent.mkdir(parents=True, exist_ok=True)
        (apart / place).write_text(text)
    done = run(apart, "--rows=D01", "a/start.cu")
    if "not find cuda_runtime.h" in done.stderr or "cannot find CUDA" in done.stderr:
        print("no CUDA toolkit here: a check in another file is not tried")
    else:
        expect("a check in another file", (done.returncode, done.stdout), (0, ""))
        expect("the index is kept", len(list((cache / "warpsafe-lint").glob("*.json"))), 1)
        (apart / "b/main.cpp").write_text(caller + "int main() {\n  start(nullptr);\n}\n")
        expect("a check that is gone", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), 1)
        (apart / "b/main.cpp").write_text(caller + "int main() {\n  ASK();\n  start(nullptr);\n}\n")
        expect("a check before the call", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), 1)
        # A check of a library's header that is not there counts by its name, if no file of the tree defines it.
        for after, count in (("C10_CUDA_KERNEL_LAUNCH_CHECK();", 0), ('getLastCudaError("start");', 0), ("CHECK_ELASTIC();", 1), ("TORCH_CHECK(true);", 1),
                             ("} void getLastCudaError() { look(cudaSuccess);", 1)):
            (apart / "b/main.cpp").write_text(caller + f"int main() {{\n  start(nullptr);\n  {after}\n}}\n")
            expect(f"a check by its name: {after}", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), count)
        (apart / "a/start.cu").write_text(kernel + "int main()\n{ start(nullptr); }\n")
        (apart / "b/main.cpp").write_text(caller + "int\nmain\n()\n{\n  start(nullptr);\n  ASK();\n}\n")
        expect("another program's main", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), 1)
        # The caller of the caller checks, each in a file of its own; then one of two does not; then a loop checks in the next turn.
        (apart / "a/start.cu").write_text(kernel + "void part(int* p)\n{\n  start(p);\n}\n")
        (apart / "b/between.cpp").write_text('void part(int* p);\nextern "C" void between(int* p)\n{\n  part(p);\n}\n')
        for what, text, count in (("far", "int main()\n{\n  between(nullptr);\n  ASK();\n}\n", 0), ("no", "int main()\n{\n  between(nullptr);\n}\n", 1),
                                  ("one of two", "void a()\n{\n  between(nullptr);\n}\nvoid b()\n{\n  between(nullptr);\n  ASK();\n}\n", 1),
                                  ("early", "int main()\n{\n  ASK();\n  between(nullptr);\n}\n", 1),
                                  ("early, in a loop", "int main()\n{\n  while (true) {\n    ASK();\n    between(nullptr);\n  }\n}\n", 0)):
            (apart / "b/main.cpp").write_text(caller.replace("start", "between") + text)
            expect(f"a check of the caller's caller: {what}", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), count)
        # A declaration is no call, in a header or as an instance of a template; a call in a header is one.
        (apart / "b/main.cpp").write_text(caller.replace("start", "between") + "int main()\n{\n  between(nullptr);\n  ASK();\n}\n")
        for text, count in (('extern "C" void between(int* p);\nstd::vector<int>\npart(int* p);\n', 0), ("template <class T> void part(T* p);\n", 0),
                            ("template void part<int>(int* p);\n", 0), ("class C {\n  virtual void part(int* p) const;\n};\n", 0),
                            ("inline void c(int* p)\n{\n  part<int>(p);\n}\n", 1), ("inline int c(int* p)\n{\n  return part(p);\n}\n", 1)):
            (apart / "b/api.h").write_text(text)
            expect(f"a declaration or a call: {text}", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), count)
        # Functions of one line, overloads, and members in a class, each between the launch and the check.
        (apart / "b/between.cpp").unlink()
        looks = "void last(int* p)\n{\n  between(p);\n  ASK();\n}\n"
        for text, count in (("void between(int* p) { part(p); }\nvoid between(long* p) { other(p); }\n", 0),
                            ("void between(int* p) { part(p); }\nvoid other() { more(); }\nvoid third() { more(); }\nstruct End {\n};\n", 0),
                            ("struct C {\n  void between(int* p) { part(p); }\n  void other() { more(); }\n};\n", 0),
                            ("void between(int* p)\n{\n  if constexpr (true) {\n    part(p);\n  }\n}\n", 0),
                            ("#define ASK_HERE look(cudaGetLastError())\nvoid other(int* p)\n{\n  part(p);\n  ASK_HERE;\n}\n", 0),
                            ("void between(int* p) { puts(\"}{\"); part(p); }\nvoid other() { more(); }\n", 0),
                            ("void between(int* p) { part(p); }\nvoid other(int* p) { part(p); }\n", 1)):
            (apart / "b/api.h").write_text(text)
            (apart / "b/main.cpp").write_text(caller.replace("start", "between") + looks)
            expect(f"callers in one header: {text}", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), count)
        (apart / "b/api.h").unlink()
        # A function of the same name in another part of the tree, and an overload that calls the function.
        (apart / "a/start.h").write_text("void start(int* p);\n")
        (apart / "a/start.cu").write_text(kernel.replace("void start", '#include "start.h"\nvoid start'))
        (apart / "b/main.cpp").write_text(caller.replace("void start(int* p);\n", '#include "../a/start.h"\n') +
                                          "void start(long* p)\n{\n  start(nullptr);\n  ASK();\n}\n")
        for text, count in (("struct Other {\n  void start(int* p);\n};\nvoid use(Other& o)\n{\n  o.start(nullptr);\n}\n", 0),
                            ('#include "between.h"\nvoid use()\n{\n  start(nullptr);\n}\n', 1)):
            (apart / "b/between.h").write_text('#include "../a/start.h"\n')
            (apart / "b/other.cpp").write_text(text)
            expect(f"a function of the same name: {text}", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), count)
        for name in ("a/start.h", "b/between.h", "b/other.cpp"):
            (apart / name).unlink()
        # A lambda that its own function calls is no argument of a call.
        for text in ("auto run = [&] { k<<<1, 1>>>(p); };\n  run();", "[&] { k<<<1, 1>>>(p); }();", "[&](int n) { k<<<n, 1>>>(p); }(1);"):
            (apart / "a/own.cu").write_text(kernel.split("void")[0] + "void k(int* p) { *p = 1; }\nvoid own(int* p) {\n  " + text + "\n}\n")
            expect(f"a launch in a lambda: {text}", run(apart, "--rows=D01", "a/own.cu").stdout.count("[D01]"), 1)
        (apart / "a/own.cu").unlink()
        # A launch whose constants every device accepts. A block of more than 256 threads may exceed the registers.
        for shape, warned in (("1, 32", 0), ("2, 1", 0), ("1, dim3(1, 1, 64)", 0), ("100, 256", 0), ("dim3(8, 65535), 256", 0), ("1, 1024", 0), ("1, 64, 512", 0), ("1, 64, 50000", 1), ("1, 16, n", 0),
                              ("1, 1025", 1), ("dim3(8, 65536), 256", 1), ("1, n", 1), ("n, 32", 0)):
            (apart / "a/own.cu").write_text(kernel.split("void start")[0] + f"void own(int* p, int n) {{ k<<<{shape}>>>(p); }}\n")
            expect(f"a launch <<<{shape}>>>", len(re.findall(r"\[[ABD]\d\d\]", run(apart, "--rows=D01,A11,A19,B01", "--level=warning", "a/own.cu").stdout)), warned)
        # Where the tree itself defines the vendor's functions, the host may be the device. A wrapper's macro defines none.
        for other, severity in (("cudaError_t cudaMalloc(void** p, size_t n) {\n  *p = malloc(n);\n  return cudaSuccess;\n}\n", "note"),
                                ("#define cudaMalloc(p, n) other(p, n)\n", "error"), ("cudaError_t cudaMalloc(void** p, size_t n);\n", "error")):
            (apart / "a/own.cu").write_text("#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\nvoid own() { int n[9]; k<<<1, 1>>>(n); }\n")
            (apart / "b/other.cpp").write_text(other)
            expect(f"host memory beside {other}", [item["severity"] for item in json.loads(run(apart, "--rows=C04", "--json", "a/own.cu").stdout)], [severity])
        (apart / "b/other.cpp").unlink()
        # The compiler drops an assignment with a name of a missing header; the variable then has no constant value.
        for text, rows in (("int n = 1; n *= library::size(); k<<<n / 4, 32>>>(p);", []), ('int n = 1; if (*"//") n *= library::size(); k<<<n / 4, 32>>>(p);', []),
                           ("int n = 1; const int m = 1; k<<<m / 4, 32>>>(p);", ["A04"]),
                           ("int n = 1; k<<<n / 4, 32>>>(p);", ["A04"])):
            (apart / "a/own.cu").write_text('#include "library.h"\n#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\n'
                                            f"void own(int* p) {{\n  {text.replace('; ', ';' + chr(10))}\n}}\n")
            expect(f"a value beside a missing header: {text}", [item["row"] for item in json.loads(run(apart, "--rows=A04", "--json", "a/own.cu").stdout)], rows)
        # A function may check the sizes itself.
        for ask, warned in (("checkDims(g, n);", 0), ("checkDims(g, 1);", 1), ("prints(g, n);", 1)):
            (apart / "a/own.cu").write_text("#include <cuda_runtime.h>\nvoid checkDims(int, int);\nvoid prints(int, int);\n__global__ void k(int* p) { *p = 1; }\n"
                                            f"void own(int* p, int g, int n) {{\n  {ask}\n  k<<<g, n * 2>>>(p);\n}}\n")
            expect(f"a launch after {ask}", run(apart, "--rows=D01", "--level=warning", "a/own.cu").stdout.count("[D01]"), warned)
        # Sizes that no count makes too large are a note, also where the program checks no call.
        kernels = ("#include <cuda_runtime.h>\n#include <cmath>\ntemplate <int B> __launch_bounds__(B) __global__ void b(float* p) { float a[9]; *p = a[*(int*)p]; }\n"
                   "__global__ void k(float* p) { *p = 1; }\nint blocks(int n) { return (n + 255) / 256; }\nstruct Image { size_t width, height, rows; };\n"
                   "int atoi(const char*);\nvoid own(float* p, int n, unsigned u, long w, Image i, dim3 t, int batch, Image src, char* text) {\n  ")
        for launch, warned in (("k<<<(n + 255) / 256, 256>>>(p)", 0),
                                     ("k<<<(w + 255) / 256, 256>>>(p)", 0), ("k<<<w / 32, 32>>>(p)", 0), ("int g = w; k<<<g, 32>>>(p)", 0),
                                     ("k<<<(int)w, 32>>>(p)", 0), ("k<<<dim3(1, blocks(i.height)), 256>>>(p)", 0),
                                     ("k<<<dim3(1, blocks(n)), 256>>>(p)", 0), ("int r = atoi(text); k<<<dim3(1, blocks(r)), 256>>>(p)", 1), ("k<<<(u - 1) / 256 + 1, 256>>>(p)", 0),
                                     ("k<<<u, 256>>>(p)", 0), ("k<<<blocks(n), 256>>>(p)", 0),
                                     ("k<<<ceil(n / 256.0), 256>>>(p)", 0), ("k<<<ceil(u / 2.5), 256>>>(p)", 0),
                                     ("k<<<ceil(w / 256.0), 256>>>(p)", 0), ("k<<<ceil(w / 2.0), 256>>>(p)", 0), ("k<<<n > 9 ? n / 4 : u, 256>>>(p)", 0),
                                     ("k<<<dim3(1, (n + 15) / 16), 256>>>(p)", 1), ("k<<<dim3(1, n % 100), 256>>>(p)", 0),
                                     ("k<<<dim3(1, n >> 16), 256>>>(p)", 0), ("k<<<dim3(1, n >> 14), 256>>>(p)", 0), ("int r = atoi(text); k<<<dim3(1, r >> 14), 256>>>(p)", 1), ("k<<<1, n / 64>>>(p)", 1), ("k<<<1, n / 512>>>(p)", 0),
                                     ("k<<<dim3(1, (i.height + 15) / 16), 256>>>(p)", 0), ("k<<<dim3(u, (n + 63) / 64), 256>>>(p)", 0), ("k<<<dim3(u, (n + 31) / 32), 256>>>(p)", 0), ("k<<<dim3(u, (n + 7) / 8), 256>>>(p)", 0), ("k<<<dim3(9, (n + 7) / 8), 256>>>(p)", 1),
                                     ("int r = atoi(text), g; g = (r + 63) / 64; k<<<dim3(u, g), 256>>>(p)", 0), ("int r = atoi(text), g; g = (r + 15) / 16; k<<<dim3(u, g), 256>>>(p)", 1),
                                     ("int r = atoi(text), g; g = 9; g = r; k<<<dim3(u, g), 256>>>(p)", 1), ("k<<<dim3(u, n), 256>>>(p)", 0),
                                     ("int r = atoi(text); k<<<dim3(u, w, r), 256>>>(p)", 0), ("int r = atoi(text); k<<<dim3(u, 4, r), 256>>>(p)", 1),
                                     ("int r = atoi(text); k<<<dim3(u, (r + 31) / 32), 256>>>(p)", 0), ("int r = atoi(text); k<<<dim3(u, (r + 15) / 16), 256>>>(p)", 1), ("int r = atoi(text); k<<<dim3(u, (r + 63) / 64), 256>>>(p)", 0),
                                     ("k<<<dim3(u, blocks(n * 9)), 256>>>(p)", 0), ("k<<<dim3(8, blocks(n * 9)), 256>>>(p)", 1), ("k<<<dim3(1, batch), 256>>>(p)", 0), ("int n_heads = w; k<<<1, 256, n_heads>>>(p)", 0), ("k<<<dim3(1, n), 256>>>(p)", 1), ("k<<<dim3(1, src.rows), 256>>>(p)", 0), ("k<<<dim3(1, (i.rows + 15) / 16), 256>>>(p)", 1),
                                     ("k<<<(n + 255) / 256, t>>>(p)", 0), ("k<<<(n + 255) / 256, 256, n>>>(p)", 0), ("int r = atoi(text); k<<<(n + 255) / 256, 256, r>>>(p)", 1), ("k<<<dim3(u, w, batch), 256>>>(p)", 0), ("k<<<dim3(u, n, w), 256>>>(p)", 0), ("int r = atoi(text); k<<<dim3(u, r, w), 256>>>(p)", 1), ("int r = atoi(text); k<<<dim3(u, r, 4), 256>>>(p)", 1),
                                     ("b<1024><<<(n - 1) / 1024 + 1, 1024>>>(p)", 0), ("b<512><<<(n - 1) / 1024 + 1, 1024>>>(p)", 1)):
            (apart / "a/own.cu").write_text(kernels + launch + ";\n}\n")
            expect(launch, run(apart, "--rows=D01", "--level=warning", "a/own.cu").stdout.count("[D01]"), warned)
        # What decides a size: what can grow without a limit is a warning, and what the tree does not show is a note.
        start = ("#include <cuda_runtime.h>\n#include <array>\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\nstruct Items { int size() const; int n; };\n__global__ void k(float* p) { *p = 1; }\n")
        member = "struct A {{\n  int {0};\n  A(int n, int t) : {0}({1}) {{ {2} }}\n  void own(float* p) {{ k<<<{3}>>>(p); }}\n}};\n"
        call = "struct Items {{ int size() const; }};\nvoid own(float* p, int n);\nvoid use(float* p, Items i, char** argv, int n) {{\n  {}\n}}\n"
        by_name, by_size = "void own(float* p, int n) {{ {} k<<<{}>>>(p); }}\n", "void own(float* p, Items i, char** argv, int t) {{ {} k<<<{}>>>(p); }}\n"
        for what, text, other, severity in (
                ("a member for threads", member.format("threads_", "t", "", "1, threads_"), "", "note"),
                ("a member that the constructor checks", member.format("n_", "n", "if (n_ > 1024) throw 1;", "1, n_"), "", "note"),
                ("a member that the constructor compares with 0", member.format("n_", "n", "if (n_ <= 0) throw 1;", "1, n_"), "", "warning"),
                ("a member that is a count", member.format("n_", "n", "", "1, n_"), "", "warning"),
                ("a member that is a constant", member.format("n_", "64", "", "1, n_"), "", "note"),
                ("a member from the input", member.format("threads_", 'std::atoi("9")', "", "1, threads_"), "", "warning"),
                ("a member for grid.y", member.format("n_", "n", "", "dim3(1, n_), 64"), "", "warning"),
                ("a member for blocks", member.format("blocks_", "t", "", "dim3(1, blocks_), 64"), "", "note"),
                ("a member for shared memory", member.format("n_", "n", "", "1, 64, n_ * 4"), "", "note"), ("a member for shared memory from the input", member.format("n_", 'std::atoi("9")', "", "1, 64, n_ * 4"), "", "warning"),
                ("a member for grid.x", member.format("n_", "n", "", "n_, 64"), "", "note"),
                ("a count", by_name.format("", "1, n"), "", "warning"), ("a product", by_name.format("", "1, 2 * n"), "", "warning"),
                ("a checked count", by_name.format("if (n > 1024) return;", "1, n"), "", "note"), ("a checked sign", by_name.format("if (n < 1) return;", "1, n"), "", "warning"),
                ("the head of a loop", by_name.format("for (int i = 2; i < n; ++i) p[i] = 0;", "1, n"), "", "warning"),
                ("threads", by_size.format("", "1, t"), "", "note"), ("a size", by_size.format("", "1, i.size()"), "", "warning"),
                ("an argument of the program", by_size.format("t = atoi(argv[1]);", "1, t"), "", "warning"), ("one of the standard input", "struct Input { Input& operator>>(int&); } in;\n" + by_size.format("int b = 0; in >> b;", "1, b"), "", "warning"), ("one that is read", by_size.format('int b; scanf("%d", &b);', "1, b"), "", "warning"),
                ("a half of it", by_size.format("int b = i.size() / 2;", "1, b"), "", "warning"), ("a choice", by_size.format("int b = i.n ? 64 : 2048;", "1, b"), "", "note"),
                ("a remainder", by_size.format("", "1, i.n % 2000"), "", "note"),
                ("a side of a square", by_name.format("", "dim3((n + 7) / 8, (n + 3) / 4), 32"), "", "note"), ("a square from the input", "void own(float* p, char** a) { int n = atoi(a[1]); k<<<dim3(n / 8, n / 8), 64>>>(p); }\n", "", "note"),
                ("two sides from the input", "void own(float* p, char** a) { int n = atoi(a[1]), m = atoi(a[2]); k<<<dim3(n / 8, m / 8), 64>>>(p); }\n", "", "warning"),
                ("a half of a square", "void own(float* p, char** a) { int n = atoi(a[1]); k<<<dim3(n / 8, 1 + n), 32>>>(p); }\n", "", "warning"),
                ("memory that a dropped call allows on some devices", by_name.format("cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 90000);", "1, 64, 90000"), "", "note"),
                ("memory that no device has", by_name.format("cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 900000);", "1, 64, 900000"), "", "warning"),
                ("a kernel for one size", "__global__ void one(float* p) { p[blockIdx.x * 128 + threadIdx.x] = 1; }\nvoid own(float* p, int n) { one<<<1, n>>>(p); }\n", "", "note"),
                ("a kernel for the block's size", "__global__ void each(float* p) { p[blockIdx.x * blockDim.x * 2 + threadIdx.x] = 1; }\nvoid own(float* p, int n) { each<<<1, n>>>(p); }\n", "", "warning"),
                ("a count in as many parts as it needs", "void own(float* p, int n) { int parts = (n + 1023) / 1024, t = (n + parts - 1) / parts; k<<<parts, t>>>(p); }\n", "", "note"),
                ("a count in parts", "void own(float* p, int n, int parts) { int t = (n + parts - 1) / parts; k<<<parts, t>>>(p); }\n", "", "note"),
                ("a count of the input in parts", "void own(float* p, char** a, int parts) { int n = atoi(a[1]), t = (n + parts - 1) / parts; k<<<parts, t>>>(p); }\n", "", "warning"),
                ("a block of the caller", "void own(float* p, dim3 blckSize) { k<<<1, blckSize>>>(p); }\n", "", "note"),
                ("a count that a branch bounds", "void own(float* p, int n, int m) { int all = n * m, t = 64; if (all < 64) t = all; k<<<1, t>>>(p); }\n", "", "note"),
                ("a count that no branch bounds", "void own(float* p, int n, int m) { int all = n * m, t = 64; if (all > 0) t = all; k<<<1, t>>>(p); }\n", "", "warning"),
                ("memory that a checked call allows", by_name.format("if (cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n)) return;", "1, 64, n"), "", "note"),
                ("memory that a dropped call allows", by_name.format("n = std::atoi(\"9\"); cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n);", "1, 64, n"), "", "warning"),
                ("a caller elsewhere with a number", by_name.format("", "1, n"), call.format("own(p, 64);"), "note"),
                ("callers elsewhere with numbers", by_name.format("", "1, n"), call.format("own(p, 64); own(p, 2048);"), "warning"),
                ("a caller elsewhere with a constant", by_name.format("", "1, n"), call.format("own(p, Some::N);"), "note"),
                ("a caller elsewhere with a size", by_name.format("", "1, n"), call.format("own(p, i.size());"), "warning"),
                ("a caller elsewhere with an argument", by_name.format("", "1, n"), call.format("int all = atoi(argv[1]); own(p, all);"), "warning"),
                ("a caller elsewhere with a constant variable", by_name.format("", "1, n"), call.format("int all = 4 * 32; own(p, all);"), "note"),
                ("a caller elsewhere with a count", by_name.format("", "1, n"), call.format("own(p, n);"), "warning"),
                ("a caller elsewhere with a template's constant", by_name.format("", "1, n"), call.format("}} template <int N> void all(float* p) {{ own(p, N);"), "note"),
                ("a caller elsewhere beside a template", by_name.format("", "1, n"), call.format("}} template <int M> void all(float* p, int N) {{ own(p, N);"), "warning"),
                ("a sum that a branch bounds", "void own(float* p, int n) { const int rows = n; if (rows + 1 <= 1024) k<<<1, rows + 1>>>(p); }\n", "", "note"),
                ("a product that a branch bounds", "void own(float* p, int n, int b) { if (n * b > 4096) n = 4096 / b; k<<<1, n>>>(p); }\n", "", "note"),
                ("a sum with another count", "void own(float* p, int n, int b) { if (b + 1 <= 1024) k<<<1, n>>>(p); }\n", "", "warning"),
                ("a part of a caller's number", "void own(float* p, int n) { k<<<1, n / 1024>>>(p); }\nvoid use(float* p) { own(p, 1 << 20); }\n", "", "note"),
                ("a part of a caller's number by a variable", "void own(float* p, int n, int m) { int t = 64; if (m > 9) t = 1024; int b = (n + t - 1) / t; k<<<t, b>>>(p); }\nvoid use(float* p, int m) { own(p, 3000, m); }\n", "", "note"),
                ("a part of a larger number", "void own(float* p, int n) { k<<<1, n / 1024>>>(p); }\nvoid use(float* p) { own(p, 1 << 21); }\n", "", "warning"),
                ("a template's constant", "template <int N> void own(float* p) { const int n = N * 4; k<<<1, n>>>(p); }\n", "", "note"),
                ("an argument beside a template's constant", "template <int N> void own(float* p, int n) { k<<<1, n * N>>>(p); }\n", "", "warning"),
                ("the length of an array", "struct F { static constexpr int size() { return 64; } };\nvoid own(float* p, F f) { k<<<1, f.size()>>>(p); }\n", "", "note"),
                ("the length in an array's type", "template <class T, unsigned long N> void own(float* p, const std::array<T, N>& a) { k<<<1, a.size()>>>(p); }\n", "", "note"),
                ("the size of a type", "struct T { int size() const; }; struct G { T dtype() const; T data() const; T shape; };\nvoid own(float* p, G g) { k<<<1, 256 * g.dtype().size()>>>(p); }\n", "", "note"),
                ("the rank of a tensor", "struct T { int size() const; }; struct G { T shape; };\nvoid own(float* p, G g) { k<<<1, 256 * g.shape.size()>>>(p); }\n", "", "note"),
                ("the size of the data", "struct T { int size() const; }; struct G { T data() const; };\nvoid own(float* p, G g) { k<<<1, g.data().size()>>>(p); }\n", "", "warning"),
                ("a count in the branch for one number", "void own(float* p, int n) { if (n == 64) k<<<1, n>>>(p); else if (n == 128) k<<<1, n>>>(p); }\n", "", "note"),
                ("a count behind the branch for one number", "void own(float* p, int n) { if (n == 64) p[0] = 1; k<<<1, n>>>(p); }\n", "", "warning"),
                ("the lines of a text", "#include <string>\nvoid own(float* p, const std::vector<std::string>& a) { k<<<1, a.size()>>>(p); }\n", "", "note"),
                ("the length of a vector", "void own(float* p, const std::vector<int>& a) { k<<<1, a.size()>>>(p); }\n", "", "warning"),
                ("a count that a constant replaces", "void own(float* p, int n) { int b = n; b = 64; k<<<1, b>>>(p); }\n", "", "note"),
                ("a count that replaces a constant", "void own(float* p, int n) { int b = 64; b = n; k<<<1, b>>>(p); }\n", "", "warning"),
                ("a count that a branch replaces", "void own(float* p, int n) { int b = n; if (*p > 1) { b = 64; } k<<<1, b>>>(p); }\n", "", "warning"),
                ("a count of the turn before", "void own(float* p, int n) { int b; b = 64; for (int i = 0; i < 9; ++i) { k<<<1, b>>>(p); b = n; } }\n", "", "warning"),
                ("a divisor from the input", "void own(float* p, char** a) { k<<<1, 65536 / atoi(a[1])>>>(p); }\n", "", "warning"),
                ("a dividend from the input", "void own(float* p, char** a) { k<<<1, atoi(a[1]) / 4>>>(p); }\n", "", "warning"),
                ("threads that a product bounds", "void own(float* p, int n, int m) { dim3 b; b.x = n / 2; b.y = m / 2; unsigned all = b.x * b.y; if (all > 1024) return; k<<<1, b>>>(p); }\n", "", "note"),
                ("threads that another product bounds", "void own(float* p, int n, int m) { dim3 b; b.x = n / 2; b.y = m / 2; int all = n * 2; if (all > 1024) return; k<<<1, b>>>(p); }\n", "", "warning"),
                ("a vector that is a list", "void own(float* p) { std::vector<int> v{1, 2, 3}; const int n = static_cast<int>(v.size()); k<<<1, n>>>(p); }\n", "", "note"),
                ("a list that grows", "void own(float* p, int x) { std::vector<int> v{1, 2, 3}; v.push_back(x); k<<<1, v.size()>>>(p); }\n", "", "warning"),
                ("a vector with a constant length", "void own(float* p) { const int n = 9; std::vector<int> v(n); k<<<1, v.size()>>>(p); }\n", "", "note"),
                ("a vector with the input's length", "void own(float* p, char** a) { std::vector<int> v(atoi(a[1])); k<<<1, v.size()>>>(p); }\n", "", "warning"),
                ("a vector that a function fills", "std::vector<int> some(int n) { return std::vector<int>(n); }\nvoid own(float* p, const std::vector<int>& v) { k<<<1, v.size()>>>(p); }\n"
                 "void use(float* p) { std::vector<int> v = some(8); own(p, v); }\n", "", "note"),
                ("a vector of another file", "std::vector<int> some(int n);\nvoid own(float* p) { std::vector<int> v = some(8); k<<<1, v.size()>>>(p); }\n", "", "warning"),
                ("a vector that a function reads", "std::vector<int> load(const char* name);\nvoid own(float* p, const std::vector<int>& v) { k<<<1, v.size()>>>(p); }\n"
                 'void use(float* p) { std::vector<int> v = load("x"); own(p, v); }\n', "", "warning"),
                ("a caller elsewhere that checks", by_name.format("", "1, n"), call.format("if (n > 1024) return; own(p, n);"), "note"),
                ("a caller here", by_name.format("", "1, n") + "void use(float* p) { own(p, 512); }\n", "", "note"),
                ("a caller here with a size", by_name.format("", "1, n") + "void use(float* p, Items i) { own(p, i.size()); }\n", "", "warning")):
            (apart / "a/own.cu").write_text(start + text)
            (apart / "b/other.cpp").write_text(other)
            found = {item["row"]: item for item in json.loads(run(apart, "--rows=D01,A19,B08", "--json", "a/own.cu").stdout)}
            # One row reports the launch: that of its size, or else D01.
            reported = [row for row, item in found.items() if item["severity"] != "note"]
            expect(f"a size of a launch: {what}", reported, [row for row in reported if row == reported[-1]] if severity == "warning" and reported else [])
            expect(f"a size of a launch is reported: {what}", "warning" if reported else "note", severity)
            if what == "a divisor from the input":
                expect("the words for a divisor", "comes from 65536 / atoi(a[1])," in found["D01"]["says"], True)
            if "A19" in found:
                expect(f"the block as a size: {what}", found["A19"]["severity"], severity)
        (apart / "b/other.cpp").unlink()
        # CUB reads the last error where it checks its own calls.
        (apart / "b/cub").mkdir(exist_ok=True)
        (apart / "b/cub/debug.cuh").write_text("namespace cub {\ncudaError_t Debug(cudaError_t);\n}\nnamespace other {\ncudaError_t Debug(cudaError_t);\n}\n"
                                               "#define CubDebugExit(e) if (cub::Debug(e)) throw 1\n")
        (apart / "b/cub/scan.cuh").write_text("namespace cub {\nstruct DeviceScan {\n  static cudaError_t Sum(int*);\n};\n}\nnamespace thrust {\nvoid sort(int*, int*);\n"
                                              "int* get(int*);\ntemplate <class T>\nT transform_reduce(T*, int);\n}\n")
        (apart / "b/other.cuh").write_text("namespace other {\ncudaError_t Debug(cudaError_t);\n}\n")
        for header, call, count in (("b/cub/debug.cuh", "CubDebugExit(cudaFree(p));", 0), ("b/other.cuh", "other::Debug(cudaFree(p));", 1),
                                    ("b/cub/scan.cuh", "if (cub::DeviceScan::Sum(p)) throw 1;", 0), ("b/cub/scan.cuh", "cub::DeviceScan::Sum(p);", 1),
                                    ("b/cub/scan.cuh", "thrust::sort(p, p);", 0), ("b/cub/scan.cuh", "thrust::get(p);", 1)):
            (apart / "a/own.cu").write_text("#include <cuda_runtime.h>\n" + f'#include "../{header}"\n' + kernel.split("void start")[0].split("\n", 1)[1] +
                                            f"void own(int* p, int n) {{\n  k<<<n, 1>>>(p);\n  {call}\n}}\n")
            expect(f"a check of CUB: {call}", run(apart, "--rows=D01", "a/own.cu").stdout.count("[D01]"), count)
        # A function that calls an algorithm of them reads it, before the next turn of a loop too.
        for text, count in (("return thrust::transform_reduce<T>(p, 1);", 0), ("return thrust::get(p)[0];", 1), ("cub::DeviceScan::Sum(p);\n  return 0;", 1),
                            ("if (cub::DeviceScan::Sum(p)) throw 1;\n  return 0;", 0)):
            (apart / "a/own.cu").write_text('#include <cuda_runtime.h>\n#include "../b/cub/scan.cuh"\n' + kernel.split("void start")[0].split("\n", 1)[1] +
                                            f"template <class T>\nT sum(T* p) {{\n  {text}\n}}\nint total(int* p) {{ return sum<int>(p); }}\n"
                                            "void own(int* p, int n) {\n  do {\n    k<<<n, 1>>>(p);\n  } while (total(p) > 1);\n}\n")
            expect(f"a function that calls CUB: {text}", run(apart, "--rows=D01", "a/own.cu").stdout.count("[D01]"), count)
        # Where main returns whether all went well, 0 is a failure.
        for text, count in (("bool success = true;\n  return success;", 0), ("bool failed = false;\n  return failed;", 1), ("int result = 0;\n  return result;", 1),
                            ("bool all = true;\n  return !all;", 1), ("return 0;", 1)):
            (apart / "a/own.cu").write_text("#include <cuda_runtime.h>\nvoid own(int* p) {\n  if (cudaFree(p) != cudaSuccess) exit(0);\n}\nint main() {\n  " + text + "\n}\n")
            expect(f"exit(0) beside a main with: {text}", run(apart, "--rows=D10", "a/own.cu").stdout.count("[D10]"), count)
        # The function that reads the error, and the one that does not, are in another file.
        (apart / "a/own.cu").write_text(kernel.split("void start")[0] + "void look_at_it();\nvoid own(int* p) {\n  k<<<1, 1>>>(p);\n  look_at_it();\n}\n")
        for text, count in (("if (cudaGetLastError() != cudaSuccess) throw 1;", 0), ("cudaDeviceSynchronize();", 1)):
            (apart / "b/look.cpp").write_text(f"void look_at_it()\n{{\n  {text}\n}}\n")
            expect(f"a function of another file: {text}", run(apart, "--rows=D01", "a/own.cu").stdout.count("[D01]"), count)
        # Likewise a function that waits. A member wait() of a library's stream is one too.
        for call, text, count in (("wait_for_all();", "if (cudaDeviceSynchronize() != cudaSuccess) throw 1;", 0),
                                  ("wait_for_all();", "std::this_thread::yield();", 1), ("Stream().wait();", "", 0), ("Stream().go();", "", 1)):
            (apart / "a/own.cu").write_text("#include <cuda_runtime.h>\nvoid wait_for_all();\nstruct Stream {\n  void wait();\n  void go();\n};\n"
                                            "int own(int* to, const int* from, cudaStream_t s) {\n  if (cudaMemcpyAsync(to, from, 4, cudaMemcpyDeviceToHost, s) "
                                            f"!= cudaSuccess) return 1;\n  {call}\n  return to[0];\n}}\n")
            (apart / "b/look.cpp").write_text(f"void wait_for_all()\n{{\n  {text}\n}}\n")
            expect(f"a wait of another file: {call} {text}", run(apart, "--rows=F01", "a/own.cu").stdout.count("[F01]"), count)
        (apart / "a/own.cu").unlink()
        (apart / "b/look.cpp").unlink()
        # A line that the compiler drops may be the check, also one of a caller.
        (apart / "a/lost.cu").write_text('#include "absent.h"\n' + kernel + "void part(int* p) {\n  start(p);\n  CHECK_LAUNCH;\n}\n")
        expect("a dropped check of the caller", run(apart, "--rows=D01", "a/lost.cu").stdout.count("[D01]"), 0)
        (apart / "a/lost.cu").write_text('#include "absent.h"\n' + kernel + "void part(int* p) {\n  CHECK_LAUNCH;\n  start(p);\n}\n")
        expect("a dropped check before the call", run(apart, "--rows=D01", "a/lost.cu").stdout.count("[D01]"), 1)
        (apart / "a/lost.cu").unlink()

        # The form that a function of the driver had before CUDA 13, and a header that Thrust's headers no longer include.
        # A grid that is rounded down: a count or the program's input may leave a rest, and so may the constants of callers elsewhere.
        start = ("#include <cuda_runtime.h>\n#include <cstdlib>\n__global__ void k(float* p, int n) { const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }\n"
                 "__global__ void all(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n")
        down, up = "void own(float* p, int {0}) {{ k<<<{0} / 256, 256>>>(p, {0}); }}\n", "void own(float* p, int {0}) {{ all<<<({0} + 255) / 256, 256>>>(p); }}\n"
        member = "struct A {{\n  {};\n  void own(float* p) {{ k<<<n_ / 256, 256>>>(p, n_); }}\n}};\n"
        for what, text, other, severity in (
                ("a count", down.format("n"), "", "warning"), ("no count", down.format("x"), "", "note"), ("a constant that the block divides", down.format("n"), "own(p, 4 * 256);", None),
                ("a constant that it does not divide", down.format("x"), "own(p, 1024 + 1);", "warning"), ("one of two", down.format("x"), "own(p, 1024); own(p, 1000);", "warning"),
                ("a constant's name", down.format("n"), "own(p, Some::N);", "note"), ("a number that was rounded", down.format("n"), "own(p, to_blocks(n));", "note"),
                ("the input", down.format("x"), "own(p, atoi(argv[1]));", "warning"), ("the input, for a kernel without a guard", "void own(float* p, char** argv) { int n = atoi(argv[1]); all<<<n / 256, 256>>>(p); }\n", "", "note"), ("a guarded count", up.format("n"), "", "warning"), ("a constant for a kernel without a guard", up.format("n"), "own(p, 512);", None),
                ("another constant for it", up.format("n"), "own(p, 500);", "warning"), ("no count for it", up.format("x"), "", "note"),
                ("a member that is a count", member.format("const int n_"), "", "warning"), ("a member with a constant", member.format("int n_{CHUNK}"), "", "note"),
                ("a divisor that is a count", "void own(float* p, int n) { const int b = 16; k<<<b / n, b>>>(p, n); }\n", "", "warning"),
                ("a divisor that is not", "void own(float* p, int x) { const int b = 16; k<<<b / x, b>>>(p, x); }\n", "", "note")):
            (apart / "a/own.cu").write_text(start + "enum { CHUNK = 1000 };\n" + text)
            (apart / "b/other.cpp").write_text("void own(float* p, int n);\nvoid use(float* p, int n, char** argv) {\n  " + other + "\n}\n")
            found = [item["severity"] for item in json.loads(run(apart, "--rows=A07,A10", "--json", "a/own.cu").stdout)]
            expect(f"a grid and its rest: {what}", found, [severity] if severity else [])
        # What MSVC or nvcc accepts, and macros that only clang's own includes define.
        for text in ("void main() {}", "__device__ double atomicAdd(double* a, double b) { return *a + b; }", "struct Box {\n  __host__ __device__ Box() {}\n  __device__ Box(int) {}\n  __host__ __device__ Box(int, int) {}\n};", "void f(int n) { int a[n] = {0}; }", "__global__ void f() { __syncthreads; }", "__global__ void f(float* p) { extern __shared__ volatile float s[256]; *p = s[0]; }", "int f(int n) {\n  if (n) goto end;\n  int i = 3;\n  n = i;\nend:\n  return n;\n}", "int f(int THREAD_NUM) { const int MEXP = 1, LARGE_SIZE = 2; return THREAD_NUM + MEXP + LARGE_SIZE; }",
                     "int g();\nconstexpr int one = g();", "__device__ uint3 operator*(uint3 a, uint3 b) { return a; }\n__global__ void f(uint3* p) { *p = blockIdx * blockDim; }"):
            (apart / "a/old.cu").write_text(text + "\n")
            expect(f"reads: {text}", run(apart, "a/old.cu").stderr, "")
        (apart / "a/old.cu").write_text("#include <cuda.h>\nCUresult f(CUcontext* c, CUdevice d) { return cuCtxCreate(c, 0, d); }\n")
        expect("a form before CUDA 13", run(apart, "a/old.cu").stderr, "")
        (apart / "a/old.cu").write_text("#include <cufft.h>\nint code() { return CUFFT_PARSE_ERROR; }\n")
        expect("a code before CUDA 13", run(apart, "a/old.cu").stderr, "")
        for text in ("typedef texture<float, 1> T;", "using T = texture<float, 1>;", "static texture<float, 1> t;"):
            (apart / "a/old.cu").write_text(f"#include <cuda_runtime.h>\n{text}\n")
            expect(f"a texture: {text}", run(apart, "a/old.cu").stderr, "")
        for what, text in (("nvcc's macro", "#if !__CUDACC__\n#error\n#endif\n"), ("a library that has what CUDA 13 took away", "namespace cub {\ntemplate <int V>\nstruct Int2Type {};\n}\n"),
                           ("one spaced bracket", "__global__ void k();\nvoid f() {\n  k<< <1, 1>>>();\n  k<<<1, 1>> >();\n}\n")):
            (apart / "a/old.cu").write_text("#include <cuda_runtime.h>\n" + text)
            expect(what, run(apart, "a/old.cu").stderr, "")
        (apart / "a/old.cu").write_text("#include <cuda_runtime.h>\nstruct A {};\nstruct A {};\n")
        expect("a class twice", "redefinition of 'A'" in run(apart, "a/old.cu").stderr, True)
        # A class and a function whose headers Thrust's no longer include, and a name that it has not. More: check_thrust.py.
        (apart / "a/old.cu").write_text("#include <thrust/pair.h>\nthrust::complex<float> c;\nlong f(int* p) { return thrust::distance(p, p); }\nthrust::no_such_thing i;\n")
        said = run(apart, "a/old.cu").stderr
        expect("headers of Thrust", ("1 error," in said, "no_such_thing" in said), (True, True))
        (apart / "a/old.cu").unlink()

        # A .cu whose header includes HIP's runtime under a condition, and leaves CUDA's to nvcc.
        (apart / "a/both.h").write_text("#ifdef USE_HIP\n#include <hip/hip_runtime.h>\n#endif\n")
        (apart / "a/both.cu").write_text('#include "both.h"\n__global__ void k(int* p) { p[blockIdx.x * blockDim.x] = 1; }\n'
                                         "void f(int* p) { k<<<1, 2048>>>(p); }\n")
        done = run(apart, "--rows=B01", "a/both.cu")
        expect("a condition around HIP's header", (done.returncode, done.stdout.count("[B01]"), done.stderr), (1, 1, ""))
        # One that includes it without a condition lacks a library that CUDA has: the line names that.
        (apart / "a/both.cu").write_text("#include <hip/hip_runtime.h>\n#include <cub/version.cuh>\n#ifdef CUB_VERSION\ntypedef int OnCuda;\n#endif\n" +
                                         "".join(f"OnCuda a{i};\n" for i in range(40)))
        said = run(apart, "a/both.cu").stderr
        expect("a library that HIP lacks", ("not find cub/version.cuh, included at" in said, "nvidia_detail" in said), (True, False))

        # The occupancy, and the stream of a library's handle, in another file of the tree.
        (apart / "a/grid.cu").write_text("#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\nvoid start(int n, void** a, cudaStream_t s) {\n"
                                         "  if (cudaLaunchCooperativeKernel((void*)k, n * 2, 256, a, 0, s) != cudaSuccess) throw 1;\n}\n"
                                         "struct C { dim3 grid, block; };\nvoid wrap(C c, void** a, cudaStream_t s) {\n"
                                         "  if (cudaLaunchCooperativeKernel((void*)k, c.grid, c.block, a, 0, s) != cudaSuccess) throw 1;\n}\n")
        (apart / "a/handle.cu").write_text("#include <cuda_runtime.h>\nextern \"C\" int cublasCreate_v2(int*);\n__global__ void k(int* p) { *p = 1; }\n"
                                           "void start(int* h, int* p, cudaStream_t s) {\n  cublasCreate_v2(h);\n  k<<<1, 1, 0, s>>>(p);\n}\n")
        for what, text, warned in (("not here", "int f();\n", 1), ("streams without a wait", "void f(cudaStream_t* s) {\n  cudaStreamCreateWithFlags(s, 1);\n}\n", 2), ("there", "void f(int h) {\n  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&h);\n"
                                                                      "  cublasSetStream(h, s);\n}\n", 0)):
            (apart / "b/other.cpp").write_text(text)
            done = run(apart, "--rows=B16,E01", "--level=warning", "a/grid.cu", "a/handle.cu")
            expect(f"in another file: {what}", done.stdout.count(": warning:"), warned)
        # A launch on the default stream waits for the streams of a tree that creates no others.
        (apart / "a/grid.cu").write_text("#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\nvoid start(int* p, cudaStream_t s) { k<<<1, 1>>>(p); }\n")
        for makes, warned in (("cudaStreamCreate(s);", 0), ("cudaStreamCreate(s); cudaStreamCreateWithFlags(s, 1);", 1), ("", 1)):
            (apart / "b/other.cpp").write_text(f"void f(cudaStream_t* s) {{\n  {makes}\n}}\n")
            expect(f"the streams of a tree: {makes}", run(apart, "--rows=C09", "--level=warning", "a/grid.cu").stdout.count("[C09]"), warned)
        # The streams of the file's folder are nearer than those of another one.
        for near, far, warned in (("Create(s)", "CreateWithFlags(s, 1)", 0), ("CreateWithFlags(s, 1)", "Create(s)", 1)):
            for file, makes in (("a/makes.cpp", near), ("b/other.cpp", far)):
                (apart / file).write_text(f"void f(cudaStream_t* s) {{\n  cudaStream{makes};\n}}\n")
            expect(f"the streams of a folder: {near}", run(apart, "--rows=C09", "--level=warning", "a/grid.cu").stdout.count("[C09]"), warned)
        (apart / "a/makes.cpp").unlink()
        (apart / "a/grid.cu").write_text("#include <cuda_runtime.h>\n#include <cstdlib>\n#define SIDE 64\n#define START(g, b) k<<<g, b>>>(p, n)\n__global__ void k(int* p, int n) { if (blockIdx.x * 64 < n) *p = 1; }\n"
                                         "void start(int* p, char** a) {\n  int n = atoi(a[1]);\n  START(n / SIDE, SIDE);\n}\n")
        expect("a size that ends in a macro", "the grid n / 64 is rounded down" in run(apart, "--rows=A07", "a/grid.cu").stdout, True)
        # A value that the compiler does not have: the source is not read completely.
        (apart / "a/grid.cu").write_text("#include <cuda_runtime.h>\n#define SIZE ((void)0)\n__global__ void k(int* p) { *p = 1; }\nvoid start(int* p) {\n"
                                         "  unsigned size = SIZE;\n  k<<<1, size>>>(p);\n  k<<<1, 0>>>(p);\n}\n")
        expect("a size of no type", run(apart, "--rows=A04", "a/grid.cu").stdout.count("[A04]"), 1)
        # Memory that a kernel takes for the kernel that it launches is not the host's.
        for attribute, count in (("__global__ ", 0), ("", 1)):
            (apart / "a/grid.cu").write_text("#include <cuda_runtime.h>\n__global__ void k(float* p) { *p = 1; }\n"
                                             f"{attribute}void start(int n) {{\n  float* p = new float[n];\n  k<<<1, 1>>>(p);\n}}\n")
            expect(f"memory of {attribute or 'the host'}", run(apart, "--rows=C04", "a/grid.cu").stdout.count("[C04]"), count)
        # clang gives an enumerator 0 if its expression has a name of a header that is not there.
        for size, count in (("missing::width * 4", 0),):
            (apart / "a/grid.cu").write_text(f"#include <cuda_runtime.h>\n#include <missing.h>\nenum {{ side = {size} }};\n__global__ void k(int* p) {{ *p = 1; }}\n"
                                             "void start(int* p) {\n  k<<<4, side>>>(p);\n  k<<<0, 4>>>(p);\n}\n")
            expect(f"an enumerator {size}", run(apart, "--rows=A04", "a/grid.cu").stdout.count("[A04]"), 1 + count)
        (apart / "b/other.cpp").unlink()
        # A cooperative grid whose size the source does not show has a status, unless it is dropped.
        both = "__global__ void k(int* p) { *p = 1; }\nint ask();\nint main(int argc, char** a) {\n  int blocks = ask(), n = atoi(a[1]);\n"
        cooperative = "cudaLaunchCooperativeKernel((void*)k, {}, 256, (void**)a, 0, 0)"
        for grid, line, warned in (("blocks", "if ({} != cudaSuccess) return 1;", 0), ("blocks", "{};", 1), ("n / 256", "if ({} != cudaSuccess) return 1;", 1),
                                   ("8", "if ({} != cudaSuccess) return 1;", 0), ("4096", "if ({} != cudaSuccess) return 1;", 0), ("4096", "{};", 1), ("dim3(4, 9)", "{};", 0), ("dim3(8, 9)", "{};", 1)):
            (apart / "a/grid.cu").write_text("#include <cuda_runtime.h>\n#include <cstdlib>\n" + both + line.format(cooperative.format(grid)) + "\n}\n")
            done = run(apart, "--rows=B16", "--level=warning", "a/grid.cu")
            expect(f"a cooperative grid: {grid}, {line}", done.stdout.count("[B16]"), warned)

        (apart / "a/start.cu").write_text(kernel + "int main()\n{ start(nullptr); }\n")
        (apart / "b/main.cpp").write_text(caller)
        next((cache / "warpsafe-lint").glob("*.json")).write_text("no index")
        expect("a broken index", run(apart, "--rows=D01", "a/start.cu").stdout.count("[D01]"), 1)
if problems:
    sys.exit("\n".join(problems))
