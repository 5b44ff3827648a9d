# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads a file with libclang: finds its flags, and says what of it could not be read."""

import glob
import os
import pathlib
import re

from . import commands, flags, index, prefix, project
from .libclang import load, own_headers
from .lines import without_comments
from .program import Program

KEEP_GOING = 0x200  # CXTranslationUnit_KeepGoing: reads on after a header that is not found
SOURCES = (".cu", ".hip")
OTHERS = (".cpp", ".cc", ".cxx", ".c++", ".cuh", ".h", ".hpp", ".hxx", ".hh")
LAUNCHES = re.compile(rb"<<<|\b(cuda|hip|cu)(Launch\w*Kernel\w*|GraphAddKernelNode)\s*\(|\bhipLaunchKernelGGL\b|\bhipModuleLaunchKernel\b")


# nvcc takes an alignment behind __shared__, clang only before it. The exchange keeps the text's length and lines.
ALIGNED = re.compile(r"(__shared__)(\s+)((?:alignas\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*)+)(?<!\s)")
# nvcc takes `T __restrict__ * p`, clang only `T * __restrict__ p`. The exchange keeps the text's length.
RESTRICT = re.compile(r"(?<=[\w>] )(__restrict(?:__)?)(\s*)(\*+)(\s+)(?=\w)|"
                      r"(?<=[\w>] )(__restrict(?:__)?)(\s+)(\*+)(?=\w)")
# nvcc takes `<<<grid, {16, 16}>>>`, clang only `<<<grid, dim3{16, 16}>>>`. Columns behind it are then four too large.
LAUNCH, BRACED = re.compile(r"<<<(?:(?!>>>)[^;])*>>>"), re.compile(r"(<<<|,)(\s*)\{")
# nvcc takes `<< <grid, block>> >`, which some formatters write, clang only the closed form. The exchange keeps the text's length.
SPACED = re.compile(r"<<[ \t]+<|>>[ \t]+>")
OPENING, CLOSING = re.compile(r"(?<!operator)(?<!operator[ \t])<<[ \t]*<"), re.compile(r">>[ \t]*>(?=\s*\()")
SIGN = re.compile(r"->|<<|[<>]=|[][(){};<>]")
# What clang's host view refuses and nvcc accepts, without a loss for the rules.
BENIGN = re.compile(r"initialization is not supported for __shared__ variables|call to __global__ function from __(global|device)__ function|"
                    r"no member named '(clockRate|deviceOverlap|kernelExecTimeoutEnabled|computeMode|memoryClockRate|maxTexture1DLinear|"
                    r"cooperativeMultiDeviceLaunch|singleToDoublePrecisionPerfRatio)' in 'cudaDeviceProp'|"
                    r"reference to __global__ function .* in __(global|device)__ function|"
                    r"call to __host__ function from __(global|device)__ function|no function template matches function template specialization|"
                    r"static assertion failed|declaration of '\w+' shadows template parameter|"
                    r"'\w+' is a builtin with type|static declaration of 'atomic\w+' follows|redefinition of 'atomic\w+'|template specialization requires 'template<>'|"
                    r"redeclaration of '(threadIdx|blockIdx|blockDim|gridDim)' with a different type|"
                    r"no matching function for call to '(cu(CtxCreate|MemAdvise|MemPrefetchAsync)|cu(da)?Graph(GetEdges|NodeGetDependen(cies|tNodes)|"
                    r"(Add|Remove)Dependencies)|cu(da)?Stream(GetCaptureInfo|UpdateCaptureDependencies))(_v\d)?'|"
                    r"use of undeclared identifier 'omp_\w+'|"  # behind #ifdef _OPENMP; no rule reads OpenMP's calls
                    r"use of undeclared identifier 'CUFFT_(INCOMPLETE_PARAMETER_LIST|PARSE_ERROR|LICENSE_ERROR)'|"
                    r"constexpr variable '.*' must be initialized by a constant expression|dynamic initialization is not supported for __device__|no return statement in constexpr function|"
                    r"__shared__ variable '.*' cannot be 'extern'|builtin functions must be directly called|__device__ function '.*' cannot overload __host__ __device__ function|variable-sized object may not be initialized|"
                    r"__cuda_builtin_\w+_t|"  # in nvcc blockDim is a dim3, for which a program may have operators
                    r"'main' must return 'int'|cannot jump from this (goto|switch|asm goto|indirect goto) statement to |"  # MSVC accepts these
                    r"functions that differ only in their return type cannot be overloaded|"
                    r"use 'template' keyword to treat '\w+' as a dependent template name")


