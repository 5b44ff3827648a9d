# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Checks the checks: must_fail.py and must_compile.py report each thing that they are there for, in
invented sources and in a real file of snippets, and quick.py's compilers report what the compilers
themselves report."""

import subprocess
import sys
import tempfile
from pathlib import Path

from compilers import first_error, parse_arguments
from must_fail import EVERY_LEVEL, TWINS_ELSEWHERE, Test, units
from quick import ERRORS, LEVELS, Quick, begins_with, flags_for
from snippets import Group

HERE = Path(__file__).parent
MISUSES = HERE.parent / "misuse"
GOOD = "inline int twin() { return 1; }\n"
STATIC_ASSERT = 'static_assert(sizeof(int) == 1, "no such thing");'
# A header with templates that reject some types.
CHECKED = """template <class T> struct Checked {
  static_assert(sizeof(T) == 1, "no such thing");
  int value;
};
template <class T> struct Other {
  static_assert(sizeof(T) == 1, "not this either");
};
template <class T> Checked<T> object{};
"""
INCLUDE = '#include "checked.hpp"\n'


def misuse(bad, words="no such thing", name="a01_misuse", twin=GOOD, note=""):
    """A snippet."""
    return (f'// {name[:3].upper()}: A snippet.\n{note}namespace {name} {{\n#ifdef MISUSE\n'
            f'// expected-error {{{{"{words}"}}}}\n{bad}\n#else\n{twin}\n#endif\n}}\n')  # fmt: skip


# (the case, a file of snippets, whether must_fail.py must accept it, words that it must print)
SNIPPETS = [
    ("a refusal in the expected words", misuse(STATIC_ASSERT), True, ""),
    ("a misuse that compiles", misuse("int x;"), False, "compiles at check level"),
    ("a misuse that compiles, after one that does not",
     misuse(STATIC_ASSERT) + misuse("int x;", name="a01b_good"), False, "a01b_good compiles at check level"),
    ("a deleted function whose noexcept asserts nothing",
     misuse("template <class T> void deleted(T) noexcept(sizeof(T) > 1) = delete; inline void f() { deleted(5); }"), False,
     "does not say"),
    ("a refusal in other words", misuse(STATIC_ASSERT, "another"), False, "does not say"),
    ("a typo, with the words in a comment only", misuse("imt no_such_thing;"), False, "does not say"),
    ("the words on a later error line", misuse("imt x; " + STATIC_ASSERT), False, "does not say"),
    ("the words at another statement", misuse("int x;\n" + STATIC_ASSERT), False, "is not at this line"),
    ("a missing include", misuse("#include <no_such_header>\n" + STATIC_ASSERT), False, "does not say"),
    ("no expectation", "// A01: None.\nnamespace a01_none {\n" + GOOD + "}\n", False, "expected-error"),
    ("no twin", "// A01: None.\n// expected-error {{\"no such thing\"}}\nint a01_none = no_such_thing;\n",
     False, "#ifdef MISUSE"),
    ("no snippet", GOOD, False, "no snippet"),
    ("no snippet for this compiler", misuse(STATIC_ASSERT, note="// only: another\n"), False, "reads no"),
    ("a snippet for another compiler", misuse(STATIC_ASSERT) + misuse("int x;", name="a01b_other",
     note="// only: another\n"), True, ""),
    ("a snippet of another row", misuse(STATIC_ASSERT).replace("// A01", "// A02"), False, "names itself"),
    ("two snippets of one name", misuse(STATIC_ASSERT) * 2, False, "two snippets a01_misuse"),
    ("one error of a template for two snippets",
     INCLUDE + misuse("Checked<int> object;") + misuse("Checked<int> object;", name="a01b_again"), True, ""),
    ("an expected error that a neighbour has reported, before another error",
     INCLUDE + misuse("Checked<int> object;")
     + misuse("int f() { return sizeof(Checked<int>) + no_such_name; }", name="a01b_again"), True, ""),
    ("an error outside all snippets", "imt x;\n" + misuse(STATIC_ASSERT), False, "belongs to no snippet"),
    ("an error of a template outside all snippets",
     INCLUDE + "Checked<int> outside;\n" + misuse(STATIC_ASSERT), False, "belongs to no snippet"),
    ("an expected error that leads to no line", INCLUDE + misuse("auto& used = object<int>;", note="// alone: g++ clang++ nvcc hipcc\n"), True, ""),
    ("an error outside a snippet that is alone",
     "imt x;\n" + misuse(STATIC_ASSERT, note="// alone: g++ clang++ nvcc hipcc\n"), False, "belongs to no"),
]  # fmt: skip

AT_ONE_LEVEL = misuse("#if WARPSAFE_CHECKS == 1\n" + STATIC_ASSERT + "\n#endif\n//")
BROKEN_TWIN = misuse(STATIC_ASSERT) + misuse(STATIC_ASSERT, name="a01b_broken", twin="imt x;")
TWIN_WITH_A_WARNING = misuse(STATIC_ASSERT, twin="inline int f(long x) { return x; }")
# Compiled alone, the second snippet first reports the error that the first snippet reported.
HIDDEN = INCLUDE + misuse("Checked<int> object;") + misuse(
    "struct Both { Checked<int> first; Other<int> second; };", "not this either", "a01b_hidden")  # fmt: skip

# (the case, the sources, whether must_compile.py must accept them, words that it must print)
SOURCES = [
    ("two good sources of one name", [GOOD, GOOD], True, "2 of 2"),
    ("a broken source among good ones", [GOOD, "imt x;\n", GOOD], False, "2 of 3"),
    ("a warning", ["int f(long x) { return x; }\n"], False, "onversion"),
    ("includes and macros", ["#define LEVEL 1\n#include <cstddef>\n" + GOOD, "#include <cstddef>\n" + GOOD],
     True, "2 of 2"),
    ("a neighbour's header",
     ['#include "source_1.cpp"\n' + "inline int f() { return neighbour(); }\n",
      "#ifndef N\n#define N\ninline int neighbour() { return 1; }\n#endif\n"], True, "2 of 2"),
    ("an addition to the library's namespace",
     ["namespace warpsafe { struct S; }\nwarpsafe::S* s();\n", GOOD], True, "2 of 2"),
    ("nothing to compile", ["// only: no_such_compiler\n"], False, "0 of 0"),
]  # fmt: skip

# A real file, whose test must fail after a change of it or of a header.
PLANTED = MISUSES / "compile/c_counts.cpp"

# A snippet that nvcc's own front end refuses, and one that only its host compiler refuses.
COMPARED = {"b_blocks.cpp": "b01_block_of_2048", "c_narrowing.cpp": "c03_int64_to_int"}


def complaints_about(compiler, *paths, quick=None, alone=False, levels=(1,), twins=False):
    """What must_fail.py complains about in files of snippets."""
    tests = [Test(compiler, files, quick, alone) for files in units(list(map(Group, paths)), compiler.name)]
    for test in tests:
        test.run(None, levels, twins)
    return "\n".join(complaint for test in tests for complaint in test.complaints)


def check_files(compiler, folder, **how):
    """Complaints about must_fail.py and two files that are one unit, whose snippets stand at the same lines."""
    wrong = []
    head = "#include <cstddef>\n"
    first = head + misuse(STATIC_ASSERT)
    for shows, text, words in [
        ("two good files", misuse(STATIC_ASSERT, name="a02_second"), ""),
        ("a misuse that compiles in the second", misuse("int x;", name="a02_second"), "second.cpp: a02_second compiles at check level"),
        ("other words in the second", misuse(STATIC_ASSERT, "another", "a02_second"), "second.cpp: a02_second, line"),
        ("a typo in the second", misuse("imt x; " + STATIC_ASSERT, name="a02_second"), "second.cpp: a02_second, line"),
        ("one name in two files", misuse(STATIC_ASSERT), "two snippets a01_misuse"),
    ]:  # fmt: skip
        paths = [folder / "first.cpp", folder / "second.cpp"]
        for path, content in zip(paths, (first, head + text)):
            path.write_text(content)
        said = complaints_about(compiler, *paths, **how)
        if words not in said or bool(said) != bool(words) or "first.cpp: " in said:
            wrong.append(f"must_fail: {shows}: not '{words}' but\n{said or 'accepted'}")
    return wrong


def check_snippets(compiler, folder, shows, text, accepts, words, **how):
    """Complaints about must_fail.py and one of the SNIPPETS."""
    path = folder / "snippets.cpp"
    path.write_text(text)
    said = complaints_about(compiler, path, **how)
    if bool(said) != accepts and words in said:
        return []
    return [f"must_fail: {shows}: not '{words}' but\n{said or 'accepted'}"]


def check_sources(folder, shows, sources, accepts, words, *more):
    """Complaints about must_compile.py and one of the SOURCES."""
    paths = [folder / f"source_{i}.cpp" for i in range(len(sources))]
    for path, text in zip(paths, sources):
        path.write_text(text)
    done = subprocess.run([sys.executable, "-S", HERE / "must_compile.py", *sys.argv[1:], *more, *paths],
                          capture_output=True, text=True)  # fmt: skip
    if (done.returncode == 0) == accepts and words in done.stdout + done.stderr:
        return []
    return [f"must_compile: {shows}: exit code {done.returncode}, and not '{words}' but\n{done.stdout}{done.stderr}"]


def check_twins(compiler, folder, shows, text, words, **how):
    """Complaints about the script that checks the twins for this compiler."""
    if compiler.name in TWINS_ELSEWHERE:
        return check_sources(folder, shows, [text], False, words, "--snippets")
    return check_snippets(compiler, folder, shows, text, False, words, twins=True, **how)


def changed_header(folder, change):
    """Puts a changed copy of the header with the words of a real snippet into a folder: its words."""
    headers = {path: path.read_text() for path in (HERE.parents[1] / "include").rglob("*.hpp")}
    for snippet in Group(PLANTED).snippets:
        found = [path for path, text in headers.items() if snippet.words in text]
        if len(found) == 1 and headers[found[0]].count(snippet.words) == 1:
            copy = folder / found[0].relative_to(HERE.parents[1] / "include")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(change(headers[found[0]], snippet.words))
            return snippet.words
    raise SystemExit(f"no header has the words of a snippet of {PLANTED}")


def without_assertion(text, words):
    begin = text.rindex("static_assert(", 0, text.index(words)) + len("static_assert(")
    return f"{text[:begin]}true || {text[begin:]}"


def check_planted(compiler, folder):
    """Complaints about changes of a real file, and of a header, that must_fail.py does not notice."""
    text = PLANTED.read_text()
    quick = folder if compiler.name == "nvcc" else None  # which reads nothing precompiled
    first = Group(PLANTED).snippets[0]
    wrong = check_snippets(compiler, folder, "a real file", text, True, "", quick=quick, twins=True)
    wrong += check_snippets(compiler, folder, "other words", text.replace(first.words, "other words", 1), False,
                            f"{first.name}, line {first.statement[0]}: the first error", quick=quick)  # fmt: skip
    wrong += check_twins(compiler, folder, "a real broken twin", text.replace("#else\n", "#else\nimt x;\n", 1),
                         "imt", quick=quick)  # fmt: skip
    begin = text.index("// C01")
    wrong += check_snippets(compiler, folder, "an unrelated error", f"{text[:begin]}imt x;\n{text[begin:]}",
                            False, "belongs to no snippet", quick=quick)  # fmt: skip
    for shows, change in [("a changed sentence", lambda text, words: text.replace(words, "changed")),
                          ("a removed assertion", without_assertion)]:  # fmt: skip
        overlay = folder / shows.replace(" ", "_")
        words = changed_header(overlay, change)
        command, compiler.command = compiler.command, [compiler.command[0], "-I", str(overlay),
                                                       *compiler.command[1:]]  # fmt: skip
        said = complaints_about(compiler, PLANTED, quick=quick)
        compiler.command = command
        if words not in said and "compiles at check level" not in said:
            wrong.append(f"{shows}, '{words}', not noticed:\n{said}")
    return wrong


def check_quick(quick, folder, file, name):
    """Complaints about what a prepared Quick says of a snippet, and of one precompiled for another."""
    group = Group(MISUSES / "compile" / file)
    source = folder / file
    source.write_text(group.unit([s for s in group.snippets if s.name == name], misuse=True))
    itself = quick.compiler.compile(source, *flags_for(2), *ERRORS[quick.compiler.name], quick=True, whole=True)
    told = quick.compile(source, 2)
    wrong = []
    if itself[0] or told[0] or not first_error(told[1]) or first_error(told[1]) != first_error(itself[1]):
        wrong += [f"{source}: the compiler says\n{itself}\nand asked quickly\n{told}"]
    header = begins_with(source.read_text())
    harmless = quick.folder / "harmless.cpp"
    harmless.write_text(f"#include {header}\n{GOOD}")
    if not quick.compile(harmless, 2)[0]:
        wrong += [f"what compiles is refused after {header}:\n{quick.compile(harmless, 2)[1]}"]
    precompiled = quick.precompiled(header, 2)
    for path in [Path(f"{precompiled}{suffix}") for suffix in ("", ".gch")]:
        if precompiled and path.exists():
            path.write_text("none of that compiler's")
            good, said = quick.compile(source, 2)
            if good or first_error(said) == first_error(told[1]):
                wrong += [f"{source}: nobody noticed that {path} does not fit:\n{said}"]
    return wrong


def main():
    compiler, _ = parse_arguments(__doc__)
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in SOURCES:
            wrong += check_sources(folder, *case)
        (folder / "checked.hpp").write_text(CHECKED)
        compiler.command += ["-I", str(MISUSES), "-I", str(folder)]
        sys.argv += ["--include", str(MISUSES), "--include", str(folder)]
        quick = Quick(compiler, folder)
        headers = {begins_with((MISUSES / "compile" / file).read_text()) for file in COMPARED}
        wrong += filter(None, [quick.prepare([""]), quick.prepare(headers, LEVELS[:1])])
        wrong += filter(None, [Quick(compiler, folder, warnings=True).prepare([])])
        for case in SNIPPETS:
            wrong += check_snippets(compiler, folder, *case, quick=folder)
        one_level = check_snippets(compiler, folder, "one check level", AT_ONE_LEVEL, False,
                                   "at check level 0", quick=folder, levels=LEVELS)  # fmt: skip
        wrong += one_level if compiler.name in EVERY_LEVEL else []
        wrong += check_snippets(compiler, folder, "a hidden error", HIDDEN, False, "does not say", quick=folder, alone=True)
        wrong += check_twins(compiler, folder, "a broken twin", BROKEN_TWIN, "imt", quick=folder)
        wrong += check_twins(compiler, folder, "a twin with a warning", TWIN_WITH_A_WARNING, "onversion", quick=folder)
        wrong += check_files(compiler, folder, quick=folder)
        wrong += check_planted(compiler, folder)
        for file, name in COMPARED.items():
            wrong += check_quick(quick, folder, file, name)
    print(*wrong, sep="\n")
    print(f"{len(wrong)} complaints about {len(SNIPPETS) + len(SOURCES)} cases and a real file")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
