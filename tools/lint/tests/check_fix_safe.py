#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs --fix and --fix-cuda on programs that a careless correction would break: check_fix_safe.py LINT

Each program is read as CUDA and as HIP. It must become what the case says, or stay, with a note that says why; and what is written
must compile. Exit code 77: libclang or the vendor's headers are not installed."""
import pathlib
import re
import sys
import tempfile

from linter import Linter

linter = Linter(sys.argv[1])
problems = []
RUNTIME = "#include <cuda_runtime.h>\n"
INCLUDES = "#include <warpsafe/launch/check.hpp>\n#include <warpsafe/warpsafe.hpp>\n"
KERNEL = "__global__ void k(float* x, int n) {\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = 1;\n}\n"
START = RUNTIME + KERNEL


def check(options, text, changes, note, what):
    """One program for both vendors: `changes` are pairs of a text and what becomes of it; a note begins so."""
    for vendor, ending in (("cuda", "cu"), ("hip", "hip")):
        before, after = text, text
        for old, new in changes:
            if after.count(old) != 1:
                problems.append(f"{what}: '{old}' is {after.count(old)} times in the program")
            after = after.replace(old, new)
        if vendor == "hip":
            before, after = (re.sub(r"cuda(?=_runtime|[A-Z])", "hip", each).replace("hip_runtime.h", "hip/hip_runtime.h") for each in (before, after))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"a.{ending}"
            file.write_text(before)
            done = linter.run(*options, str(file))
            if re.search(r"not find (cuda|hip/hip)_runtime.h|cannot find (CUDA|ROCm)", done.stderr):
                print(f"{vendor} is not installed: skipped")
                continue
            now = file.read_text()
            if done.returncode != 0 or now != after:
                problems.append(f"{what}, {vendor}: ends with {done.returncode}: {done.stderr}is\n{now}expected\n{after}")
            if note not in done.stdout.replace("hip", "cuda"):
                problems.append(f"{what}, {vendor}: says\n{done.stdout}expected\n{note}")
            if "--fix" not in options and after != before and linter.run("--rows=B01", str(file)).returncode != 0:
                problems.append(f"{what}, {vendor}: the result does not compile")


def fix(what, text, changes=(), note=""):
    check(["--fix"], text, changes, note, what)


# --fix: where the headers stand.
launch, checked = "void f(float* x, int n) {\n  k<<<1, 256>>>(x, n);\n}\n", ("  k<<<", "  warpsafe::check(warpsafe::kernel<k>, 1, 256).value();\n  k<<<")
for what, before, place in (("in a comment", '/* Write\n#include "config.h"\n*/\n', RUNTIME), ("behind a comment", "/* one\n */ #include <stdint.h>\n", RUNTIME),
                            ("behind a line that goes on", "// one \\\n#include <stdint.h>\n#define TWO \\\n#include <stdint.h>\n", RUNTIME),
                            ("in a string", '#define TEXT R"(\n#include <stdint.h>\n)"\n', '#define TEXT'), ("in a branch", "#if 0\n#include <stdint.h>\n#endif\n", RUNTIME),
                            ("in a block", 'extern "C" {\n#include <stdint.h>\n}\n', 'extern "C"'), ("in a macro's block", "#define BEGIN namespace own {\nBEGIN\n#include <stdint.h>\n}\n", "#define BEGIN"),
                            ("named in a comment", "// #include <warpsafe/launch/check.hpp>\n", RUNTIME)):
    fix(f"an include {what}", before + START + launch, [(place, INCLUDES + place), checked])

# --fix: what the check would do a second time.
own = "struct Pool {\n  int at = 0;\n  cudaStream_t streams[2];\n  cudaStream_t next() { return streams[at++ % 2]; }\n  cudaStream_t first() const { return streams[0]; }\n  operator cudaStream_t() { return next(); }\n};\n" \
      "int ask();\nint up(int n) { return n > 0 ? (n + 255) / 256 : 1; }\nint counted(int n) {\n  static int calls = 0;\n  return n / ++calls;\n}\n"
for slots, why in (("1, 256, 0, pool.next()", "calls next"), ("1, 256, 0, pool", "calls operator"), ("ask(), 256", "calls ask"), ("counted(n), 256", "calls counted"), ("up(ask()), 256", "calls ask"),
                   ("n++, 256", "assigns"), ("(n = 3), 256", "assigns"), ("__atomic_fetch_add(&n, 1, 0), 256", "does more"), ("[=] { return n; }(), 256", "does more")):
    fix(f"a launch with {slots}", START + own + f"void f(Pool& pool, float* x, int n) {{\n  k<<<{slots}>>>(x, n);\n}}\n", note=f"k: no check written: an expression between the brackets {why}")