# Headers of CUDA whose functions clang has already declared, for a source that includes them by name.
TWICE = re.compile(r"/sm_\d\d_\w+\.hp*$")
OWN = str(prefix.SHIMS / "cuda13")
THRUST = re.compile(r"no (?:member|template) named '(\w+)' in namespace 'thrust'")
# What hip/hip_runtime.h declares. hipRTC includes it by itself, and a build may force it.
RUNTIME_OF_HIP = re.compile(r"(?:use of undeclared identifier|unknown type name|no matching function for call to) '?(?:threadIdx|blockIdx|blockDim|gridDim|warpSize|dim3|hip\w+|__hip\w+)\b")
# nvcc takes `"r"(a) "r"(b)` without a comma in an asm statement, which no rule reads.
OPERANDS = re.compile(r'"[=+&]?\w+"\s*\([^()]*\)\s*"[=+&]?\w+"\s*\(')


def closed(text):
    """A text with `<<<` and `>>>` in place of `<< <` and `>> >`."""
    if not SPACED.search(text):
        return text
    seen = index.blanked(text)
    for opening in OPENING.finditer(seen):
        closing = closing_of(seen, opening.end()) or closing_of(seen, opening.end(), False)
        if closing:
            for found, new in ((opening, "<<<".ljust(len(opening[0]))), (closing, ">>>".rjust(len(closing[0])))):
                text = text[:found.start()] + new + text[found.end():]
    return text


def closing_of(text, at, templates=True):
    """Where the brackets of a launch close, as a match; or None. A `<` opens the arguments of a template, as `>>>` of
    `size<A<B<int>>>()` shows; if nothing closes them it is a comparison, and templates do not count."""
    depth = angles = 0
    while found := SIGN.search(text, at):
        sign, at = found[0], found.end()
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or depth == 0 and sign == ";":
            return None
        if depth == 0 and sign == "<":
            angles += templates
        elif depth == 0 and sign == ">" and angles:
            angles -= 1
        elif depth == 0 and sign == ">":
            closing = CLOSING.match(text, found.start())
            if closing:
                return closing
            at += text[at:at + 1] == ">"
    return None


def is_asm_without_comma(error):
    if error.spelling != "expected ')'" or error.location.file is None:
        return False
    try:
        lines = pathlib.Path(error.location.file.name).read_text(errors="replace").splitlines()
    except OSError:
        return False
    return OPERANDS.search("".join(lines[error.location.line - 1:error.location.line])) is not None


def is_benign(error):
    """Whether an error is one of clang's view: a constructor in shared memory, a launch inside of a kernel, a member that
    CUDA 13 took away, a form of a function that it replaced, or a comma that nvcc does not need."""
    if "redefinition of" in error.spelling and any(note.location.file and note.location.file.name.startswith(OWN) for note in error.children):
        return True  # a library of the tree has what CUDA 13 took away
    if is_asm_without_comma(error) or "redefinition of" in error.spelling and error.location.file and TWICE.search(error.location.file.name):
        return True
    return any(BENIGN.search(text) for text in (error.spelling, *(note.spelling for note in error.children)))


def sources(names):
    """The files to check: the named ones, and those in named folders that hold device code or launches, without folders of
    other libraries and of builds. And the folders that hold none."""
    found, empty = [], []
    for name in names:
        if not os.path.isdir(name):
            found.append(name)
            continue
        before = len(found)
        for folder, folders, files in os.walk(name):
            folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in project.SKIPPED and
                                not project.is_foreign(folder, each))
            for file in sorted(files):
                path = os.path.join(folder, file)
                if os.path.isfile(path) and (file.endswith(SOURCES) or file.endswith(OTHERS) and has_launch(path)):
                    found.append(path)
        if len(found) == before:
            empty.append(name)
    return list(dict.fromkeys(found)), empty


