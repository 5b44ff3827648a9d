# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The tree that a file belongs to: its root, its files by name, and the include folders that the file needs."""

import functools
import glob
import os
import pathlib
import re
import site
import sys
import sysconfig

from .commands import upwards

MARKS = ("CMakeLists.txt", "Makefile", "makefile", "setup.py", "pyproject.toml", "meson.build", "BUILD", "BUILD.bazel", "WORKSPACE",
         "LICENSE", "LICENSE.txt", "LICENSE.md", "README.md", "README")
BUILDS = ("CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "setup.py", "meson.build")
GAP = 4  # folders without a mark between two with one
SKIPPED = {"node_modules", "__pycache__", "CMakeFiles"}
SOURCES, PARTS = (".cu", ".hip", ".cpp", ".cc", ".cxx"), (".cuh", ".h", ".hpp", ".hxx", ".hh", ".inl")
MOST_FILES, MOST_HEADERS = 300000, 3000
BACKSLASHES = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[\"<][^\">\n]*\\[^\">\n]*", re.M)
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
# Names that a project's folder must not take from the C and C++ libraries.
# The macros with which PyTorch compiles an extension: its own conversions of half types are then the only ones.
TORCH = ["-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__", "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
         "-D__CUDA_NO_HALF2_OPERATORS__"]
STANDARD = {"assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "limits.h", "locale.h", "math.h",
            "memory.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
            "strings.h", "time.h", "threads.h", "uchar.h", "unistd.h", "wchar.h", "algorithm", "array", "atomic", "bit", "complex",
            "exception", "functional", "iterator", "limits", "list", "map", "memory", "new", "numeric", "queue", "random",
            "ranges", "set", "span", "stack", "string", "thread", "tuple", "utility", "variant", "vector", "version"}
# Where Debian and the vendors put headers that a compiler does not search.
PLACES = ("/usr/include/eigen3", "/usr/include/opencv4", "/usr/lib/*/openmpi/include", "/usr/lib/*/mpich/include",
          "/usr/include/*/mpich", "/usr/include/hdf5/serial", "/opt/rocm/include", "/opt/rocm/include/hip", "/usr/include/hip", "/usr/local/include",
          "/usr/lib/llvm-*/lib/clang/*/include",
          str(pathlib.Path(__file__).resolve().parents[1] / "openmp"))  # GCC's omp.h has attributes that clang refuses
SYSTEM = ("/usr/include", "/usr/include/*-linux-gnu", "/usr/include/c++/*", "/usr/include/*-linux-gnu/c++/*")


# What a compiler defines for a platform: a Makefile that names one means another machine.
PLATFORM = re.compile(r"_?_?(APPLE|MACH|WIN32|WIN64|linux|CYGWIN|MINGW32|MINGW64|MSC_VER|CUDACC|NVCC|HIPCC|CUDA_ARCH)(_?_?)(=|$)")
DEFINED = re.compile(r"(?<![\w-])-D\s*(\w+(?:=[^\s\"'$();\\]+)?)(?=[\s\"';]|$)")
COMMAND = re.compile(r'(\w+)\s*\(((?:[^()"]|"(?:[^"\\]|\\.)*"|\((?:[^()"]|"(?:[^"\\]|\\.)*")*\))*)\)')
SCOPES = ("PUBLIC", "PRIVATE", "INTERFACE", "BEFORE")
FOR_GPU = re.compile(r"(\w+_)?(GPU|CUDA|NVCC)(=|$)")
# A header that CMake or autoconf makes from a template, `config.h.in`.
TEMPLATES = (".in", ".cmake", ".cmake.in", ".cmakein")
FOREIGN = re.compile(r"/(external\w*|extern|third_?part(?:y|ies)|3rd(?:_?party)?|vendor(?:ed)?|_?deps|dependencies|"
                     r"(?:cub|thrust|cutlass|cccl|eigen|glm|googletest|gtest|pybind11)-?v?\d[\w.]*)/", re.I)  # of other libraries
BLOCKS = ("if", "foreach", "while", "function", "macro")
STANDARDS = re.compile(r"-std[= ]\s*(?:c|gnu)\+\+(\d\d)\b|\b(?:cxx|cuda)_std_(\d\d)\b|"
                       r"\b(?:CMAKE_)?(?:CXX|CUDA|HIP)_STANDARD\s+\"?(\d\d)\b")
FOR_GPU_COMPILER = re.compile(r"(?i)nvcc|cuda|hip")
NEWEST, OLDEST = 23, 17  # CUDA 13's headers need C++17


def is_marked(folder):
    return any((folder / mark).is_file() for mark in MARKS)


@functools.lru_cache(maxsize=None)
def root_of(folder):
    """The root of the tree that a folder belongs to: the folder of its repository, or else the outermost folder above
    that has a build file, a licence or a README. It is never one of git's ceilings, or above one."""
    best, gap = folder, 0
    home = pathlib.Path.home()
    for place in upwards(folder):
        if (place / ".git").exists() or (place / ".hg").exists():
            return place
        if place in (home, place.parent) or gap > GAP:
            break
        if is_marked(place):
            best, gap = place, 0
        else:
            gap += 1
    return best


def is_foreign(parent, name):
    """Whether a folder holds another library, or what a build made: a run over a whole tree leaves it out."""
    place = os.path.join(parent, name)
    return FOREIGN.fullmatch(f"/{name}/") is not None or name.startswith("cmake-build-") or any(
        os.path.exists(os.path.join(place, made)) for made in ("CMakeCache.txt", "CMakeFiles"))


def build_text(path):
    """The text of a build file. OSError if it is no regular file: a named pipe would be read for ever."""
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    return pathlib.Path(path).read_text(errors="replace")


@functools.lru_cache(maxsize=None)
def index(root):
    """The regular files below a folder by their last name."""
    found, count = {}, 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
        for name in files:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                found.setdefault(name, []).append(path)
        count += len(files)
        if count > MOST_FILES:
            break
    return found


@functools.lru_cache(maxsize=None)
def hints(folder, root):
    """The include folders that the Makefile or CMakeLists.txt of a folder names, as far as they exist."""
    found = []
    for name in ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"):
        try:
            text = build_text(folder / name)
        except OSError:
            continue
        words = re.findall(r"-I\s*([^\s\"')]+)", text)
        for inside in re.findall(r"include_directories\s*\(([^)]*)\)", text, re.I):
            words += inside.replace('"', " ").split()
        for word in words:
            word = re.sub(r"\$[({](CMAKE_CURRENT_SOURCE_DIR|CMAKE_CURRENT_LIST_DIR|CURDIR)[)}]", str(folder), word)
            word = re.sub(r"\$[({](CMAKE_SOURCE_DIR|PROJECT_SOURCE_DIR)[)}]", str(root), word)
            path = os.path.normpath(os.path.join(folder, word))
            if "$" not in word and os.path.isdir(path) and path not in found:
                found.append(path)
    return found


def macros(file, root):
    """The macros that the nearest Makefile above a file and the CMakeLists.txt on the way to the root define under no condition,
    each one's first value; if there are none, those of a Makefile elsewhere that compiles the file for a GPU."""
    folder = file.parent
    found, seen = {}, []
    for place in (folder, *folder.parents):
        words = []
        for name in ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt"):
            made, text = name != "CMakeLists.txt", text_of(place / name)
            if text is not None and not (made and True in seen):
                words += make_macros(text) if made else cmake_macros(text, False not in seen)
                seen.append(made)
        for word in words:
            if not PLATFORM.match(word):
                found.setdefault(word.partition("=")[0], word)
        if place == root:
            break
    if not seen:
        makefiles = [pathlib.Path(path) for path in (*index(root).get("Makefile", ()), *index(root).get("makefile", ()))]
        text = next((text for text in map(text_of, makefiles) if text and re.search(rf"\b{re.escape(file.stem)}\.", text) and
                     FOR_GPU_COMPILER.search(text)), "")
        found = {word.partition("=")[0]: word for word in reversed(make_macros(text)) if not PLATFORM.match(word)}
    return ["-D" + word for word in found.values()]


def of_template(text):
    """A header made from its template: macros that turn the GPU on are set, and others are not; numbers are 0."""

    def line(found):
        word, name, rest = found[1], found[2], found[3].strip()
        if word == "cmakedefine01":
            return f"#define {name} {int(bool(FOR_GPU.match(name)))}"
        return f"#define {name} {rest or (1 if word == 'undef' else '')}" if FOR_GPU.match(name) else ""

    text = re.sub(r"(?m)^[ \t]*#[ \t]*(cmakedefine01|cmakedefine|undef)[ \t]+(\w+)([^\n]*)", line, text)
    text = re.sub(r"(?m)^([ \t]*#[ \t]*(?:define|undef|ifn?def)[ \t]+\w*)(?:@\w+@|\$\{\w+\})", r"\1X", text)
    return re.sub(r"@\w+@|\$\{\w+\}", "0", text)


def text_of(path):
    """A build file's text without its comments, or None."""
    try:
        return re.sub(r"(?m)(^|\s)#.*", "", build_text(path))
    except OSError:
        return None


def make_macros(text):
    """The macros in a Makefile: of those between ifeq or its relatives and endif only the ones that turn the GPU on. A variable
    that is a macro's value stands for its first value."""
    depth, found, variables = 0, [], {}
    for name, value in re.findall(r"(?m)^[ \t]*(\w+)[ \t]*[:?]*=[ \t]*(\w+)[ \t]*$", text):
        variables.setdefault(name, value)
    text = re.sub(r"(-D\w+=)(['\"]?)\$[({](\w+)[)}]\2", lambda macro: macro[1] + variables[macro[3]] if macro[3] in variables else macro[0], text)
    for line in text.splitlines():
        word = re.match(r"\s*(ifn?eq|ifn?def|endif)\b", line)
        if word:
            depth = max(depth + (-1 if word[1] == "endif" else 1), 0)
        else:
            found += [name for name in DEFINED.findall(line) if not depth or FOR_GPU.match(name)]
    return found


def cmake_macros(text, nearest):
    """The macros that a CMakeLists.txt defines for its folder, and, if it is the nearest one of a source, for targets: outside of
    functions and if(), in if() of an option that is ON, or to turn the GPU on."""
    blocks, found, on = [], [], set()  # of each block around a command: whether it is sure to run
    for name, inside in COMMAND.findall(text):
        name, words = name.lower(), []
        if name in BLOCKS:
            blocks.append(name == "if" and inside.strip() in on)
        elif name in ("else", "elseif") and blocks:
            blocks[-1] = False
        elif name.startswith("end") and name[3:] in BLOCKS:
            del blocks[-1:]
        elif name == "option" and re.search(r"\sON\s*$", inside):
            on.add(inside.split()[0])  # under a condition too: the default of the usual machine
        elif name == "add_definitions" or name == "set" and re.match(r"\s*\w*FLAGS\b", inside):
            words = DEFINED.findall(re.sub(r"(^|\s)/D", r"\1-D", inside))
        elif name == "add_compile_definitions" or name == "target_compile_definitions" and nearest:
            words = [word.strip('"').removeprefix("-D") for word in inside.split()[name.startswith("target"):]]
            words = [word for word in words if re.fullmatch(r"\w+(=[^\"'$();\\]+)?", word) and word not in SCOPES]
        found += [word for word in words if all(blocks) or FOR_GPU.match(word)]
    return found


@functools.lru_cache(maxsize=None)
def standard(folder, root):
    """The flag for the C++ standard that the nearest build file above a folder names, the newest of several; if none does, the
    newest one of the tree's build files that compile for a GPU. None if that is not after C++17, which is what the tool takes by
    itself."""
    for place in (folder, *folder.parents):
        named = standards(place / name for name in BUILDS)
        if named or place == root:
            break
    if not named:
        named = standards((path for name in BUILDS for path in index(root).get(name, ())), FOR_GPU_COMPILER)
    return f"-std=c++{max(named)}" if named and max(named) > OLDEST else None


def standards(paths, needed=""):
    """The C++ standards that those build files name which have a needed text."""
    found = []
    for path in paths:
        try:
            text = re.sub(r"(?m)^\s*#.*", "", build_text(path))
        except OSError:
            continue
        if re.search(needed, text):
            found += [int("".join(match.groups(""))) for match in STANDARDS.finditer(text)]
    return [number for number in found if number <= NEWEST]


@functools.lru_cache(maxsize=20000)
def includes(path):
    """The headers that a file names, each with its bracket."""
    try:
        text = pathlib.Path(path).read_bytes()
    except OSError:
        return ()
    return tuple((bracket.decode(), name.decode(errors="replace")) for bracket, name in INCLUDE.findall(text))


def slashed(text):
    """A text with `/` in place of each `\\` between folders in an include. The exchange keeps the text's length."""
    return BACKSLASHES.sub(lambda found: found[0].replace("\\", "/"), text)


@functools.lru_cache(maxsize=4)
def by_small_letters(root):
    """The files of a tree by the small letters of their last names."""
    found = {}
    for name, paths in index(root).items():
        found.setdefault(name.lower(), []).extend(paths)
    return found


@functools.lru_cache(maxsize=20000)
def has_textures(path):
    try:
        return re.search(rb"^\s*(static\s+|extern\s+|typedef\s+|using\s+\w+\s*=\s*)?texture\s*<", pathlib.Path(path).read_bytes(), re.M) is not None
    except OSError:
        return False


@functools.lru_cache(maxsize=1)
def python_folders():
    """Include folders of Python and of its packages that compile extensions: PyTorch, pybind11, NVIDIA's own."""
    packages = [*sys.path, *site.getsitepackages(), site.getusersitepackages()]
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if os.environ.get(variable):
            packages += glob.glob(os.environ[variable] + "/lib/python3*/site-packages")
    found = []
    for folder in dict.fromkeys(packages):
        for inside in ("torch/include", "torch/include/torch/csrc/api/include", "pybind11/include", "numpy/_core/include",
                       "numpy/core/include", "nvidia/*/include"):
            found += sorted(glob.glob(os.path.join(glob.escape(folder), inside)))
    return [*dict.fromkeys(found), sysconfig.get_paths()["include"], *sorted(glob.glob("/usr/include/python3*"))]


@functools.lru_cache(maxsize=1)
def places():
    return [folder for pattern in PLACES for folder in sorted(glob.glob(pattern))] + python_folders()


@functools.lru_cache(maxsize=1)
def system():
    return [folder for pattern in SYSTEM for folder in sorted(glob.glob(pattern))]


@functools.lru_cache(maxsize=4)
def included_in(root):
    """The files of a tree by the last name of each header that they include."""
    found = {}
    for paths in index(root).values():
        for path in paths:
            if path.endswith(SOURCES + PARTS):
                for _, name in includes(path):
                    found.setdefault(os.path.basename(name), set()).add(path)
    return found


def includers(file):
    """Sources of the tree that include a file, directly or through other headers, the nearest ones first."""
    file = pathlib.Path(file).resolve()
    whole = included_in(root_of(file.parent))
    pending, seen, found = [str(file)], {str(file)}, []
    while pending and len(seen) < MOST_HEADERS:
        part = pending.pop(0)
        for path in sorted(whole.get(os.path.basename(part), ()), key=lambda path: -len(os.path.commonpath([part, path]))):
            if path in seen or not any(part.endswith("/" + re.sub(r"^(\.\.?/)+", "", name)) for _, name in includes(path)):
                continue
            seen.add(path)
            (found if path.endswith(SOURCES) else pending).append(path)
    return [pathlib.Path(path) for path in found]


class Headers:
    """The include folders that one file needs beside those that its command gives."""

    def __init__(self, file, given, vendor):
        self.file = pathlib.Path(file).resolve()
        self.root = root_of(self.file.parent)
        self.given, self.vendor = list(given), list(vendor)
        self.textures = False  # whether it has texture references
        self.vendors = set()  # whose runtime the file and its tree's headers include
        self.made = {}  # path of a header that the build makes -> its text
        self.own, self.foreign = {}, {}  # folder -> None: of the tree, of third parties
        self.named = set()  # those of the tree that a build file names
        self.seen = {str(self.file)}  # the file and the tree's headers that it includes
        self._read(str(self.file))

    def gpu_macros(self):
        """The macros that turn the GPU on, by their names, of which the file and the tree's headers ask whether they are set."""
        texts = (pathlib.Path(path).read_text(errors="replace") for path in sorted(self.seen))
        return sorted({name for text in texts for line in re.findall(r"(?m)^[ \t]*#[ \t]*(?:if|ifdef|elif)\b.*", text)
                       for name in re.findall(r"\w+", line) if FOR_GPU.fullmatch(name)})

    def flags(self):
        out = []
        nearest = sorted(self.own.items(), key=lambda item: (item[0] not in self.named, -self._nearness(item[0])[0]))
        for folder, bracket in nearest:
            shadows = any(os.path.isfile(os.path.join(folder, name)) for name in STANDARD)
            out += [("-iquote" if bracket == '"' else "-idirafter") if shadows else "-I", folder]
        for folder in self.foreign:
            out += ["-idirafter", folder]
        return out + (TORCH if any(folder.endswith("/torch/include") for folder in self.foreign) else [])

    def needs_standard(self):
        """The flag for the C++ standard of a PyTorch whose headers need C++20, as those of its latest releases; else None."""
        newer = any(os.path.isfile(os.path.join(folder, "torch/headeronly/version.h")) for folder in self.foreign)
        return "-std=c++20" if newer else None

    def _read(self, first):
        pending, seen = [first], self.seen
        while pending and len(seen) < MOST_HEADERS:
            path = pending.pop()
            self.textures = self.textures or has_textures(path)
            if path != first and any("\\" in name for _, name in includes(path)):
                self.made[path] = slashed(pathlib.Path(path).read_text(errors="replace"))
            for bracket, name in includes(path):
                name = name.replace("\\", "/")
                if name.startswith(("hip/", "cuda_runtime", "cuda.h", "device_launch_parameters")):
                    self.vendors.add("hip" if name.startswith("hip/") else "cuda")
                found = self._find(path, bracket, name)
                if found is not None and found not in seen:
                    seen.add(found)
                    pending.append(found)

    def _find(self, path, bracket, name):
        """The header's file if it belongs to the tree, with its folder noted; None for any other."""
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if bracket == '"' and os.path.isfile(beside):
            return beside
        tail = "/" + re.sub(r"^(\.\.?/)+", "", name)
        choice = [path for path in index(self.root).get(os.path.basename(name), ()) if path.endswith(tail)]
        nearest = max((self._nearness(path)[0] for path in choice), default=0)
        for folder in [*self.given, *self.own]:
            inside = os.path.normpath(os.path.join(folder, name))
            # Another folder of the tree may have a header of that name which is nearer.
            if os.path.isfile(inside) and (folder not in self.own or folder in self.named or self._nearness(inside)[0] >= nearest):
                return inside
        if any(os.path.isfile(os.path.join(folder, name)) for folder in [*self.vendor, *self.foreign, *system()]):
            return None
        for folder in [self.file.parent, *self.file.parents]:
            for hint in hints(folder, self.root):
                inside = os.path.normpath(os.path.join(hint, name))
                if os.path.isfile(inside):
                    self.own[hint] = bracket
                    self.named.add(hint)
                    return inside
            if folder == self.root:
                break
        templates = [path for ending in TEMPLATES for path in index(self.root).get(os.path.basename(name) + ending, ())]
        if templates and all(FOREIGN.search(path[len(str(self.root)):]) for path in choice):
            choice = []  # another library's header of that name
        if choice:
            best = max(choice, key=lambda path: (self._nearness(path), -len(path)))
            # A name that begins with ../ is relative to a folder that exists below the found one.
            if not name.startswith("../"):
                self.own[best[:-len(tail)] or "/"] = bracket
                return best
            for folder in (os.path.dirname(best), *(str(p) for p in pathlib.Path(best).parent.rglob("*") if p.is_dir())):
                if os.path.isfile(os.path.normpath(os.path.join(folder, name))):
                    self.own[folder] = bracket
                    return best
            return best
        for folder in places():
            if os.path.isfile(os.path.join(folder, name)):
                for each in [f for f in places() if f.startswith(folder.split("/torch/include")[0] + "/torch/include")] or [folder]:
                    self.foreign[each] = None
                return None
        if templates:
            best = max(templates, key=self._nearness)
            folder = os.path.dirname(best)
            self.own[folder] = bracket
            self.made[folder + tail] = of_template(pathlib.Path(best).read_text(errors="replace"))
            return None
        return self._of_small_letters(bracket, name, tail)

    def _of_small_letters(self, bracket, name, tail):
        """The file that Windows takes for a name in other letters."""
        alike = by_small_letters(self.root).get(os.path.basename(name).lower(), ())
        choice = [path for path in alike if path.lower().endswith(tail.lower())]
        if not choice or name.startswith("../"):
            return None
        best = max(choice, key=self._nearness)
        folder = best[:-len(tail)]
        self.own[folder] = bracket
        self.made[folder + tail] = f'#include "{best}"\n'
        return best

    def _nearness(self, path):
        """How near a path is to the file: the length of what they share, less for a build folder or a test."""
        own = str(self.file)
        shared = len(os.path.commonprefix([own, path]))
        folders = os.path.commonpath([own, path]).count("/")
        return folders, "/build" not in path, shared
