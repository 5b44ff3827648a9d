# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""How to parse a file: flags from compile_commands.json, or those after `--`."""

import json
import os
import pathlib
import shlex
import shutil

# Options whose value is joined to them or is the next word.
KEPT = ("-isystem", "-iquote", "-include", "-idirafter", "-I", "-D", "-U")
# clang knows newer standards only by their earlier names.
STANDARDS = {"c++23": "c++2b"}


def find_database(file):
    """The compile_commands.json of a file: in a folder above it, or in that folder's `build`."""
    for folder in pathlib.Path(file).resolve().parents:
        for place in (folder, folder / "build"):
            if (place / "compile_commands.json").is_file():
                return place / "compile_commands.json"
    return None


class BadDatabase(Exception):
    """A compile_commands.json cannot be used, and why: one line."""


def is_text(value):
    """Whether libclang and the file system take it: no zero byte, and no half of a surrogate pair."""
    try:
        return isinstance(value, str) and "\0" not in value and value.encode() is not None
    except UnicodeEncodeError:
        return False


def from_database(database, file):
    """The words, the folder and the compiler of a file's entry, or None. Raises BadDatabase."""
    file = pathlib.Path(file).resolve()
    try:
        entries = json.loads(pathlib.Path(database).read_bytes().decode())
    except OSError as error:
        raise BadDatabase(f"{database}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadDatabase(f"{database}: it is no JSON; configure the build again") from error
    if not isinstance(entries, list):
        raise BadDatabase(f"{database}: it is no list of commands; configure the build again")
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not is_text(entry.get("directory")) or not is_text(entry.get("file")):
            raise BadDatabase(f"{database}: entry {number} has no texts 'directory' and 'file'; configure the build again")
        folder = pathlib.Path(entry["directory"])
        try:
            if (folder / entry["file"]).resolve() != file:
                continue
        except (OSError, RuntimeError):  # a name that is too long, a loop of links
            continue
        words = entry.get("arguments", entry.get("command"))
        try:
            words = shlex.split(words) if isinstance(words, str) else words
        except ValueError:  # a quotation mark without its partner
            words = None
        if not isinstance(words, list) or not words or not all(map(is_text, words)):
            raise BadDatabase(f"{database}: entry {number} has no command; configure the build again")
        return words[1:], folder, pathlib.Path(words[0]).name
    return None


def kept(words, folder="."):
    """The flags that matter to the syntax tree: include folders, macros, the standard. Leaves out nvcc's own
    options and everything about code generation, which libclang does not know."""
    out, words = [], list(words)
    while words:
        word = words.pop(0)
        if word.startswith("--include-path="):
            out += ["-I", os.path.join(folder, word.split("=", 1)[1])]
        elif word in ("-std", "--std") and words:
            out.append("-std=" + STANDARDS.get(words[0], words.pop(0)))
        elif word.startswith(("-std=", "--std=")):
            value = word.split("=", 1)[1]
            out.append("-std=" + STANDARDS.get(value, value))
        else:
            for option in KEPT:
                if word.startswith(option):
                    value = word[len(option):] or (words.pop(0) if words else "")
                    if option in ("-D", "-U"):
                        out.append(option + value)
                    else:
                        value = value.lstrip("=")
                        # An -include may also name a file on the include path.
                        path = os.path.join(folder, value)
                        out += [option, path if option != "-include" or os.path.exists(path) else value]
                    break
    return out


def find_cuda():
    """The CUDA toolkit's folder, or None."""
    nvcc = shutil.which("nvcc")
    for place in (os.environ.get("CUDA_PATH"), nvcc and pathlib.Path(os.path.realpath(nvcc)).parents[1], "/usr/local/cuda"):
        if place and (pathlib.Path(place) / "include" / "cuda_runtime.h").is_file():
            return str(place)
    return None


def language_of(file, text, compiler=""):
    """cuda, hip or c++, by the file's ending, its compiler and its includes."""
    ending = pathlib.Path(file).suffix
    if ending in (".cu", ".cuh") and compiler != "hipcc":
        return "hip" if "hip/hip_runtime" in text else "cuda"
    if ending == ".hip" or compiler == "hipcc" or "hip/hip_runtime" in text:
        return "hip"
    return "cuda" if compiler == "nvcc" else "c++"


def arguments(language, flags, shims):
    """libclang's arguments for a file of that language. The host's view of a CUDA or HIP source also contains
    the kernels' bodies."""
    out = ["-fsyntax-only", "-ferror-limit=0", "-Wno-everything"]
    cuda = find_cuda()
    if language == "cuda":
        out += ["-x", "cuda", "--cuda-host-only", "-isystem", str(shims / "cuda13")]
        if cuda:
            out += ["--cuda-path=" + cuda, "-isystem", cuda + "/include", "-isystem", cuda + "/include/cccl"]
            out += ["-include", str(shims / "cuda13" / "missing_functions.h")]
        else:
            out += ["-nocudainc", "-nocudalib"]
    elif language == "hip":
        out += ["-x", "hip", "--cuda-host-only", "-nogpulib", "-D__HIP_PLATFORM_AMD__"]
        out += ["--rocm-path=" + os.environ.get("ROCM_PATH", "/opt/rocm" if os.path.isdir("/opt/rocm") else "/usr")]
    else:
        out += ["-x", "c++"] + (["-isystem", cuda + "/include"] if cuda else [])
    if not any(flag.startswith("-std=") for flag in flags):
        out.append("-std=c++17")
    return out + flags
