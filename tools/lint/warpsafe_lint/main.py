# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The command: checks each file, and prints the findings."""

import collections
import concurrent.futures
import concurrent.futures.process
import dataclasses
import difflib
import os
import pathlib
import sys

from . import changes, commands, embedded, registry, repeats, report
from .fixes.check import fix
from .fixes.cuda import Fixes
from .libclang import NoLibclang, load, own_headers, written_at
from .lines import lines_of
from .options import FINDINGS, LEVELS, NOT_READ, NOTHING, parse_arguments
from .reading import OTHERS, SOURCES, has_launch, parse, sources
from .replace import replace
from .rules import PARTS, levels
from .silence import Silence

assert PARTS  # importing them has registered their rules
# The maximum depth of a tree in levels; libclang itself stops at 256 levels of brackets.
DEEPEST = 20000


@dataclasses.dataclass
class Result:
    """What the check of one file gives."""

    file: str
    findings: list = dataclasses.field(default_factory=list)
    hidden: list = dataclasses.field(default_factory=list)  # the lines of findings below the level to print
    patch: str = ""  # of --diff
    notes: list = dataclasses.field(default_factory=list)  # of --fix, --fix-cuda and --diff
    message: str = ""  # why the file was not read completely, or not written
    missing: list = dataclasses.field(default_factory=list)  # headers that were not found
    unwritten: bool = False  # --fix could not write it


def write_back(file, new):
    """Writes a rewritten file with the line ends that it had. Returns a message if it cannot be written, or not without
    changing other parts of it: the text was read with U+FFFD for what is no UTF-8, and with one kind of line end."""
    old = pathlib.Path(file).read_bytes()
    ends = old.count(b"\r\n")
    if old.count(b"\r") != ends or ends not in (0, old.count(b"\n")):
        return f"{file}: not rewritten: its line endings are mixed; end every line with \\n, or every line with \\r\\n"
    try:
        old.decode()
    except UnicodeDecodeError:
        return f"{file}: not rewritten: its encoding is not UTF-8; convert it to UTF-8"
    try:
        replace(file, (new.replace("\n", "\r\n") if ends else new).encode())
    except OSError as error:
        return f"{file}: not rewritten: {error.strerror}; the file is as it was"
    return ""


def rewritten(file, program, options, result):
    """Adds the patch, the notes and the message of --fix, --fix-cuda or --diff."""
    if options.fix_cuda:
        fixes = Fixes(program, options.rows)
        new, said = fixes.text(), fixes.notes
    else:
        new, said = fix(program)
    old = program.source.decode()
    if options.diff:
        result.patch = "".join(difflib.unified_diff(lines_of(old, True), lines_of(new, True), file, file))
    elif new != old:
        refusal = write_back(file, new)
        if refusal:
            result.message, result.unwritten, said = refusal, True, []
    result.notes = sorted((node.cursor.location.line, node.cursor.location.column, says) for node, says in said)
    return result


def of_rules(program, options, failed):
    """Each finding of the chosen rules in a program's own file, with its rule, kind, line and column. A rule that fails adds
    why to `failed`; the other rules still check the file."""
    kinds = repeats.Kinds(program)
    for rule in registry.RULES:
        if rule.row not in options.rows:
            continue
        try:
            found = list(rule.find(program))
        except Exception as error:
            failed.append(f"rule {rule.row} ({' '.join(f'{type(error).__name__}: {error}'.split())})")
            continue
        for finding in found:
            name, line, column, _ = written_at(finding.node.cursor.extent.start)
            if name == program.file:
                yield rule, finding, kinds.of(finding), line, column


