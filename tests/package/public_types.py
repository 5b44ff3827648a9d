# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Lists the library's public types: the classes, structures and enumerations that the headers of the API
reference define in its namespaces, except those in detail. Also lists the types that are not printed, with
the reasons."""
import pathlib
import re

NO_VALUE = "all of it is in its type: no program holds a value of it to look at"
FUNCTIONS = "a set of functions, of which no object is made"
TOOL = "a tool with its own state: what it hands out is printed"
PARTS = "a part of a report or a file, whose whole is printed, or written by its tool"

WHY = {
    FUNCTIONS: "cuda_backend host_backend basic_hip_backend host::AllCalls debug::NvtxCalls debug::RoctxCalls handle_traits HandleCalls PointerModeCalls",
    NO_VALUE: "Functions Signatures reference CufftPlan HipblasHandle HipfftPlan "
              "HiprandGenerator HipsolverHandle HipsparseHandle RcclComm grid_space block_space cluster_space",
    TOOL: "debug::HappensBefore debug::Incidents debug::Journal debug::JournalReader "
          "debug::LaunchDump debug::ProfilerRanges debug::RaceChecker "
          "debug::RunRecorder debug::SpdlogSink",
    PARTS: "debug::Action debug::Moment debug::NpyArray debug::Overlap debug::Party debug::Race debug::RunError debug::RunLaunch "
           "debug::RunRecord debug::RunWait debug::RunEnvironment debug::RuntimeVersions debug::StreamHistory",
    "values of kernel code, in which nothing is printed": "Local3 StrideRange",
    "pointers to the program's own functions": "debug::LogSink Observer",
    "what an observer is told of a call, for as long as the call lasts": "CallRecord",
    "the library's own identifier, and two numbers with names": "NcclRank RcclRank",
    "switches: members with names, which nothing compares": "adversarial::Seeds debug::Environment debug::RecordOptions",
    "a scope: what it holds is the device that is current after it": "basic_device_guard",
    "a GoogleTest matcher: it describes itself": "AgreesWith",
    "an exception of one sentence": "BadResultAccess",
    "what a run compares, as a type alone": "host::ComparedValue",
    "a row of a module's table: the module's kernel is printed": "host::NamedKernel",
}
NOT_PRINTED = {name: why for why, names in WHY.items() for name in names.split()}


def without_noise(text):
    """A header without comments, literals and lines of the preprocessor."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*.*?\*/', " ", text, flags=re.S)
    return re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text)


def types_of(text):
    """Yields the types that a header defines in namespaces: the name with its namespaces, and whether it is a
    specialisation."""
    namespaces, depth, statement = [], 0, ""
    for part in re.findall(r"[{};]|[^{};]+", without_noise(text)):
        if part == "{":
            opened = re.search(r"(?:^|\s)namespace\s*([\w:]*)\s*$", statement)
            if depth == 0 and opened:
                namespaces.append(opened[1] or "detail")  # types in an unnamed namespace are private
            else:
                head = re.search(r"(?:^|[\s>)])(?:class|struct|union|enum\s+class|enum)\s+(?:WARPSAFE_DETAIL_\w+\s+)?(?:\[\[[^{]*?\]\]\s*)*([A-Za-z_]\w*)\s*(<.*>)?\s*(?:final\s*)?(?::(?!:).*)?$",
                                 statement.strip(), re.S)
                if depth == 0 and namespaces and head:
                    yield "::".join([*namespaces, head[1]]).replace("WARPSAFE_DETAIL_VERSION::", ""), head[2] is not None
                depth += 1
            statement = ""
        elif part == "}":
            if depth:
                depth -= 1
            else:
                namespaces.pop()
            statement = ""
        elif part == ";":
            statement = ""
        else:
            statement += part


def public_types(include):
    """The names, without `warpsafe::`, and the headers that define them."""
    found = {}
    for header in sorted(pathlib.Path(include).rglob("*.hpp")):
        place = header.relative_to(include).as_posix()
        # As in the API reference (docs/site/Doxyfile). A need is all in its type: no program holds one.
        if "/detail/" in place or place.endswith("kernel/needs.hpp"):
            continue
        for name, specialised in types_of(header.read_text(encoding="utf-8").replace("::inline WARPSAFE_DETAIL_VERSION", "")):
            if name.startswith("warpsafe::") and "detail" not in name and not (specialised and name != "warpsafe::LaunchConfig"):
                found.setdefault(name.removeprefix("warpsafe::"), place)
    return found


def problems(include, shown):
    """Returns the problems if the types `shown` (without `warpsafe::`) are printed: a forgotten type, a
    reason for a printed type, or a reason for a missing type."""
    public = public_types(include)
    if len(public) < 100:
        return [f"only {len(public)} public types were found"]
    missing = [f"{name} ({place}): printed by nobody, and no reason in {pathlib.Path(__file__).name}"
               for name, place in public.items() if name not in shown and name not in NOT_PRINTED]
    stale = [f"{name}: a reason why it is not printed, but it is" for name in NOT_PRINTED if name in shown]
    gone = [f"{name}: a reason why it is not printed, but there is no such type" for name in NOT_PRINTED if name not in public]
    unknown = [f"{name}: printed, and not found in the headers" for name in shown if name not in public and not name.startswith("boost::")]
    return missing + stale + gone + unknown