for slots in ("up(n), 256, 0, pool.first()", "dim3(up(n), 1), dim3(256)", "(n + 255) / 256, sizeof(n++)"):
    fix(f"a launch with {slots}", START + own + f"void f(Pool& pool, float* x, int n) {{\n  k<<<{slots}>>>(x, n);\n}}\n",
        [(RUNTIME, INCLUDES + RUNTIME), ("  k<<<", f"  warpsafe::check(warpsafe::kernel<k>, {slots}).value();\n  k<<<")])
fix("a function with the kernel's name", START + launch + "void k(float* x) { f(x, 1); }\n", note="k: no check written: several kernels or functions have this name")
fix("a number that is no integer", f"#include <cmath>\n{START}void f(float* x, int n) {{\n  k<<<ceil(n / 256.0), 256>>>(x, n);\n}}\n",
    [("#include <cmath>", INCLUDES + "#include <cmath>"), ("  k<<<", "  warpsafe::check(warpsafe::kernel<k>, dim3(ceil(n / 256.0)), 256).value();\n  k<<<")])
# A comment that goes on in the next line.
fix("a comment that goes on", START + "void f(float* x, int n) {\n  k<<<1, 256 // one \\\n two\n  >>>(x, n);\n}\n",
    [(RUNTIME, INCLUDES + RUNTIME), ("  k<<<", "  warpsafe::check(warpsafe::kernel<k>, 1, 256 // one \\\n two\n).value();\n  k<<<")])

# --fix-cuda, A07: a further block must do nothing, and the number must not be used elsewhere.
def a07(what, before, old, new, note="A07: the grid is rounded up", kernels=START):
    check(["--fix-cuda", "--rows=A07"], f"{kernels}void f(float* x, float* y, int n, int m) {{\n{before}}}\n", [(old, new)] if new else [], note, f"A07: {what}")


ALL = "__global__ void all(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
UP = "n / 256 + (n % 256 != 0)"
a07("a number of one launch", "  int blocks = n / 256;\n  k<<<blocks, 256>>>(x, n);\n", "n / 256", UP)
a07("a dim3 of one launch", "  int blocks = n / 256;\n  dim3 grid(blocks);\n  k<<<grid, 256>>>(x, n);\n", "n / 256", UP)
a07("a sum", "  k<<<(n + 3 * m) / 256, 256>>>(x, n + 3 * m);\n", None, None, "")
for what, before in (("another launch", "  int blocks = n / 256;\n  k<<<blocks, 256>>>(x, n);\n  all<<<blocks, 256>>>(y);\n"), ("another launch's dim3", "  dim3 grid(n / 256);\n  k<<<grid, 256>>>(x, n);\n  all<<<grid, 256>>>(y);\n"),
                     ("a member", "  dim3 grid;\n  grid.x = n / 256;\n  k<<<grid, 256>>>(x, n);\n  all<<<grid, 256>>>(y);\n"), ("an argument", "  int blocks = n / 256;\n  k<<<blocks, 256>>>(x, n);\n  m = blocks;\n"),
                     ("a branch", "  int blocks = n / 256;\n  k<<<blocks, 256>>>(x, n);\n#ifdef OTHER\n  m = blocks;\n#endif\n"), ("a reference", "  const int& blocks = n / 256;\n  k<<<blocks, 256>>>(x, n);\n  m = blocks;\n"),
                     ("a lambda", "  int blocks = n / 256;\n  k<<<blocks, 256>>>(x, n);\n  auto l = [&] { return blocks; };\n  m = l();\n")):
    a07(f"a number of {what} too", before, None, None, "A07: not changed: other code may read the number too", START + ALL)