def findings(file, program, options):
    """The findings of a file that no comment silences, as plain data; also those in sources that its strings hold. The lines
    of those below the level to print. And a message about rules that failed, or ""."""
    text = program.source.decode()
    lines, silence = lines_of(text), Silence(text)
    failed = []
    every = list(of_rules(program, options, failed))
    for inner, places in embedded.sources(program, load()):
        own = Silence(inner.source.decode())
        every += [(rule, finding, f"{inner.file}\n{kind}", places[line - 1], 1) for rule, finding, kind, line, _ in of_rules(inner, options, failed)
                  if not own.covers(line, rule.row)]
    found, hidden = {}, set()
    for rule, finding, kind, line, column in every:
        severity = finding.severity or rule.severity
        if finding.instead and options.named & {rule.row, finding.instead.split()[0]}:
            severity = "note"
        elif rule.row not in options.named:
            severity = levels.of_finding(rule.row, finding, severity, program)
        if silence.covers(line, rule.row):
            continue
        if LEVELS.index(severity) < LEVELS.index(options.level):
            hidden.add((line, column, rule.row))
            continue
        found.setdefault((line, column, rule.row), {
            "file": file, "line": line, "column": column, "row": rule.row, "severity": severity, "title": rule.title,
            "says": " ".join(finding.says.split()), "rewrite": " ".join(finding.rewrite.split()), "text": lines[line - 1],
            "kind": kind})
    message = f"{file}: failed, and its findings are missing: {', '.join(dict.fromkeys(failed))}; please report it with this file" if failed else ""
    return [found[key] for key in sorted(found)], [line for line, _, _ in hidden], message


def lint(file, options):
    """The Result of a file."""
    try:
        file.encode()
    except UnicodeEncodeError:
        name = file.encode(errors="backslashreplace").decode()
        return Result(name, message=f"{name}: its name is not UTF-8, which libclang needs; rename the file")
    if os.path.exists(file) and not os.path.isfile(file):
        return Result(file, message=f"{file}: not a regular file")
    try:
        program, message, missing = parse(file, options)
    except OSError as error:
        return Result(file, message=f"{file}: {error.strerror}")
    except NoLibclang:
        raise
    except commands.BadDatabase as problem:
        return Result(file, message=" ".join(str(problem).split()))
    except Exception as error:  # libclang's errors have no common type
        if type(error).__module__ != "clang.cindex":
            raise
        return Result(file, message=f"{file}: libclang cannot read this file")
    if options.fix or options.fix_cuda or options.diff:
        return rewritten(file, program, options, Result(file, message=message, missing=missing))
    found, hidden, failure = findings(file, program, options)
    return Result(file, found, hidden, message="; ".join(filter(None, (message, failure))), missing=missing)


def one(work):
    sys.setrecursionlimit(DEEPEST)
    try:
        return lint(*work)
    except RecursionError:  # outside of a rule; the other files are still checked
        return Result(work[0], message=f"{work[0]}: not checked: its code is nested more than {DEEPEST} levels deep; split its longest expression")


def work_of(options):
    """The files to check, and the changed lines of each: None for all lines."""
    files, empty = sources(options.files)
    if empty:
        says = f"{', '.join(empty)}: no source to check: {' or '.join(SOURCES)} files, or C++ files that launch a kernel"
        if not files:
            raise changes.Unusable(f"{says}; name another folder, or the files")
        print(f"warpsafe-lint: {says}", file=sys.stderr)
    if not options.changed_since:
        return files, {}
    changed = changes.changed_since(options.changed_since)
    if not options.files:
        files = [os.path.relpath(name) for name in sorted(changed) if os.path.isfile(name) and (
            name.endswith(SOURCES) or name.endswith(OTHERS) and has_launch(name))]
    return [file for file in files if os.path.realpath(file) in changed], changed


def results_of(work, options):
    if options.jobs == 1 or len(work) == 1:
        yield from map(one, work)
        return
    pool = concurrent.futures.ProcessPoolExecutor(options.jobs)
    try:
        yield from pool.map(one, work)
    except concurrent.futures.process.BrokenProcessPool as error:
        raise changes.Unusable("a process ended while it read a file; --jobs=1 ends at that file") from error
    finally:
        # The interpreter waits for the pool at its end in any case, and in Python 3.11 that can fail if the pool is
        # closing just then.
        pool.shutdown(wait=True, cancel_futures=True)


