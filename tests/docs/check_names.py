#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Compares the names on the pages with the headers, in both directions: check_names.py PROJECT [--update]

A name between backquotes, or in a block of C++, exists: a qualified name (`ws::launch`, `Errc::size_zero`,
`Stream::create`) in the headers, a call (`cover(…)`, `x.view()`) in the headers or in code on the page, and any other
word somewhere in the project. And each public name of the headers is on a page that explains it. Also makes the table
of docs/reference/api.md; --update writes it."""
import collections
import functools
import pathlib
import re
import subprocess
import sys

import api_page
import declarations

WORD = re.compile(r"[A-Za-z_]\w*")
FENCE = re.compile(r"(?ms)^ *```([^\n]*)\n(.*?)^ *```$")
SPAN = re.compile(r"`([^`]+)`")
# Names of C++, of the vendors, and of programs that a page talks about.
LANGUAGE = set("""abort bool decltype defined distance emplace error_code exit find has_value int long main max memcpy min move operator
    size sizeof static_assert string sort unsigned vector visibility void""".split())
VENDORS = re.compile(r"atomic[A-Z]\w*|(cu|cuda|hip|nccl|rccl|roc|cufft|cublas|cusparse|curand|nvrtc|hiprtc|nvtx)[A-Z_]\w*|CU\w+|NV\w+|ROC\w+|__\w+|at|torch")
OTHERS = {
    "headers.md": "NAME stands for a test",
    "host-backend.md": "machine instructions",
    "reading.md": "headers and options of other projects",
    "lint.md": "files and kernels of the programs that were linted",
    "rules.md": "C functions that a rule looks for",
    "migration.md": "files and kernels of the program that was migrated",
    "misuse.md": "the words of compilers",
    "peers.md": "other libraries' names",
    "pytorch.md": "PyTorch's names",
    "race-detector.md": "GoogleTest's names",
    "run.md": "programs that were watched",
    "pools.md": "functions of other projects",
}
FEW = {  # page: words that stand for something outside of the project
    "CONTRIBUTING.md": {"ci", "vX"}, "backends.md": {"ulimit", "yours"}, "memory-lifetime.md": {"contiguous", "device_vector"}, "compare-runs.md": {"train_one_step"}, "hangs.md": {"CONT"}, "memory-guard.md": {"PYTORCH_NO_CUDA_MEMORY_CACHING"}, "files.md": {"PID"}, "calls.md": {"ALLOC_FAILED", "ARCH_MISMATCH", "NOT_SUPPORTED", "OFFSET", "ZERO_PIVOT", "cudnnQueryRuntimeError"}, "long-tests.md": {"minimize_crash"}, "handles.md": {"get_stream"}, "limits.md": {"KILL", "KINETO_LOG_LEVEL", "PYTORCH_NO_CUDA_MEMORY_CACHING", "taskset", "wait4"}, "device-code.md": {"k"},
    "files-and-libraries.md": {"fvisibility"},
    "error-values.md": {"needs_braces"}, "launch-config.md": {"yours"}, "compare.md": {"EXPECT_THAT"}, "README.md": {"find_package"},
}
# Public names that no page explains, and why.
UNEXPLAINED = {
    r"LaunchError::(with_\w+|extra|operation)|\w*::(is_scope_guard|is_shared_owner|WARPSAFE_DETAIL_NO_CONSTRUCTOR)|WARPSAFE_DETAIL_NO_OPERATOR|.*::(is_gtest_matcher|MatchAndExplain|Describe(Negation)?To)|PrintTo|BadResultAccess":
        "the library's own parts, or GoogleTest's, which a program never writes",
    r"DeviceView::(front|back)": "does not compile, and says why",
    r"tool::.*": "what a tool builds on: tool/names.hpp lists the names with what they are for",
    r".*::(launch_part|apply|its_\w+|entry|entry_type|kernel_type|native_handle|memory_owner|value_type|(grid|block|shared)_type|space|is_static|is_usable|is_outside_captures|shares_stream_with)|KernelNeeds::.*":
        "what a launch asks its arguments",
    r"(basic_\w+|\w+_t|NonPortableCluster|Functor\w+|(Host|Device)Scalar|aligned_view(::.*)?|trusted_(span|ptr)|AgreesWith|count_t|NoOption|(grid|cluster)_space|dynamic_dim|Index3|Local3|StrideRange::.*|floor_of|size_type)":
        "a type or constant behind a name that a page explains",
    r"is_(grid_dim|block_dim|cluster_dim|safe_grid|launch_config|result|printed_by_name|error_code_enum)|formatter|axis_letter|overload|WARPSAFE_(ERROR|DEVICE_LIMIT|KERNEL_LIMIT|KERNEL_NEED)":
        "asked by the library's own templates and headers",
    r"(ModuleCalls|ParameterInfo|KernelEntry|MemoryKind|CopyKind|Provenance|LaunchShape)(::.*)?|host::AllCalls(::.*)?|host::NamedKernel::.*":
        "for a new backend: docs/contributing/backends.md leads to the concept Backend, whose header lists them",
    r"debug::(Action\w*|Clock|Epoch|HappensBefore|Moment|Party|Point|Race(Checker|Report)?|Strand|StreamHistory|Finding|Mistake|Overlap)(::.*)?|(AccessKind|MemoryAccess)(::.*)?|debug::(no_point|finding_of|missing_wait|unwritten_read|add_findings|column_name|action_text)|host::AdversarialSession(::.*)?|adversarial::Seeds|host::(ComparedValue(::.*)?|IsOutcome)":
        "the parts of the race detector: docs/internals.md says how they work",
    r"debug::(Environment|LaunchFilter|Journal|JournalReader|Incidents|Completion|JsonObject|DumpWriter|LaunchMemory|NvtxCalls|RoctxCalls|ProfilerRanges)(::.*)?|debug::(is_listed|is_in_flight|put_listed|put_in_flight|is_logged|log_level|instance|state_name|vendor_name|describe_environment)":
        "the parts of the debug tools: programs use the variables and the functions on the tools' pages",
    r"Subcode::.*|Errc::.*": "docs/reference/errors.md comes from their rows",
    r"host::HostStatus::.*": "CUDA's errors of the same names, as docs/guide/backends.md says",
    r"ElementType::.*|GraphChange::(topology|node_kind)": "values that a page names by their type",
}


def pages(project):
    return [*api_page.pages(project), *sorted((project / "docs/contributing").glob("*.md")), project / "README.md", project / "CONTRIBUTING.md"]


def code_of(text):
    """The blocks of a page, and what its prose has between backquotes."""
    blocks = FENCE.findall(text)
    return blocks, SPAN.findall(FENCE.sub("", text))


def words_of_project(project):
    """Every word of the project's files except its pages, and the words of the files' names."""
    listed = subprocess.run(["git", "-C", str(project), "ls-files"], capture_output=True, text=True)
    files = [project / name for name in listed.stdout.split("\n") if name] if listed.returncode == 0 else [
        path for path in project.rglob("*") if "build" not in path.relative_to(project).parts[:1]]
    words = set()
    for file in files:
        words |= set(WORD.findall(file.relative_to(project).as_posix()))
        if file.suffix in (".md", ".svg", ".json") or not file.is_file() or file.samefile(__file__):
            continue
        words |= set(WORD.findall(file.read_text(encoding="utf-8", errors="ignore")))
    return words


class Names:
    def __init__(self, project):
        self.declared, self.behind = declarations.of_project(project)
        self.scopes = collections.defaultdict(set)  # a name: the last parts of the scopes that declare it
        for one in self.declared:
            self.scopes[one.name].add(one.scope[-1] if one.scope else "")
        self.parts = {part for one in self.declared for part in one.scope} | {one.name for one in self.declared if one.kind == "type"}

    def has(self, scope, name, seen=()):
        """Whether the namespace or type, one of its bases or what it is an alias of, declares the name."""
        if scope in self.scopes[name] or name == scope:
            return True
        return any(self.has(other, name, (*seen, scope)) for other in self.behind.get(scope, ()) if other not in seen and other != scope)


def unknown(page, text, names, project_words):
    """The names on a page that do not exist."""
    blocks, spans = code_of(text)
    on_page = set(WORD.findall(" ".join(block for kind, block in blocks)))
    cpp = [re.sub(r"//[^\n]*|\"[^\"\n]*\"", "", block) for kind, block in blocks if kind.startswith("cpp")]
    excused = FEW.get(page.name, set()) | LANGUAGE
    for code in [*cpp, *spans]:
        for scope, name in re.findall(r"([A-Za-z_]\w*)(?:<[^<>]*>)?::([A-Za-z_]\w*)", code):
            scope = "warpsafe" if scope == "ws" else scope
            if scope == "detail" and page.name == "misuse.md":
                continue  # of Boost.Outcome, in a compiler's words
            if scope in names.parts and not names.has(scope, name) and not (scope in ("warpsafe", "ws") and name in names.parts | {"cuda", "hip", "separate"}):
                yield f"{page.name}: no header has {scope}::{name}"
    if page.name in OTHERS:
        return
    for code in spans:
        for name in re.findall(r"([A-Za-z_]\w*)(?:<[^<>]*>)?\(", code):
            if name not in names.scopes and name not in on_page | excused and not VENDORS.fullmatch(name):
                yield f"{page.name}: no header and no code on the page has {name}()"
        for name in WORD.findall(code):
            if name not in project_words and name not in on_page | excused and not VENDORS.fullmatch(name):
                yield f"{page.name}: no file of the project has `{name}`"


def unexplained(project, names):
    """The public names of the headers that are on no page, or in the list without need."""
    explained = set()
    for page in pages(project):
        if page.name not in ("api.md", "errors.md"):
            blocks, spans = code_of(page.read_text(encoding="utf-8"))
            explained |= set(WORD.findall(" ".join([*(block for _, block in blocks), *spans])))
    used = set()
    for one in names.declared:
        if not declarations.is_public(one) or one.name in explained:
            continue
        full = "::".join((*one.scope, one.name)).removeprefix("warpsafe::")
        reason = next((pattern for pattern in UNEXPLAINED if re.fullmatch(pattern, full)), None)
        if reason is None:
            yield f"{one.header}: no page explains {full}"
        used.add(reason)
    for pattern in UNEXPLAINED:
        if pattern not in used:
            yield f"UNEXPLAINED: nothing matches {pattern}"


@functools.cache
def brought(root, name):
    """All headers that a header brings, itself included."""
    found, todo = {name}, [name]
    while todo:
        more = set(re.findall(r"(?m)^#include <(warpsafe/[^>]+)>", (root / todo.pop()).read_text(encoding="utf-8"))) - found
        found |= more
        todo += more
    return found


def include_of(one, root):
    """The header to write for a name: an entry header if it includes the name's header itself, or if every program
    includes it; otherwise the name's header."""
    if backend := re.fullmatch(r"(cuda|hip|host)_backend", one.name):
        return f"warpsafe/backend/{backend[1]}/{one.name}.hpp"  # what other headers declare is incomplete
    if one.name == "default_backend":
        return "warpsafe/warpsafe.hpp"
    if one.scope[1:2] == ("host",) and one.header != "warpsafe/backend/host/module_calls.hpp":
        return "warpsafe/host.hpp"
    if "/handles/" in one.header:
        return one.header
    for entry in ("kernel_api", "warpsafe"):
        if one.header in brought(root, f"warpsafe/{entry}.hpp"):
            return f"warpsafe/{entry}.hpp"
    return next((f"warpsafe/{entry}.hpp" for entry in ("memory", "print", "graph", "module", "debug", "device_check", "host", "race", "compare")
                 if f"#include <{one.header}>" in (root / f"warpsafe/{entry}.hpp").read_text(encoding="utf-8")), one.header)