for what, body in (("no comparison of the index", "if (n > 3) x[i] = 1;"), ("an access before the comparison", "float v = x[i];\n  if (i < n) x[i] = v + 1;"), ("an access beside the comparison", "if (i < n) x[i] = 1;\n  else x[i] = 2;"),
                   ("a comparison with another number", "if (i < 2 * n) x[i] = 1;"), ("an index that changes", "if (i < n) x[i] = 1;\n  i += 1;\n  if (i < n) x[i] = 1;"), ("another count", "n *= 2;\n  if (i < n) x[i] = 1;"),
                   ("a comparison that does not end", "if (i >= n) x[0] = 2;\n  x[i] = 1;"), ("a call", "if (i >= n && n > 3) return;\n  *x = i;")):
    a07(f"a kernel with {what}", "  w<<<n / 256, 256>>>(x, n);\n", None, None, "A07: not changed: the kernel is not seen to compare",
        f"{RUNTIME}__global__ void w(float* x, int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  {body}\n}}\n")
for body in ("if (i >= n) return;\n  x[i] = 1;", "if (n <= i || n > 9) {\n return; }\n  x[i] = 1;", "if (n > i && n < 99999) x[i] = 1;"):
    a07(f"a kernel with {body}", "  w<<<n / 256, 256>>>(x, n);\n", "n / 256", UP, kernels=f"{RUNTIME}__global__ void w(float* x, int n) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  {body}\n}}\n")
FLAT = f"{RUNTIME}__global__ void w(float* x, int n, int m) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n  if (%s) x[j * n + i] = 1;\n}}\n"
a07("both axes", "  w<<<dim3(n / 16, m / 16), dim3(16, 16)>>>(x, n, m);\n", "n / 16, m / 16", "n / 16 + (n % 16 != 0), m / 16 + (m % 16 != 0)", kernels=FLAT % "i < n && j < m")
a07("one of the axes", "  w<<<dim3(n / 16, m / 16), dim3(16, 16)>>>(x, n, m);\n", "n / 16", "n / 16 + (n % 16 != 0)", "index with m", kernels=FLAT % "i < n && m > 3")
a07("another argument", "  k<<<n / 256, 256>>>(x, m);\n", None, None, "A07: not changed: the kernel is not seen to compare its index with n")
a07("a call", "  k<<<ask() / 256, 256>>>(x, ask());\n", None, None, "", START + "int ask();\n")


# --fix-cuda, A01: what is cast is an operand, and no variable's type changes.
def a01(what, before, new=None, old="n", note="A01: not changed: "):
    check(["--fix-cuda", "--rows=A01"], f"{START}void f(float* x, int n, int m) {{\n{before}}}\n", [(old, new)] if new else [], "A01: the sum is computed" if new else note, f"A01: {what}")


LONG = "static_cast<long long>(n)"
a01("a count", "  k<<<(n + 255) / 256, 256>>>(x, 1);\n", f"<<<({LONG} +", "<<<(n +")
a01("a product", "  k<<<(n * m + 255) / 256, 256>>>(x, 1);\n", f"<<<({LONG} *", "<<<(n *")
a01("a product in parentheses", "  k<<<((n * m * 3) + 255) / 256, 256>>>(x, 1);\n", f"<<<(({LONG} *", "<<<((n *")
a01("a number", "  const unsigned g = (n * m + 255) / 256;\n  k<<<g, 256>>>(x, 1);\n", f"({LONG} *", "(n *")
for what, before in (("a product on the right", "  k<<<(n * (m * 3) + 255) / 256, 256>>>(x, 1);\n"), ("a product elsewhere", "  int all = n * m;\n  k<<<(all + 255) / 256, 256>>>(x, 1);\n"),
                     ("a sum elsewhere", "  int all = n + 255;\n  k<<<all / 256, 256>>>(x, 1);\n"), ("auto", "  const auto g = (n + 255) / 256;\n  k<<<g, 256>>>(x, 1);\n"),
                     ("decltype", "  decltype(auto) g = (n + 255) / 256;\n  k<<<g, 256>>>(x, 1);\n")):
    a01(what, before)


# --fix-cuda, C09: the stream must be there, and the only one.
def c09(what, before, new=None, head="float* x, int n, cudaStream_t stream", old="256>>>"):
    check(["--fix-cuda", "--rows=C09"], f"{START}{before.partition('|')[0] if '|' in before else ''}void f({head}) {{\n{before.rpartition('|')[2]}}}\n", [(old, new)] if new else [],
          "C09: launched on" if new else "C09: not changed: ", f"C09: {what}")


