# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks the cost of StreamBound::call in the object code. In a release build the path of a call that succeeds
has one call, the library's function's, and no atomic instruction. With a buffer's view it also reads whether
a capture is open. Without a view it does not even that. A checked build has more, which shows that the check
looks at the right place."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "compile"))
from compilers import parse_arguments  # noqa: E402

ATOMIC = re.compile(r"\tlock |\txchg .*\(")
# What a release build may call elsewhere than on the path of success.
FAILS = ("library_error", "__stack_chk_fail")
# A view's memory is held by the graph of an open capture, and freed after the work of another stream.
RECORDS = "add_uses"


def disassemble(compiler, source, level):
    """{function: its lines of objdump -dr}. The part that a compiler moved away is called <function>.cold."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "release_calls.o"
        subprocess.run([*compiler.command, "-std=c++20", "-O2", "-DNDEBUG", f"-DWARPSAFE_CHECKS={level}",
                        "-c", str(source), "-o", str(target)], check=True)  # fmt: skip
        said = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", str(target)], check=True,
                              capture_output=True, text=True).stdout  # fmt: skip
    functions, lines = {}, []
    for line in said.splitlines():
        if start := re.match(r"[0-9a-f]+ <([\w.]+)>:", line):
            lines = functions.setdefault(start[1], [])
        else:
            lines.append(line)
    return functions


def success_path(lines):
    """The lines up to the first return. Compilers place what is unlikely behind it or in the cold part. A jump
    without a condition is followed, so that no call can hide behind it."""
    places = {match[1]: n for n, line in enumerate(lines) if (match := re.match(r"\s+([0-9a-f]+):\t", line))}
    path, n = [], 0
    while n < len(lines) and len(path) < len(lines):
        path.append(lines[n])
        if re.search(r":\tret", lines[n]):
            return path
        jump = re.search(r":\tjmp\s+([0-9a-f]+) ", lines[n])
        n = places[jump[1]] if jump and jump[1] in places else n + 1
    sys.exit("no return was found")


def called(lines):
    """The called functions, in order, from the relocations of calls and jumps."""
    targets = (re.search(r"R_X86_64_PLT32\t([^\s+-]+)", line) for line in lines)
    return [target[1] for target in targets if target and not target[1].startswith(".")]


def instructions(lines):
    return sum(bool(re.match(r"\s+[0-9a-f]+:\t(?!nop|data16|cs nop)", line)) and "R_X86" not in line
               for line in lines)  # fmt: skip


def complaints(functions, name, bare, may_record):
    """What a release build has beside the bare call, in the function `name`."""
    path, everything = success_path(functions[name]), functions[name] + functions.get(name + ".cold", [])
    reads = sum("capture_hooks" in line for line in path)
    elsewhere = [one for one in called(everything) if one not in bare and not any(map(one.count, FAILS))]
    print(f"{name}: {instructions(path)} instructions and {called(path)} on the path of success, "
          f"{elsewhere} elsewhere")  # fmt: skip
    if called(path) != bare:
        yield f"{name} calls {called(path)} on the path of success, not {bare}"
    if any(map(ATOMIC.search, everything)) or any("\tcall   *" in line for line in everything):
        yield f"{name} has an atomic instruction or calls through a pointer"
    if reads != may_record:
        yield f"{name} reads {reads} times whether a capture is open"
    if may_record != bool(elsewhere) or not all(RECORDS in one for one in elsewhere):
        yield f"{name} has further calls: {elsewhere}"


def main():
    compiler, arguments = parse_arguments(__doc__, ("source", {"type": Path}))
    release, checked = (disassemble(compiler, arguments.source, level) for level in (0, 1))
    bare = called(release["bare"])
    print(f"{compiler.name}: {instructions(release['bare'])} instructions bare")
    wrong = [] if len(bare) == 1 and "library_axpy" in bare[0] else [f"the bare function calls {bare}"]
    wrong += complaints(release, "with_pointers", bare, may_record=False)
    wrong += complaints(release, "with_views", bare, may_record=True)
    everywhere = [line for lines in checked.values() for line in lines]
    if not any(map(ATOMIC.search, everywhere)):
        wrong.append("a checked build has no atomic instruction")
    if not any("library_get_stream" in name for name in called(everywhere)):
        wrong.append("a checked build does not ask for the handle's stream")
    print(*wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