def table(project, names):
    """The rows of docs/reference/api.md: an include, and its names that a page explains."""
    by_include = collections.defaultdict(set)
    for one in names.declared:
        full = "::".join((*one.scope, one.name)).removeprefix("warpsafe::")
        is_member = any(part[:1].isupper() for part in one.scope) or one.kind in ("member", "enumerator")
        if declarations.is_public(one) and not is_member and not any(re.fullmatch(pattern, full) for pattern in UNEXPLAINED):
            by_include[include_of(one, project / "include")].add(full)
    rows = ["", "| include | names |", "| --- | --- |"]
    for include in sorted(by_include, key=lambda header: (header.count("/"), header)):
        listed = ", ".join(f"`{name}`" for name in sorted(by_include[include], key=lambda name: (name.lower(), name)))
        rows.append(f"| [{include.removeprefix('warpsafe/')}](../../include/{include}) | {listed} |")
    return "\n".join([*rows, "", ""])


def names_page(project, names):
    """docs/reference/api.md as the headers are now."""
    page = (project / "docs/reference/api.md").read_text(encoding="utf-8")
    return re.sub(r"(?s)(<!-- names: .*? -->\n).*?(?=<!-- end -->)", lambda found: found[1] + table(project, names), page)


SAYS_DEBUG = re.compile(r"\b[Ii]ncludes?\b[^.\n]*(?:\n[^.\n]+)?<warpsafe/debug\.hpp>|(?m:^#include <warpsafe/debug\.hpp>)")
TOOLS = r"WARPSAFE_(?:LOG|SYNC|BREAK|TIMEOUT|REFERENCE|SHADOW|TRACE|ON_ERROR)\b"