def has_launch(path):
    try:
        return LAUNCHES.search(pathlib.Path(path).read_bytes()) is not None
    except OSError:
        return False


def command_of(file, options):
    """The words, folder and compiler of a file's command: those after `--`, or those of compile_commands.json."""
    if options.behind:
        return options.behind, ".", ""
    name = pathlib.Path(options.p) if options.p else commands.find_database(file)
    if name is not None and name.is_dir():
        name = name / "compile_commands.json"
    return (commands.database(str(name)).command(file) if name is not None else None) or ([], ".", "")


def parse(file, options):
    """The Program of a file, and, if the compiler could not read all of it, a message and the headers that were not found. A
    file that is a part of another one, which includes it, is read there if it cannot be read alone."""
    program, errors, absent = parsed(file, file, options)
    if errors and program.language == "hip" and pathlib.Path(file).suffix == ".cu" and not options.language:
        # Headers that include HIP's under a condition, and rely on nvcc to include CUDA's by itself. Where the source includes
        # HIP's as CUDA too, it is one of HIP that lacks a library.
        other, others, lost = parsed(file, file, options, "cuda")
        if len(others) < len(errors) and not any("/hip/nvidia_detail/" in each.include.name for each in other.unit.get_includes()):
            program, errors, absent = other, others, lost
    if errors and not any(missing_header(error) for error in errors):
        for whole in project.includers(file)[:2]:
            # A part with launches is compiled as CUDA or HIP, also in a .cpp, which a build may compile once for each.
            other, others, lost = parsed(str(whole), file, options, None if whole.suffix in SOURCES else program.language)
            if other is not None and len(others) < len(errors):
                return other, *unread(file, others, lost)
            if other is not None and any(missing_header(error) for error in others):
                return program, *unread(file, others, lost)  # the header that is missing is the cause of both
    return program, *unread(file, [error for error in errors if not in_other_body(program, error)], absent)


def in_other_body(program, error):
    """Whether an error is inside of the body of a function that another file defines: clang has then read all of this file."""
    place = error.location
    if place.file is None or os.path.realpath(place.file.name) == os.path.realpath(program.file) or missing_header(error):
        return False
    return any(cursor.location.file and cursor.location.file.name == place.file.name and
               any(child.kind.name == "COMPOUND_STMT" and child.extent.start.offset < place.offset < child.extent.end.offset
                   for child in cursor.get_children()) for cursors in program.bodies.values() for cursor in cursors)