def counted(number, noun):
    return f"{number} {noun}{'s' * (number != 1)}"


def summary(results, hidden, level):
    """What the findings do not say: whether the files were read, and what is not shown."""
    lost = sum(bool(result.message) and not result.unwritten for result in results)
    says = f"{counted(len(results) - lost, 'file')} read"
    if lost:
        says += f", {lost} not completely"
        missing = collections.Counter(name for result in results for name in result.missing)
        shown = [name if number == 1 else f"{name} ({counted(number, 'file')})" for name, number in missing.most_common(3)]
        says += f" (not found: {', '.join(shown)}{' and others' * (len(missing) > len(shown))})" if shown else ""
    unwritten = sum(result.unwritten for result in results)
    says += f", {unwritten} not written" if unwritten else ""
    less = counted(hidden, "note" if level == "warning" else "finding")
    return says + (f"; {less} not shown (--level=note shows {'it' if hidden == 1 else 'them'})" if hidden else "")


def run(options):
    """Checks and prints; returns the exit status."""
    load()
    own_headers()
    baseline = changes.Baseline(options.baseline) if options.baseline else None
    files, changed = work_of(options)
    for file in files if options.write_baseline else ():
        if os.path.isfile(file) and os.path.exists(options.write_baseline) and os.path.samefile(file, options.write_baseline):
            raise changes.Unusable(f"--write-baseline {options.write_baseline} is the same file as the source {file}; choose another name")
    results, every, messages, hidden = [], [], [], 0
    for result in results_of([(file, options) for file in files], options):
        results.append(result)
        lines = changed.get(os.path.realpath(result.file))
        found = [item for item in result.findings if (lines is None or item["line"] in lines) and not (baseline and baseline.accepts(item))]
        hidden += sum(lines is None or line in lines for line in result.hidden)
        sys.stdout.write(result.patch)
        for line, column, says in result.notes:
            print(f"{result.file}:{line}:{column}: note: {says}")
        if not options.write_baseline:
            found = repeats.fold(found)  # what is left: a place that a comment or the baseline accepts is not listed
        if not (options.json or options.sarif or options.write_baseline):
            for item in found:
                print(report.text(item))
        sys.stdout.flush()
        every += found
        if result.message:
            print(f"warpsafe-lint: {result.message}", file=sys.stderr)
            messages.append(result.message)
    if options.json:
        print(report.as_json(every))
    elif options.sarif:
        print(report.as_sarif(every, messages, not messages))
    sys.stdout.flush()
    if options.write_baseline:
        changes.write_baseline(options.write_baseline, every)
    print(f"warpsafe-lint: {summary(results, hidden, options.level)}", file=sys.stderr)
    if any(result.unwritten for result in results) or messages and not options.ignore_unread:
        return NOT_READ
    if options.write_baseline:
        return NOTHING
    fails = options.fail_on != "never" and any(LEVELS.index(item["severity"]) >= LEVELS.index(options.fail_on) for item in every)
    return FINDINGS if fails else NOTHING


def main(words):
    if sys.stdout is None:
        print("warpsafe-lint: cannot write the output: standard output is closed", file=sys.stderr)
        return NOT_READ
    try:
        return run(parse_arguments(words))
    except (NoLibclang, changes.Unusable) as why:
        print(f"warpsafe-lint: {why}", file=sys.stderr)
        return NOT_READ
    except BrokenPipeError:  # `| head` has read enough
        leave_output()
        return FINDINGS
    except OSError as error:  # files are read in `lint`: a full disk
        leave_output()
        print(f"warpsafe-lint: cannot write the output: {error.strerror}", file=sys.stderr)
        return NOT_READ


def leave_output():
    """Drops what is left to write: the interpreter would try it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