def debug_tools(name, text):
    """A page that names a variable of the debug tools, or shows an error with suspects, says to include their header. A
    mention of the header in another sentence is not enough. warpsafe-run needs no header; design.md and the internals are
    about the library's own parts, and api.md is a table of headers."""
    if name in ("design.md", "internals.md", "api.md", "run.md", "limits.md", "faults.md") or SAYS_DEBUG.search(text):
        return
    blocks, _ = code_of(text)
    if any(re.search(r"(?m)^ +suspects?: ", block) for _, block in blocks):
        yield f"{name}: an error has suspects only with <warpsafe/debug.hpp>, and no sentence says to include it"
    if name != "errors.md":
        for variable in dict.fromkeys(re.findall(TOOLS, text)):
            yield f"{name}: {variable} needs <warpsafe/debug.hpp>, and no sentence says to include it"


def self_test(root, names, known_words):
    """Plants wrong names on a page, and a name in the headers. Each must be found, and the right ones beside them not."""
    page = root / "docs/guide/grids.md"
    right = ["ws::launch(stream)", "Errc::size_zero", "Stream::create()", "grid.blocks(0)", "WARPSAFE_KERNEL", "host::reset()", "cover(n)", "threadIdx"]
    wrong = ["ws::lanch(stream)", "Errc::size_nought", "Stream::make()", "grid.blokcs(0)", "WARPSAFE_KERNELS", "host::resett()", "cover_most(n)", "thread_Idx"]
    for code in right + wrong:
        found = list(unknown(page, f"Write `{code}`.", names, known_words))
        if bool(found) != (code in wrong):
            sys.exit(f"the test itself: `{code}` gives {found}")
    shown, mention = "```text\nfailed\n  suspect: 1 launch\n```\nSet `WARPSAFE_LOG`.", "The log is in `<warpsafe/debug.hpp>`."
    for said, count in (("", 2), (mention, 2), ("Include `<warpsafe/debug.hpp>`.", 0), ("#include <warpsafe/debug.hpp>\n", 0)):
        found = list(debug_tools("a.md", f"{said}\n{shown}"))
        if len(found) != count:
            sys.exit(f"the test itself: a page that says '{said}' gives {found}")
    known = len(list(unexplained(root, names)))
    names.declared.append(declarations.Declared(("warpsafe",), "launch_it_all", "function", "warpsafe/launch/launch.hpp"))
    if len(list(unexplained(root, names))) != known + 1:
        sys.exit("the test itself: a public name that is on no page is not found")
    names.declared.pop()


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    names = Names(root)
    if sys.argv[2:] == ["--update"]:
        (root / "docs/reference/api.md").write_text(names_page(root, names), encoding="utf-8")
    known_words = words_of_project(root)
    self_test(root, names, known_words)
    wrong = [problem for page in pages(root) for problem in unknown(page, page.read_text(encoding="utf-8"), names, known_words)] + list(unexplained(root, names))
    wrong += [problem for page in pages(root) for problem in debug_tools(page.name, page.read_text(encoding="utf-8"))]
    if (root / "docs/reference/api.md").read_text(encoding="utf-8") != names_page(root, names):
        wrong.append("api.md differs from the headers: run tests/docs/check_names.py PROJECT --update")
    print("\n".join(dict.fromkeys(wrong)) or f"{len(pages(root))} pages, {sum(map(declarations.is_public, names.declared))} public names")
    sys.exit(1 if wrong else 0)