def parsed(main, file, options, language=None):
    """The Program of a file as `main` includes it, the errors, and response files that are not there. The Program is None if
    `main` does not include the file. A given language goes before what the file looks like."""
    cindex = load()
    text = pathlib.Path(main).read_text(errors="replace")
    fixes = options.fix or options.fix_cuda or options.diff
    if not fixes:  # which keep each line that they do not change
        text = RESTRICT.sub(r"\3\7\1\5\2\4\6", project.slashed(closed(text)))
        text = LAUNCH.sub(lambda launch: BRACED.sub(r"\1\2dim3{", launch[0]), text)
    words, folder, compiler = command_of(main, options)
    absent = []
    kept = commands.kept(words, folder, compiler, absent)
    named = commands.language_in(commands.expanded(words, folder), compiler)
    fixed = options.language or language
    language = fixed or flags.language_of(main, text, compiler, named)
    given = [value for option, value in zip(kept, kept[1:]) if option in commands.FOLDERS]
    headers = project.Headers(main, given, flags.vendor_folders(language))
    if language == "cuda" and not fixed and not named and headers.vendors == {"hip"}:
        language = "hip"  # a .cu whose own headers include HIP's
    if not words:
        kept += project.macros(headers.file, headers.root)
        standard = project.standard(headers.file.parent, headers.root)
        kept += [standard] if standard else []
    if headers.needs_standard() and not any(word.startswith("-std=") for word in kept):
        kept.append(headers.needs_standard())
    kept += headers.flags()
    arguments = flags.arguments(language, kept, prefix.SHIMS, headers.textures)
    # Passes the text in valid UTF-8, because positions count its bytes.
    texts = {main: ALIGNED.sub(r"\3\2\1", closed(text) if fixes else text), **headers.made}

    def read():
        unit = prefix.parse(cindex, main, texts, own_headers() + arguments, KEEP_GOING)
        return unit, [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error and not is_benign(d)]

    unit, errors = read()
    names = {found[1] for found in (THRUST.match(error.spelling) for error in errors) if found}
    lost = thrust_headers(names, flags.vendor_folders(language)) if names else []
    if lost:  # older headers of Thrust included these
        arguments += [word for name in lost for word in ("-include", name)]
        unit, errors = read()
    if language == "hip" and any(RUNTIME_OF_HIP.match(error.spelling) for error in errors):
        less, before = (unit, errors), arguments
        arguments = arguments + ["-include", "hip/hip_runtime.h"]
        unit, errors = read()
        if len(errors) >= len(less[1]):
            (unit, errors), arguments = less, before
    if errors and not words and not any(map(missing_header, errors)):
        less, before = (unit, errors), arguments
        arguments = arguments + [f"-D{name}=1" for name in headers.gpu_macros() if f"-D{name}" not in {word.partition("=")[0] for word in arguments}]
        unit, errors = read() if arguments != before else less
        if len(errors) >= len(less[1]):
            (unit, errors), arguments = less, before
    name = file
    if main != file:
        text = pathlib.Path(file).read_text(errors="replace")
        names = [each.include.name for each in unit.get_includes()]
        name = next((each for each in names if os.path.realpath(each) == os.path.realpath(file)), None)
        if name is None:
            return None, errors, absent
    program = Program(unit, name, text, language, own_headers() + arguments)
    program.complete = not errors
    # How a source in a string of this file is read.
    program.compile_words = lambda other: own_headers() + flags.arguments(other, kept, prefix.SHIMS)
    return program, errors, absent


def thrust_headers(names, folders):
    """The public headers of Thrust that declare some names."""
    found = {}
    for folder in folders:
        for path in sorted(glob.glob(f"{glob.escape(folder)}/thrust/*.h") + glob.glob(f"{glob.escape(folder)}/thrust/iterator/*.h")):
            text = without_comments(pathlib.Path(path).read_text(errors="replace"))
            for name in names:
                if re.search(rf"(?m)^(?!.*\breturn\b).*(\s{name}\s*\(|\b(class|struct|using)\s+(\w+\s+)?{name}\b)", text):
                    found.setdefault(name, path[len(folder):].strip("/"))
    return sorted(set(found.values()))


def missing_header(error):
    found = re.match(r"'(.+)' file not found", error.spelling)
    return found.group(1) if found else None


def unread(file, errors, absent):
    """One line for a file that was not read completely: the headers that were not found, or else the first error; and the
    headers."""
    if not errors:
        return "", []
    missing = list(dict.fromkeys(filter(None, map(missing_header, errors))))
    first = next(filter(missing_header, errors), errors[0])
    place = f"{first.location.file.name if first.location.file else file}:{first.location.line}"
    if missing:
        others = f", and not {', '.join(missing[1:4])}{' and others' * (len(missing) > 4)}" if len(missing) > 1 else ""
        why = f"clang does not find {missing[0]}, included at {place}{others}; name the header's folder: -- -I FOLDER"
    else:
        why = f"clang reports {len(errors)} error{'s' * (len(errors) > 1)}, the first at {place}: {first.spelling}"
    if absent:
        why += f"; its command names {absent[0]}, which does not exist; build the program once, then run the tool again"
    return f"{file}: not read completely: {' '.join(why.split())}", missing
