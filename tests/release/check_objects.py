# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads object files of a release build: check_objects.py {off|full|calls} OBJECT...

off: the objects contain nothing that only checks need, a launch is one call until it has failed, a static
cover is a constant, and any other cover has no conditional jump.
full: the opposite of the first rule, for objects compiled with checks. This shows that the rules find
something. What runs rarely is not optimised, because that costs compile time. What a launch knows of its
kernel is data: no code makes it, at the launch or at the program's start.
calls: two objects that call the runtime, without and with checks; only the second tells observers of its
operations."""

import re
import subprocess
import sys

# Names and texts that only checked launches contain.
CHECKS = re.compile(r"validate_(launch|numbers)|check_launch|ask_driver|check_values|report_refusal|warn_only|"
                    r"continues_after_refusal|(Kernel|Device)Cache|KernelSlots|WARPSAFE_(ON_ERROR|LOG|SYNC|BREAK|SHADOW|REFERENCE|TRACE)|"
                    r"Journal|\bCompletion\b|debug10Completion|Incidents|Observation|show_arguments|BackendCalls|backend_calls|HostReference|before_launch|after_launch|Launch: kernel=|"
                    r"cudaFuncGetAttributes|cudaDeviceGetAttribute|cudaGetDevice\b")  # fmt: skip
# Names that tell observers of operations.
TELLS = re.compile(r"tell_call\w*|CallRecord")
# Functions that run at an error or once (WARPSAFE_DETAIL_RARE), as mangled.
RARE = re.compile(r"\d(launch_failed|report_refusal|runtime_error|ask_driver|query_failed|name_broken_rule|show_arguments)I?\w*$")
KERNEL_DATA = re.compile(r"KnownKernel<.*::data\b")
LAUNCHES = re.compile(r"(static|dynamic|configured)_(returned|inlined)")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def functions(path):
    """Each function's instructions, without its .cold part: {name: [(mnemonic, operands)]}."""
    found, name = {}, ""
    for line in output("objdump", "-dr", "--no-show-raw-insn", path).splitlines():
        if start := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            name = start[1]
            found[name] = []
        elif relocation := re.match(r"\s+[0-9a-f]+: (R_\S+)\s+(\S+)", line):
            found[name].append(("reloc", relocation[2]))
        elif code := re.match(r"\s+[0-9a-f]+:\s+(\S+)\s*(.*)", line):
            found[name].append((code[1], code[2]))
    return found


def success_path(code):
    """The instructions up to the first return; the code that refuses a launch is behind it or elsewhere."""
    names = [mnemonic for mnemonic, _ in code]
    return code[: names.index("ret") + 1]


def has_frame(code):
    """Whether a function begins as one without optimisation does."""
    begin = [mnemonic for mnemonic, _ in code if not mnemonic.startswith("endbr")]
    return begin[:2] == ["push", "mov"] and ("mov", "%rsp,%rbp") in code[:3]


def static_initialisers(said):
    """nvcc registers its kernels in its own static initialiser, which is allowed."""
    return [f"static initialiser: {name}" for name in re.findall(r"_GLOBAL__sub_I\S*", said)]


def complaints(path, checked):
    # -d: loaded sections; names in debug information are not code.
    said = output("nm", "-C", path) + output("strings", "-d", path)
    in_it = sorted(set(CHECKS.findall(said) and [m[0] for m in CHECKS.finditer(said)]))
    if checked:
        wrong = [] if len(in_it) > 5 else [f"only {in_it} found in an object with checks"]
        rare = {name: code for name, code in functions(path).items() if RARE.search(name)}
        # clang++ takes the frame away without optimisation too.
        of_clang = "clang" in output("readelf", "-p", ".comment", path)
        optimised = [name for name, code in rare.items() if not of_clang and not has_frame(code)]
        wrong += [f"optimised, although it runs rarely: {name}" for name in optimised]
        wrong += static_initialisers(said)
        if not KERNEL_DATA.search(said):
            wrong.append(f"no {KERNEL_DATA.pattern}: launches make it")
        return wrong if len(rare) > 3 else [*wrong, f"only {list(rare)} found of {RARE.pattern}"]
    wrong = [f"check-only: {name}" for name in in_it]
    wrong += static_initialisers(said)
    seen = 0
    for name, code in functions(path).items():
        if name.endswith(".cold") or ".cold" in name:
            continue
        path_code = success_path(code) if ("ret", "") in code else code
        calls = [m for m, _ in path_code if m.startswith("call")]
        jumps = [m for m, _ in path_code if re.match(r"j(?!mp)", m)]
        if LAUNCHES.search(name):
            seen += 1
            if len(calls) != 1 or len(jumps) != 1:
                wrong.append(f"{name}: {len(calls)} calls, {len(jumps)} conditional jumps, not 1 and 1")
        elif name == "constant_cover":
            seen += 1
            if [m for m, _ in path_code if not m.startswith("endbr")] != ["mov", "ret"]:
                wrong.append(f"{name} is no constant: {path_code}")
        elif name.startswith("branchless_"):
            seen += 1
            if jumps or calls:
                wrong.append(f"{name}: {jumps + calls}")
    if seen < 4:
        wrong.append(f"only {seen} functions to check were found")
    return wrong


def telling_names(path):
    return sorted({m[0] for m in TELLS.finditer(output("nm", "-C", path))})


def check_calls(without, checked):
    """Checks that only the second object tells of its operations; if neither does, this check is blind."""
    names = {path: telling_names(path) for path in (without, checked)}
    print(*(f"{path}: {', '.join(found) or 'tells nothing'}" for path, found in names.items()), sep="\n")
    return bool(names[without]) or not names[checked]


def main():
    if sys.argv[1] == "calls":
        return check_calls(*sys.argv[2:])
    failed = False
    for path in sys.argv[2:]:
        found = complaints(path, sys.argv[1] == "full")
        print(f"{path}: {'; '.join(found) or 'good'}")
        failed |= bool(found)
    return failed


if __name__ == "__main__":
    sys.exit(main())