LAUNCH, ON = "  k<<<1, 256>>>(x, n);\n", "256, 0, stream>>>"
MAKE = "  cudaStream_t stream;\n  %s\n"
c09("a parameter", LAUNCH, ON)
c09("a parameter that is destroyed behind it", LAUNCH + "  cudaStreamDestroy(stream);\n", ON)
c09("a const reference", LAUNCH, ON, "float* x, int n, const cudaStream_t& stream")
c09("a stream of the function", MAKE % "if (cudaStreamCreate(&stream) != cudaSuccess) return;" + LAUNCH, ON, "float* x, int n")
c09("a stream that a macro creates", "#define TRY(x) do { if ((x) != cudaSuccess) throw 1; } while (0)\n|" + MAKE % "TRY(cudaStreamCreate(&stream));" + LAUNCH, ON, "float* x, int n")
for what, before, *head in (("destroyed before", "  cudaStreamDestroy(stream);\n" + LAUNCH), ("destroyed before by a function", "void end(cudaStream_t s) { cudaStreamDestroy(s); }\n|  end(stream);\n" + LAUNCH),
                            ("destroyed before by an unknown function", "void release(cudaStream_t s);\n|  release(stream);\n" + LAUNCH), ("destroyed in the loop", "  for (int i = 0; i < n; ++i) {\n" + LAUNCH + "  cudaStreamDestroy(stream);\n  }\n"),
                            ("destroyed in a branch", "  if (n > 3) cudaStreamDestroy(stream);\n" + LAUNCH), ("of another function", "  auto l = [x](int n) {\n" + LAUNCH + "  };\n  l(n);\n"), ("that a lambda takes", "  auto l = [=] {\n" + LAUNCH + "  };\n  l();\n"),
                            ("not created yet", MAKE % "" + LAUNCH + "  cudaStreamCreate(&stream);\n", "float* x, int n"), ("created in a branch", MAKE % "if (n > 3) cudaStreamCreate(&stream);" + LAUNCH, "float* x, int n"),
                            ("to be set", LAUNCH, "float* x, int n, cudaStream_t& stream"), ("beside another one", LAUNCH, "float* x, int n, cudaStream_t stream, cudaStream_t second"),
                            ("with a copy on the default stream", LAUNCH + "  cudaMemcpy(&n, x, 4, cudaMemcpyDeviceToHost);\n"), ("with a wait for the default stream", LAUNCH + "  cudaStreamSynchronize(0);\n"),
                            ("with an event of the default stream", LAUNCH + "  cudaEvent_t e;\n  cudaEventRecord(e);\n"), ("beside a launch that names the default stream", LAUNCH + "  k<<<1, 128, 0, 0>>>(x, n);\n"),
                            ("beside a launch that cannot move", LAUNCH + "  cudaStreamDestroy(stream);\n" + LAUNCH.replace("256", "128")), ("of that name", "  for (int stream = 0; stream < n; ++stream) {\n" + LAUNCH + "  }\n")):
    c09(f"a stream {what}", before, None, *head)


# --fix-cuda, D01: what checks other calls may be no check, or none at another place.
def d01(what, before, written=None, behind="", line="  k<<<1, 256>>>(x, n);\n", head="void f(float* x, int n) {\n"):
    text = START + before + head + line + "}\n" + behind
    note = f"D01: checked with {written}" if written else "D01: not changed: "
    check(["--fix-cuda", "--rows=D01"], text, [(line, f"{line}  {written}(cudaGetLastError());\n")] if written else [], note, f"D01: {what}")


