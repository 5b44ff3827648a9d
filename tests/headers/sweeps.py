# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Reads all headers for two kinds of functions, and fails for each one that is not on a list here.

An answer that looks like a yes: a `result` is true as a condition whenever the query succeeds. A function that
answers a question therefore returns an `answer`, which is no condition. A new type in a `result<…>` belongs into
VALUES, if success is all that a condition could mean, or its function must return an `answer`.

Memory that a kernel gets a second time: a function of kernel code that hands out static or shared memory belongs
into SHARED, and the test of that file calls it twice. sweeps.py PROJECT"""

import re
import sys
from pathlib import Path

# What a result may hold. Objects and numbers are no yes or no: a condition tests for success, and says so.
VALUES = """
    void T std::tuple<T...> std::remove_cvref_t<T>*
    Dim3 Dim3<Space,X,Y,Z> SafeGrid Bytes max_blocks
    DeviceView DeviceView<T> PitchedView aligned_ptr<T,Alignment> aligned_view<T,Alignment> Aligned
    std::vector<element_of<R>> DeviceMemory* DeviceMemory<B>*
    DeviceId DeviceLimits KernelLimits Occupancy MemoryInfo
    StreamBound basic_capture basic_device_buffer basic_device_guard basic_event basic_event<B,false>
    basic_event<B,true> basic_executable_graph<B> basic_graph<B> basic_managed_buffer basic_module
    basic_module_kernel<B,Signature,Needs...> basic_pinned_buffer basic_pitched_buffer basic_stream
    basic_stream_ref basic_stream_ref<B>
""".split() + ["std::span<const element_of<R>>"]
# Numbers of which 0 is no "no": device_count() of 0 devices is an error, a time of 0 is a time, format_kernel()
# writes at least a line, and resident blocks per multiprocessor are only used inside of the library.
NUMBERS = {"stream/device.hpp": "int", "stream/event.hpp": "float", "launch/kernel_report.hpp": "std::size_t",
           "launch/occupancy.hpp": "int"}  # fmt: skip
# What an answer holds.
ANSWERS = ["Comparison", "Progress", "bool", "std::size_t", "T"]
# Functions of kernel code that hand out memory of the block, and their test.
SHARED = {"dynamic_shared", "shared_array"}
SHARED_TEST = "tests/unit/kernel/shared_memory_test.cpp"


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def argument(text, begin):
    """The template argument whose `<` is at an index, without spaces; "" if it does not end."""
    depth = 0
    for end in range(begin, len(text)):
        depth += (text[end] == "<") - (text[end] == ">")
        if depth == 0:
            return re.sub(r"\s+(?=[<>,*&.])|(?<=[<,])\s+", "", " ".join(text[begin + 1 : end].split()))
    return ""


def plain(held):
    """later<B, int>, which delays an instantiation, is int."""
    later = re.fullmatch(r"(?:detail::)?later<\w+,(.*)>", held)
    return later[1] if later else held


def held_types(text):
    """(result or answer, the type that it holds) of each of them in a header."""
    for found in re.finditer(r"\b(result|answer)<", text):
        held = argument(text, found.end() - 1)
        if held:
            yield found[1], plain(held)


def wrong_answers(name, text):
    problems = []
    for kind, held in held_types(text):
        if kind == "answer" and held not in ANSWERS:
            problems.append(f"{name}: an answer<{held}> is on no list of sweeps.py")
        if kind == "result" and held not in VALUES and NUMBERS.get(name) != held:
            problems.append(f"{name}: a result<{held}> is true although its value may say no; return answer<{held}>, "
                            "or add the type to VALUES of sweeps.py")  # fmt: skip
    for _ in re.finditer(r"\boperator bool\b", text):
        # The result of a guard converts as any result does: a guard has no answer.
        if name not in ("error/result.hpp", "stream/detail/guard_result.hpp"):
            problems.append(f"{name}: a conversion to bool, which only error/result.hpp refuses")
    return problems


HANDS_OUT = re.compile(r"__shared__|\bstatic_shared\(|host_thread->dynamic_shared\b(?!_)|^\s+static (?!constexpr|_)\w+ \w+[;{=]",
                       re.MULTILINE)  # fmt: skip
FUNCTION = re.compile(r"^(?:[\w:]+[\w:<>*& ]*[ *&])?(\w+)\([^;{}]*\)\s*(?:noexcept )?\{$", re.MULTILINE)


def shared_functions(text):
    """The functions of a header of kernel code that hand out static or shared memory."""
    names = set()
    for found in HANDS_OUT.finditer(text):
        before = [function[1] for function in FUNCTION.finditer(text, 0, found.start())]
        names.add(before[-1] if before else "?")
    return names


def main():
    project = Path(sys.argv[1])
    headers = project / "include/warpsafe"
    problems, held = [], set()
    kernel_code = {}
    for path in sorted(headers.rglob("*.hpp")):
        text = without_comments(path.read_text())
        name = str(path.relative_to(headers))
        problems += wrong_answers(name, text)
        held |= {item for item in held_types(text)}
        if "WARPSAFE_DETAIL_KERNEL_CODE" in text or ("WARPSAFE_FN" in text and "__CUDA_ARCH__" in text):
            kernel_code[name] = shared_functions(text)
    used = {one for kind, one in held if kind == "result"}
    problems += [f"VALUES of sweeps.py has {one}, which no header returns" for one in VALUES if one not in used]
    found = set().union(*kernel_code.values())
    if found != SHARED:
        problems.append(f"functions that hand out static or shared memory: {sorted(found)}, on the list: {sorted(SHARED)}")
    test = (project / SHARED_TEST).read_text()
    problems += [f"{SHARED_TEST}: {name} is not called twice" for name in SHARED if test.count(f"{name}<") < 2]
    # The sweeps find what they are for.
    planted = "answer<bool> f();\nresult<bool> g();\nresult<detail::later<B, Progress>> h();\nexplicit operator bool() const;\n"
    if len(wrong_answers("planted.hpp", planted)) != 3:
        problems.append("the sweep of answers does not find the planted ones")
    handed = "WARPSAFE_DETAIL_KERNEL_CODE T* scratch() {\n  __shared__ T storage[N];\n  return storage;\n}\n"
    if shared_functions(handed) != {"scratch"} or shared_functions(handed.replace("__shared__ T storage[N]", "static T one")) != {"scratch"}:
        problems.append("the sweep of shared memory does not find the planted function")
    print(*problems, sep="\n")
    print(f"{len(kernel_code)} headers of kernel code, {len(problems)} problems")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
