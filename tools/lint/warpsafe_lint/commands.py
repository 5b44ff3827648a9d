# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The command that compiles a file: compile_commands.json, response files, and the options that matter to the syntax tree."""

import functools
import json
import os
import pathlib
import shlex

# Options whose value is joined to them or is the next word.
KEPT = ("-isystem", "-iquote", "-include", "-idirafter", "-I", "-D", "-U")
FOLDERS = ("-isystem", "-iquote", "-idirafter", "-I")
# nvcc's long names, joined with '=' or with the next word.
LONG = {"--include-path": "-I", "--system-include": "-isystem", "--define-macro": "-D", "--undefine-macro": "-U",
        "--pre-include": "-include"}
# clang knows newer standards only by their earlier names.
STANDARDS = {"c++23": "c++2b", "gnu++23": "gnu++2b"}
# Programs that start the compiler: `ccache nvcc -c a.cu`.
LAUNCHERS = ("ccache", "sccache", "distcc", "icecc", "env", "time")
FOLDERS_OF_BUILDS = ("", "build", "out", "build/*", "build-*", "cmake-build-*", "out/*")
NESTED = 8  # response files that name response files


def upwards(folder):
    """A folder and those above it, below git's ceilings."""
    ceilings = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    for place in (folder, *folder.parents):
        if str(place) in ceilings:
            return
        yield place


def find_database(file):
    """The compile_commands.json of a file: in a folder above it, or in that folder's build folder."""
    for folder in upwards(pathlib.Path(file).resolve().parent):
        if folder == folder.parent:
            break  # the root of the file system is no project
        for place in FOLDERS_OF_BUILDS:
            found = sorted(folder.glob((place + "/" if place else "") + "compile_commands.json")) if "*" in place else [
                folder / place / "compile_commands.json"]
            for database in found:
                if database.is_file():
                    return database
    return None


class BadDatabase(Exception):
    """A compile_commands.json cannot be used, and why: one line."""


def is_text(value):
    """Whether libclang and the file system take it: no zero byte, and no half of a surrogate pair."""
    try:
        return isinstance(value, str) and "\0" not in value and value.encode() is not None
    except UnicodeEncodeError:
        return False


