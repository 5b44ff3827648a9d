#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks which definitions and callers in other files of a tree count for a file: check_tree.py LINT

Each case is a small tree of programs, and the number of findings of a row in one file of it. Exit code 77: libclang or CUDA is
not installed."""
import pathlib
import sys
import tempfile

from linter import Linter

linter = Linter(sys.argv[1])
problems = []
TOP = "#include <cuda_runtime.h>\n#include <cstdlib>\n"
KERNEL = "__global__ void k(int* p) { *p = 1; }\n"
START = KERNEL + "void start(int* p) {\n  k<<<1, 1>>>(p);\n}\n"
LOOK = "  if (cudaGetLastError() != cudaSuccess) abort();\n"
CHECKS = "void {0}(void* p) {{\n" + LOOK + "}}\n"
EMPTY = "void {0}(void* p) {{\n  puts(0);\n}}\n"
MAIN = "int main() {{\n  {}\n}}\n"
USES = TOP + KERNEL.replace("{", "{{").replace("}", "}}") + "{0}int main() {{\n  int* p = nullptr;\n  k<<<1, 1>>>(p);\n  {1}\n}}\n"
CALLS = "#include <cuda_runtime.h>\nvoid start(int* p);\nint main() {{\n  start(nullptr);\n{0}}}\n"


def case(what, files, count, file="one/main.cu", row="D01", level="note"):
    """One tree, in which a file has so many findings of a row, of this level or a higher one."""
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name) / "tree"
        for place, text in {".git/HEAD": "", **files}.items():
            (tree / place).parent.mkdir(parents=True, exist_ok=True)
            (tree / place).write_text(text)
        done = linter.run(f"--rows={row}", f"--level={level}", file, cwd=tree)
    if "not find cuda_runtime.h" in done.stderr or "cannot find CUDA" in done.stderr:
        print("skipped: no CUDA toolkit here")
        sys.exit(77)
    if done.stderr or done.stdout.count(f"[{row}]") != count:
        problems.append(f"{what}: {done.stdout.count(f'[{row}]')} findings, expected {count}: {done.stderr}")


# A call means a function that its file can see.
two = {"one/Makefile": "", "two/Makefile": ""}
free = USES.format("", "free(p);")
case("C's function, which another program has too", {**two, "one/main.cu": free, "two/main.cu": TOP + CHECKS.format("release") + MAIN.format(""), "two/free.cu": TOP + CHECKS.format("free")}, 1)
for name in ("free", "finish"):
    uses = USES.format(f"void {name}(void* p);\n", f"{name}(p);")
    case(f"{name} of another program", {**two, "one/main.cu": uses, "two/main.cu": TOP + CHECKS.format(name) + MAIN.format("")}, 1)
    case(f"{name} of another program, without build files", {"one/main.cu": uses, "two/main.cu": TOP + CHECKS.format(name) + MAIN.format("")}, 1)
    case(f"{name} of the program", {**two, "one/main.cu": uses, "one/own.cu": TOP + CHECKS.format(name), "two/main.cu": MAIN.format("")}, 0)
    case(f"{name} of the program, which checks nothing", {**two, "one/main.cu": uses, "one/own.cu": EMPTY.format(name), "two/own.cu": TOP + CHECKS.format(name), "two/main.cu": MAIN.format("")}, 1)
    case(f"{name} of a library beside the programs", {**two, "one/main.cu": uses, "common/own.cu": TOP + CHECKS.format(name), "two/main.cu": MAIN.format("")}, 0)
    case(f"{name} of another program whose header the file includes", {
        **two, "one/main.cu": '#include "../two/own.h"\n' + USES.format("", f"{name}(p);"), "two/own.h": f"#pragma once\nvoid {name}(void* p);\n",
        "two/own.cu": '#include "own.h"\n' + TOP + CHECKS.format(name), "two/main.cu": MAIN.format("")}, 0)
    case(f"{name} of another program's header of the same name", {
        **two, "one/main.cu": '#include "own.h"\n' + USES.format("", f"{name}(p);"), "one/own.h": f"#pragma once\nvoid {name}(void* p);\n",
        "two/own.h": TOP + "inline " + CHECKS.format(name), "two/main.cu": '#include "own.h"\n' + MAIN.format("")}, 1)
    case(f"{name} of another main in the same folder", {"one/main.cu": uses, "one/other.cu": TOP + CHECKS.format(name) + MAIN.format("")}, 1)
    case(f"{name} of a file with a main of its own for tests", {"one/main.cu": uses, "one/other.cu": TOP + CHECKS.format(name) + "#ifdef TEST\n" + MAIN.format("") + "#endif\n"}, 0)
    case(f"{name}, static in another file", {"one/main.cu": uses, "one/other.cu": TOP + "static " + CHECKS.format(name)}, 1)
between = USES.format("void finish(void* p);\n", "finish(p);")
case("what a function of the program calls is the program's", {
    **two, "one/main.cu": between, "one/own.cu": "void release(void*);\nvoid finish(void* p) {\n  release(p);\n}\nvoid release(void* p) {\n  puts(0);\n}\n",
    "two/own.cu": TOP + CHECKS.format("release"), "two/main.cu": MAIN.format("")}, 1)
case("what a header's function calls is the program's", {
    **two, "one/main.cu": '#include "../common/own.h"\n' + USES.format("", "finish(p);"), "common/own.h": "#pragma once\nvoid release(void*);\ninline void finish(void* p) {\n  release(p);\n}\n",
    "one/own.cu": EMPTY.format("release"), "two/own.cu": TOP + CHECKS.format("release"), "two/main.cu": MAIN.format("")}, 1)
case("a check by its name, which another program defines", {
    **two, "one/main.cu": '#include "own.h"\n' + USES.format("", "start(p);"), "one/own.h": "void start(void* p);\n",
    "one/own.cu": '#include "own.h"\nvoid start(void* p) {\n  CHECK_LAST_LAUNCH();\n}\n', "two/own.h": "#define CHECK_LAST_LAUNCH() puts(0)\n", "two/main.cu": MAIN.format("")}, 0)

# The callers of a function are those of its program.
own = {"one/start.cu": TOP + START}
for what, files, count in (
        ("the program's main", {"one/main.cpp": CALLS.format(LOOK)}, 0), ("the program's main without a check", {"one/main.cpp": CALLS.format("")}, 1),
        ("a variant's main", {"one/main.cpp": MAIN.format(""), "two/main.cpp": CALLS.format(LOOK)}, 1),
        ("a variant's main beside the program's", {"one/main.cpp": CALLS.format(LOOK), "two/main.cpp": CALLS.format("")}, 0),
        ("a variant's main, by a header of its own", {"one/main.cpp": CALLS.format(LOOK), "one/start.h": "void start(int* p);\n", "two/start.h": "void start(int* p);\n",
                                                      "two/main.cpp": '#include "start.h"\nint main() {\n  start(nullptr);\n}\n'}, 0),
        ("a test's main, by the program's header", {"one/main.cpp": CALLS.format(LOOK), "one/start.h": "void start(int* p);\n", "one/start.cu": TOP + '#include "start.h"\n' + START,
                                                    "two/main.cpp": '#include "../one/start.h"\nint main() {\n  start(nullptr);\n}\n'}, 1),
        ("a caller that has a function of that name", {"one/main.cpp": CALLS.format(LOOK), "one/other.cpp": "static void start(int* p) {\n  puts(0);\n}\nvoid f() {\n  start(nullptr);\n}\n"}, 0)):
    for build in ({}, two):
        case(f"callers: {what}{', with build files' if build else ''}", {**build, **own, **files}, count, "one/start.cu")
# Folders of one program, and a library with the mains of several.
case("a program in two folders", {"Makefile": "", "src/start.cu": TOP + START, "app/main.cpp": CALLS.format(LOOK)}, 0, "src/start.cu")
case("a library and two mains", {"Makefile": "", "src/start.cu": TOP + START, "app/main.cpp": CALLS.format(LOOK), "test/main.cpp": CALLS.format(LOOK)}, 0, "src/start.cu")
case("a library, and one of two mains without a check", {"Makefile": "", "src/start.cu": TOP + START, "app/main.cpp": CALLS.format(LOOK), "test/main.cpp": CALLS.format("")}, 1, "src/start.cu")
case("a program with parts below its build file", {
    "one/Makefile": "", "one/src/main.cpp": CALLS.format(LOOK), "one/gpu/start.cu": TOP + START, "two/Makefile": "", "two/src/main.cpp": CALLS.format("")}, 0, "one/gpu/start.cu")

# Checks as programs write them, each behind a launch of main: in another file, in a class, in a lambda, by a destructor.
def main_of(body, before=""):
    return {"one/main.cu": TOP + KERNEL + before + "int main() {\n  int* p = nullptr;\n  " + body + "\n}\n"}


LAUNCH = "k<<<1, 1>>>(p);\n  "
device = "#pragma once\nclass Device {\n public:\n  void done(const char* what = 0) const;\n};\n"
library = {"Makefile": "NVCC = nvcc -Ilib/include\n", "lib/include/deep/lib.h": "#pragma once\nnamespace lib {\nvoid verify();\n}\n",
           "lib/src/lib.cpp": TOP + "#include <deep/lib.h>\nnamespace lib {\nvoid verify() {\n" + LOOK + "}\n}\n", "two/main.cu": MAIN.format("")}
for what, files, count in (
        ("a member in another file", {**main_of(LAUNCH + "Device().done();", '#include "device.h"\n'), "one/device.h": device, "one/device.cu": TOP + '#include "device.h"\nvoid Device::done(const char* what) const\n{\n' + LOOK + "}\n"}, 0),
        ("a member of another class in another file", {**main_of(LAUNCH + "Device().done();", '#include "device.h"\n'), "one/device.h": device, "one/device.cu": '#include "device.h"\nvoid Device::done(const char* what) const {\n  puts(what);\n}\n',
                                                       "one/other.cu": TOP + "struct Other {\n  void done();\n};\nvoid Other::done() {\n" + LOOK + "}\n"}, 1),
        ("a member of another class", main_of(LAUNCH + "A().done();", "struct A {\n  void done() {}\n};\nstruct B {\n  void done() {\n" + LOOK + "  }\n};\n"), 1),
        ("a virtual member", main_of(LAUNCH + "A* a = new B;\n  a->done();", "struct A {\n  virtual void done() {}\n};\nstruct B : A {\n  void done() override {\n" + LOOK + "  }\n};\n"), 0),
        ("another overload", main_of(LAUNCH + "done(1);", "void done(int) {}\nvoid done(const char*) {\n" + LOOK + "}\n"), 1),
        ("this overload", main_of(LAUNCH + 'done("");', "void done(int) {}\nvoid done(const char*) {\n" + LOOK + "}\n"), 0),
        ("an overload in another file", {**main_of(LAUNCH + "done(1);", "void done(int);\nvoid done(const char*) {}\n"), "one/own.cpp": TOP + "void done(int) {\n" + LOOK + "}\n"}, 0),
        ("a template", main_of(LAUNCH + "done(1);", "template <class T>\nvoid done(T) {\n" + LOOK + "}\n"), 0),
        ("a member of a template", main_of(LAUNCH + "Done<int>().done();", "template <class T>\nstruct Done {\n  void done() {\n" + LOOK + "  }\n};\n"), 0),
        ("C's free beside a member", main_of(LAUNCH + "free(p);", "struct B {\n  void free() {\n" + LOOK + "  }\n};\n"), 1),
        ("std::sort beside a member", main_of(LAUNCH + "int a[] = {2, 1};\n  std::sort(a, a + 2);", "#include <algorithm>\nstruct B {\n  void sort() {\n" + LOOK + "  }\n};\n"), 1),
        ("a destructor", main_of("Guard guard;\n  " + LAUNCH, "struct Guard {\n  ~Guard() {\n" + LOOK + "  }\n};\n"), 0),
        ("a destructor before the launch", main_of("{\n    Guard guard;\n  }\n  " + LAUNCH, "struct Guard {\n  ~Guard() {\n" + LOOK + "  }\n};\n"), 1),
        ("a lambda", main_of("auto look = [&] {\n" + LOOK + "  };\n  " + LAUNCH + "look();"), 0),
        ("a lambda that nobody calls", main_of("auto look = [&] {\n" + LOOK + "  };\n  " + LAUNCH), 1),
        ("a macro of a header's header", {**main_of(LAUNCH + "POST();", '#include "a.h"\n'), "one/a.h": '#include "b.inl"\n', "one/b.inl": "#define POST() if (cudaPeekAtLastError() != cudaSuccess) abort()\n"}, 0),
        ("a macro without its argument", main_of(LAUNCH + "NONE(cudaGetLastError());", "#define NONE(x)\n"), 1),
        ("a type on a line of its own", {**main_of(LAUNCH + "verify(1, 0);", "void verify(int line, const char* file);\n"), "one/own.cpp": TOP + "void\nverify(int line,\n       const char* file)\n{\n" + LOOK + "}\n"}, 0),
        ("a library in a folder of -I", {**main_of(LAUNCH + "lib::verify();", "#include <deep/lib.h>\n"), **library}, 0)):
    case(f"a check: {what}", files, count)
for what, code in (("a static member", "struct S {\n  static void start(int* p) { k<<<1, 1>>>(p); }\n};\n"), ("a template", "template <class T>\nvoid start(T* p) {\n  k<<<1, 1>>>(p);\n}\nstruct S {\n  static void start(int* p) { ::start(p); }\n};\n"),
                   ("a static function", "static void start(int* p) { k<<<1, 1>>>(p); }\nstruct S {\n  static void start(int* p) { ::start(p); }\n};\n")):
    for look, count in ((LOOK, 0), ("", 1)):
        case(f"a launch in a header's function: {what}{'' if look else ', without a check'}", {
            "one/start.h": TOP + KERNEL + code, "one/main.cu": '#include "start.h"\nint main() {\n  S::start(nullptr);\n' + look + "}\n"}, count, "one/start.h")
case("a launch in a static function of a source that another one includes", {
    "one/start.cu": TOP + KERNEL + "static void start(int* p) {\n  k<<<1, 1>>>(p);\n}\n", "one/main.cu": '#include "start.cu"\nint main() {\n  start(nullptr);\n' + LOOK + "}\n"}, 0, "one/start.cu")
case("a launch in a source's function", {"one/start.cu": TOP + KERNEL + "namespace {\nvoid start(int* p) {\n  k<<<1, 1>>>(p);\n}\n}\nvoid (*used)(int*) = start;\n",
                                         "one/other.cpp": TOP + "void start(int* p);\nvoid other() {\n  start(nullptr);\n" + LOOK + "}\n"}, 1, "one/start.cu")

# Code that never runs checks nothing, here and in another file.
for what, code, count in (
        ("if (false)", "if (false) {\n{}  }", 1), ("if (0)", "if (0)\n  {}", 1), ("if (!true)", "if (!true) {\n{}  }", 1), ("if constexpr", "if constexpr (false) {\n{}  }", 1),
        ("the else of if (false)", "if (false) {\n    abort();\n  } else {\n{}  }", 0), ("what follows if (0)", "if (0) abort();\n{}", 0),
        ("while (false)", "while (false) {\n{}  }", 1), ("do while (0)", "do {\n{}  } while (0);", 0), ("what follows do while (0)", "do {\n    asked();\n  } while (0);\n{}", 0),
        ("a label in if (0)", "if (asked()) goto look;\n  if (0) {\n   look:\n{}  }", 0), ("a case in if (0)", "switch (asked()) {\n    case 0:\n      if (0) {\n        default:\n{}      }\n  }", 0),
        ("a variable", "bool look = false;\n  look = asked();\n  if (look) {\n{}  }", 0), ("a branch", "if (asked()) {\n{}  }", 0), ("if (true)", "if (true) {\n{}  }", 0)):
    look = code.replace("{}", LOOK)
    case(f"{what}, behind the launch", main_of(LAUNCH + look, "bool asked();\n"), count)
    case(f"{what}, in another file", {**main_of(LAUNCH + "done();", "void done();\n"), "one/own.cpp": TOP + "bool asked();\nvoid done() {\n  " + look + "\n}\n"}, count)
    case(f"{what}, in another file's macro", {**main_of(LAUNCH + "DONE();\n", '#include "own.h"\n'), "one/own.h": "bool asked();\n#define DONE() run([] { " + look.replace("\n", " \\\n") + " })\ntemplate <class F>\nvoid run(F f) {\n  f();\n}\n"}, count)
    case(f"{what}, in the caller", {"one/start.cu": TOP + START, "one/main.cpp": TOP + "bool asked();\n" + CALLS.format("  " + look + "\n")}, count, "one/start.cu")
for what, code, count in (
        ("a constant", "const bool debug = false;\n  if (debug) {\n{}  }", 1), ("a constant of the call", "const bool debug = asked();\n  if (debug) {\n{}  }", 0),
        ("the else of if (true)", "if (true) {\n    asked();\n  } else {\n{}  }", 1), ("false &&", "if (false && cudaGetLastError() != cudaSuccess) abort();", 1), ("true ||", "if (asked() || cudaGetLastError() != cudaSuccess) abort();", 0),
        ("what follows a return", "return asked();\n{}", 1), ("what follows a return and a label", "if (asked()) goto look;\n  return 0;\nlook:\n{}", 0), ("what follows a return of a branch", "if (asked()) return 1;\n{}", 0),
        ("what follows exit", "exit(0);\n{}", 1), ("a size", "if (sizeof(long) == 4) {\n{}  }", 0), ("a destructor", "if (false) {\n    Guard guard;\n  }", 1), ("a destructor that looks never", "Never never;", 1),
        ("a lambda", "auto look = [&] {\n    if (0) {\n{}    }\n  };\n  look();", 1), ("a for loop", "for (; false;) {\n{}  }", 1), ("a turn of a loop", "for (int i = 0; i < 2; ++i) {\n{}  }", 0), ("an operator", "int a = false ? cudaGetLastError() : 0;", 1)):
    case(f"{what}, which may never run", main_of(LAUNCH + code.replace("{}", LOOK), "bool asked();\nstruct Guard {\n  ~Guard() {\n" + LOOK + "  }\n};\nstruct Never {\n  ~Never() {\n    if (false) {\n" + LOOK + "    }\n  }\n};\n"), count)
# Branches of the preprocessor in another file.
for what, code, count in (("#if 0", "#if 0\n{}#endif\n", 1), ("the #else of #if 0", "#if 0\n#else\n{}#endif\n", 0), ("#if 1", "#if 1\n{}#else\n#endif\n", 0), ("the #else of #if 1", "#if 1\n#else\n{}#endif\n", 1),
                          ("an #elif of #if 0", "#if 0\n#elif ASKED\n{}#endif\n", 0), ("what follows an #elif of #if 1", "#if 1\n#elif ASKED\n#else\n{}#endif\n", 1), ("what follows an #elif of #if 0", "#if 0\n#elif ASKED\n#else\n{}#endif\n", 0), ("an #if inside of #if 0", "#if 0\n#if ASKED\n#else\n#endif\n{}#endif\n", 1),
                          ("what follows #if 0", "#if 0\n#if ASKED\n#endif\n#endif\n{}", 0), ("#ifdef", "#ifdef ASKED\n{}#endif\n", 0), ("a macro that prints never", "#define SAY(...) if (0) printf(__VA_ARGS__)\n{}", 0)):
    case(f"{what} in another file", {**main_of(LAUNCH + "done();", "void done();\n"), "one/own.cpp": TOP + "void done() {\n" + code.replace("{}", LOOK) + "}\n"}, count)
case("a macro that prints never, before the function", {**main_of(LAUNCH + "done();", "void done();\n"), "one/own.cpp": TOP + "#define SAY(...) if (0) printf(__VA_ARGS__)\n" + "void done() {\n" + LOOK + "}\n"}, 0)
case("a launch that never runs", main_of("if (false) {\n    k<<<1, 1>>>(p);\n  }"), 0)

# What a file of the program calls, and not one of another program.
blas = "typedef struct Handle* cublasHandle_t;\nint cublasCreate(cublasHandle_t* handle);\nint cublasSetStream(cublasHandle_t handle, cudaStream_t stream);\n"
creates = TOP + blas + KERNEL + "void start(int* p, cudaStream_t stream) {\n  cublasHandle_t handle;\n  cublasCreate(&handle);\n  k<<<1, 1, 0, stream>>>(p);\n{}}\n"
sets = TOP + blas + "void set(cublasHandle_t handle, cudaStream_t stream) {{\n  {}cublasSetStream(handle, stream);\n}}\n"
cooperative = TOP + KERNEL + "void start(int* p) {\n  void* given[] = {&p};\n  cudaLaunchCooperativeKernel((void*)k, dim3(4096), dim3(256), given, 0, 0);\n}\n"
asks = TOP + "int {0}(const void* f) {{\n  int n = 0;\n  {1}cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 256, 0);\n  return n;\n}}\n"
forgets = TOP + KERNEL + "void start(int* p, cudaStream_t stream) {\n  k<<<1, 1>>>(p);\n}\n"
blocking = TOP + "cudaStream_t made() {{\n  cudaStream_t stream = 0;\n  {}cudaStreamCreate(&stream);\n  return stream;\n}}\n"
others = TOP + "cudaStream_t made() {{\n  cudaStream_t stream = 0;\n  {}cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);\n  return stream;\n}}\n"
for row, start, has in (("E01", creates.replace("{}", ""), sets), ("B16", cooperative, asks.replace("{0}", "most").replace("{1}", "{0}")), ("C09", forgets, blocking)):
    mains = {**two, "one/gpu/start.cu": start, "one/main.cpp": MAIN.format(""), "two/main.cpp": MAIN.format("")}
    # The default stream waits for no stream of E01's programs.
    mains |= {"one/flags.cu": others.format("").replace("made", "flags")} if row == "E01" else {}
    header = {"one/start.h": "#pragma once\nvoid start(int* p);\n", "one/gpu/start.cu": '#include "../start.h"\n' + start}
    for what, files, count in (
            ("nothing", {}, 1), ("another file", {"one/own.cu": has.format("")}, 0), ("another program", {"two/own.cu": has.format("")}, 1), ("a library", {"common/own.cu": has.format("")}, 0),
            ("another program that includes its header", {**header, "two/own.cu": '#include "../one/start.h"\n' + has.format("")}, 0), ("another program with a header of that name", {**header, "two/start.h": "", "two/own.cu": '#include "start.h"\n' + has.format("")}, 1),
            ("a header of another program", {"two/own.h": has.format(""), "one/gpu/start.cu": '#include "../../two/own.h"\n' + start}, 0), ("a comment", {"one/own.cu": "// " + has.format("").replace("\n", "\n// ")}, 1),
            ("code that never runs", {"one/own.cu": has.format("if (false) ")}, 1), ("code that may run", {"one/own.cu": has.format("if (getenv(0)) ")}, 0), ("#if 0", {"one/own.cu": "#if 0\n" + has.format("") + "#endif\n"}, 1),
            ("code of its own that never runs", {"one/gpu/start.cu": start + has.format("if (0) ").replace(TOP, "").replace(blas, "")}, 1), ("a function of its own", {"one/gpu/start.cu": start + has.format("").replace(TOP, "").replace(blas, "")}, 0)):
        case(f"{row}: what it needs is in {what}", {**mains, **files}, count, "one/gpu/start.cu", row, "warning")
    case(f"{row}: what it needs is in another main of the folder", {"one/start.cu": start + MAIN.format(""), "one/other.cu": has.format("") + MAIN.format("")} | ({"one/flags.cu": mains["one/flags.cu"]} if row == "E01" else {}), 1, "one/start.cu", row, "warning")
mains = {**two, "one/main.cpp": MAIN.format(""), "two/main.cpp": MAIN.format(""), "one/gpu/start.cu": creates.replace("{}", "")}
for folder, count in (("one", 1), ("two", 0)):
    case(f"E01: streams with flags in {folder}", {**mains, f"{folder}/flags.cu": others.format("")}, count, "one/gpu/start.cu", "E01", "warning")
    case(f"C09: streams with flags in {folder}", {**mains, "one/gpu/start.cu": forgets, "one/own.cu": blocking.format(""), f"{folder}/flags.cu": others.format("").replace("made", "flags")}, count, "one/gpu/start.cu", "C09", "warning")
mains = {**two, "one/gpu/start.cu": cooperative, "one/main.cpp": MAIN.format(""), "two/main.cpp": MAIN.format("")}
prints = TOP + "void printOccupancy() {\n  puts(0);\n}\nvoid print() {\n  printOccupancy();\n}\n"
case("B16: a function of the tree that only has the name", {**mains, "one/own.cu": prints}, 1, "one/gpu/start.cu", "B16", "warning")
case("B16: a function of the tree that asks", {**mains, "one/own.cu": asks.format("bestOccupancy", ""), "one/other.cpp": "int bestOccupancy(const void*);\nvoid print() {\n  bestOccupancy(0);\n}\n"}, 0, "one/gpu/start.cu", "B16", "warning")
case("B16: a function of a library that is not here", {**mains, "one/own.cu": TOP + "void print() {\n  lib::bestOccupancy(0);\n}\n"}, 0, "one/gpu/start.cu", "B16", "warning")

# An attribute that any file of the program sets, and a kernel of a header.
cluster = "__global__ void __cluster_dims__({}, 1, 1) k(int* p) {{ *p = 1; }}\n"
start = TOP + cluster.format(16) + "void start(int* p) {\n  k<<<16, 1>>>(p);\n}\n"
sets = TOP + "void allow(const void* f) {\n  cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);\n}\n"
for what, files, count in (("nowhere", {}, 1), ("in the program", {"one/allow.cu": sets}, 0), ("in another program", {"two/allow.cu": sets}, 1),
                           ("in a comment", {"one/allow.cu": "// cudaFuncAttributeNonPortableClusterSizeAllowed\n"}, 1)):
    case(f"a large cluster, allowed {what}", {**two, "one/start.cu": start, "one/main.cpp": MAIN.format(""), "two/main.cpp": MAIN.format(""), **files}, count, "one/start.cu", "B14")
for size, count in ((4, 1), (5, 0)):
    case(f"a cluster of {size} in a header", {"one/k.h": "#pragma once\n#define SIZE {size}\n// A longer text than that of the file which includes it.\n".replace("{size}", str(size)) + cluster.format("SIZE"),
                                            "one/main.cu": TOP + '#include "k.h"\nvoid start(int* p) {\n  k<<<10, 1>>>(p);\n}\n'}, count, row="B13")
if problems:
    sys.exit("\n".join(problems))