use = "void use(float* x) {{\n  {}\n}}\n"
STOP = "#include <cstdlib>\n#define CHECK(x) do { if ((x) != cudaSuccess) std::abort(); } while (0)\n"
STATUS = "#include <cstdlib>\nvoid check(cudaError_t status, int line = 0) {\n  if (status != cudaSuccess) std::exit(line);\n}\n"
d01("a macro", STOP + use.format("CHECK(cudaFree(x));"), "CHECK")
d01("a function", STATUS + use.format("check(cudaFree(x));"), "check")
d01("a function in a macro", STATUS + "#define TRY(x) { check((x), __LINE__); }\n" + use.format("TRY(cudaFree(x));"), "TRY")
d01("a template in a macro", "template <class T>\nvoid check(T status, const char*) {\n  if (status) throw status;\n}\n#define TRY(x) check((x), #x)\n" + use.format("TRY(cudaFree(x));"), "TRY")
d01("a function of a namespace", f"namespace own {{\n{STATUS.partition(chr(10))[2].replace('std::exit(line)', 'throw line')}}}\n" + use.format("own::check(cudaFree(x));"), "own::check")
d01("a macro that returns, in the same function", "#define TRY(x) if ((x) != cudaSuccess) return\n", "TRY", head="void f(float* x, int n) {\n  TRY(cudaFree(x));\n")
for what, before, *behind in (
        ("assert", "#include <cassert>\n" + use.format("assert(cudaFree(x));")), ("a comparison in assert", "#include <cassert>\n" + use.format("assert(cudaFree(x) == cudaSuccess);")),
        ("an exception", "#include <stdexcept>\n" + use.format("throw std::runtime_error(cudaGetErrorString(cudaFree(x)));")), ("puts", "#include <cstdio>\n" + use.format("puts(cudaGetErrorString(cudaFree(x)));")),
        ("a second argument", "#include <cstdlib>\n#define CHECK_EQ(a, b) if ((a) != (b)) std::abort()\n" + use.format("CHECK_EQ(cudaFree(x), cudaSuccess);")),
        ("a condition", "#include <cstdlib>\n#define REQUIRE(a) if (!(a)) std::abort()\n" + use.format("REQUIRE(cudaFree(x) == cudaSuccess); REQUIRE(cudaFree(x));")),
        ("a test of a failure", "#include <cstdlib>\n#define WRONG(x) if ((x) == cudaSuccess) std::abort()\n" + use.format("WRONG(cudaFree(x));")),
        ("a test of a failure in a function", STATUS.replace("check", "expect_failure") + use.format("expect_failure(cudaFree(x));")),
        ("a function of a number", "#include <cstdlib>\n" + use.format("std::exit(cudaFree(x));")),
        ("a macro that returns", "#define TRY(x) if ((x) != cudaSuccess) return\n" + use.format("TRY(cudaFree(x));")),
        ("a macro that goes on", "#define TRY(x) if ((x) != cudaSuccess) continue\n" + use.format("for (;;) {\nTRY(cudaFree(x)); }")),
        ("a macro with a variable of the function", "#include <cstdlib>\n#define TRY(x) if ((status = (x)) != cudaSuccess) std::abort()\n" + use.format("cudaError_t status;\n TRY(cudaFree(x));")),
        ("a macro with a member", "#define TRY(x) if ((x) != cudaSuccess) failed = true\nstruct Own {\n bool failed;\n" + use.format("TRY(cudaFree(x));") + "};\n"),
        ("a member", "struct Own {\n void check(cudaError_t);\n" + use.format("check(cudaFree(x));") + "};\n"),
        ("a lambda", use.format("auto check = [](cudaError_t status) { if (status != cudaSuccess) throw status; };\n  check(cudaFree(x));")),
        ("a function of another namespace", f"namespace own {{\nvoid check(cudaError_t);\n{use.format('check(cudaFree(x));')}}}\n"),
        ("a function behind the launch", "", STATUS + use.format("check(cudaFree(x));")), ("a macro behind the launch", "", STOP + use.format("CHECK(cudaFree(x));")),
        ("a macro that ends", STOP + use.format("CHECK(cudaFree(x));") + "#undef CHECK\n"), ("a string", "const char* text = \"CHECK(cudaFree(x));\";\n" + STOP)):
    d01(what, before, behind="".join(behind))
d01("a name that the function hides", STATUS + use.format("check(cudaFree(x));"), head="void f(float* x, int n) {\n  int check = n;\n  n = check;\n")
d01("a name that the launch's namespace hides", STATUS + use.format("check(cudaFree(x));") + "namespace own {\nvoid check(int, int);\n", behind="}\n")
d01("a launch in a lambda of a function with a macro that returns", "#define TRY(x) if ((x) != cudaSuccess) return\n", line="  auto l = [=] { k<<<1, 256>>>(x, n); return 1; };\n  l();\n", head="void f(float* x, int n) {\n  TRY(cudaFree(x));\n")
for rest in ("  // C:\\\n     more", "  /* one\n two */", " n = 3;", "  // \\ \n more"):
    check(["--fix-cuda", "--rows=D01"], START + STOP + use.format("CHECK(cudaFree(x));") + f"void f(float* x, int n) {{\n  k<<<1, 256>>>(x, n);{rest}\n}}\n",
          [("(x, n);" + rest, "(x, n);\n  CHECK(cudaGetLastError());" + rest)], "", f"D01: a line that ends in {rest!r}")
if problems:
    sys.exit("\n".join(problems))