class Database:
    """A compile_commands.json, read once."""

    def __init__(self, name):
        self.name, self.broken = name, None
        self.entries = {}  # resolved file -> (number, entry); the first one of a file
        try:
            entries = json.loads(pathlib.Path(name).read_bytes().decode())
        except OSError as error:
            raise BadDatabase(f"{name}: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise BadDatabase(f"{name}: it is not JSON; configure the build again") from error
        if not isinstance(entries, list):
            raise BadDatabase(f"{name}: it is not a list of commands; configure the build again")
        for number, entry in enumerate(entries, 1):
            if not isinstance(entry, dict) or not is_text(entry.get("directory")) or not is_text(entry.get("file")):
                self.broken = f"{name}: entry {number} has no strings 'directory' and 'file'; configure the build again"
                break
            try:
                path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            except (OSError, RuntimeError):  # a name that is too long, a loop of links
                continue
            self.entries.setdefault(path, (number, entry))

    def command(self, file):
        """The words, the folder and the compiler of a file; a file without an entry, such as a header, gets those of
        the entry nearest to it. None if there is no entry. Raises BadDatabase."""
        file = pathlib.Path(file).resolve()
        found = self.entries.get(file)
        if found is None and self.broken:
            raise BadDatabase(self.broken)
        if found is None:
            alike = [item for item in self.entries.items() if may_share(item[0], file)]
            found = max(alike, key=lambda item: nearness(item[0], file), default=(None, None))[1]
        if found is None:
            return None
        number, entry = found
        words = entry.get("arguments", entry.get("command"))
        try:
            words = shlex.split(words) if isinstance(words, str) else words
        except ValueError:  # a quotation mark without its partner
            words = None
        if not isinstance(words, list) or not words or not all(map(is_text, words)):
            raise BadDatabase(f"{self.name}: entry {number} has no command; configure the build again")
        while len(words) > 1 and (pathlib.Path(words[0]).name in LAUNCHERS or "=" in words[0] and not words[0].startswith("-")):
            words = words[1:]
        return words[1:], pathlib.Path(entry["directory"]), pathlib.Path(words[0]).name


def may_share(one, other):
    """Whether the flags of a file can hold for another one: those of CUDA lead HIP's headers to NVIDIA's platform."""
    return other.suffix not in (".cu", ".hip") or one.suffix == other.suffix


def nearness(one, other):
    """How much two files have in common: the same name but for the ending, the same ending, the folders above."""
    above = 0
    for first, second in zip(one.parts[:-1], other.parts[:-1]):
        if first != second:
            break
        above += 1
    return above, one.stem == other.stem, one.suffix in (".cu", ".hip"), one.suffix == other.suffix


@functools.lru_cache(maxsize=8)
def database(name):
    return Database(name)


def expanded(words, folder=".", depth=NESTED, missing=None):
    """The words with those of response files in their place: `@a.rsp`, nvcc's `--options-file a.rsp` and `-optf a.rsp`,
    in which names are relative to the folder of the command. A file that cannot be read goes to `missing`."""
    out, words = [], list(words)
    while words:
        word = words.pop(0)
        name = None
        if word.startswith("@") and len(word) > 1:
            name = word[1:]
        elif word in ("--options-file", "-optf") and words:
            name = words.pop(0)
        elif word.startswith(("--options-file=", "-optf=")):
            name = word.split("=", 1)[1]
        if name is None:
            out.append(word)
            continue
        for part in name.split(","):
            path = pathlib.Path(folder) / part
            try:
                inside = shlex.split(path.read_text(errors="replace"), comments=False)
            except (OSError, ValueError):
                if missing is not None:
                    missing.append(str(path))
                continue
            if depth:
                out += expanded([word for word in inside if "\0" not in word], folder, depth - 1, missing)
    return out


def folders_of(value, folder, compiler):
    """The folders of one option. nvcc takes several, with commas between them."""
    whole = os.path.join(folder, value)
    if "," in value and compiler == "nvcc" and not os.path.isdir(whole):
        return [os.path.join(folder, part) for part in value.split(",") if part]
    return [whole]


def kept(words, folder=".", compiler="nvcc", missing=None):
    """The flags that matter to the syntax tree: include folders, macros, the standard. Leaves out nvcc's own
    options and everything about code generation, which libclang does not know."""
    out, words = [], expanded(words, folder, missing=missing)
    words = [word for word in words if word != "-Xclang"]
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in LONG and (equals or words):
            words[:0] = [LONG[name], value if equals else words.pop(0)]
        elif name in ("-Xcompiler", "--compiler-options") and (equals or words):
            words[:0] = (value if equals else words.pop(0)).split(",")
        elif word in ("-std", "--std") and words:
            out.append("-std=" + STANDARDS.get(words[0], words.pop(0)))
        elif word.startswith(("-std=", "--std=")):
            out.append("-std=" + STANDARDS.get(value, value))
        elif word == "-include-pch":
            words[:1] = []
        elif word in ("--extended-lambda", "-extended-lambda", "--expt-extended-lambda", "-expt-extended-lambda"):
            out.append("-D__CUDACC_EXTENDED_LAMBDA__")
        else:
            for option in KEPT:
                if word.startswith(option):
                    value = word[len(option):] or (words.pop(0) if words else "")
                    if option in ("-D", "-U"):
                        out.append(option + value)
                    elif option in FOLDERS:
                        for path in folders_of(value.lstrip("="), folder, compiler):
                            out += [option, path]
                    else:
                        # An -include may also name a file on the include path.
                        path = os.path.join(folder, value.lstrip("="))
                        out += [option, path if os.path.exists(path) else value.lstrip("=")]
                    break
    return out


def language_in(words, compiler):
    """The language that a command names, with -x or by the name of its compiler; or None."""
    named = None
    for word, following in zip(words, list(words[1:]) + [""]):
        if word in ("-x", "--x"):
            named = following
        elif word.startswith(("-x", "--x=")) and word[2:].lstrip("x=") in ("cu", "cuda", "hip"):
            named = word[2:].lstrip("x=")
        elif word.startswith(("--cuda-gpu-arch=sm", "--cuda-path")):
            named = named or "cuda"
    named = {"cu": "cuda", "cuda": "cuda", "hip": "hip"}.get(named)
    return named or {"nvcc": "nvcc", "hipcc": "hip", "hipcc.bin": "hip"}.get(compiler)
