# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The command: checks each file, and prints the findings."""

import concurrent.futures
import concurrent.futures.process
import difflib
import os
import pathlib
import sys

from . import changes, commands, embedded, registry, repeats, report
from .fixes.cuda import Fixes
from .fixes.rewrite import fix
from .libclang import NoLibclang, load, own_headers, written_at
from .options import FINDINGS, LEVELS, NOT_READ, NOTHING, parse_arguments
from .reading import OTHERS, SOURCES, has_launch, parse, sources
from .rules import PARTS, levels
from .silence import Silence

assert PARTS  # importing them has registered their rules
# The maximum depth of a tree in levels; libclang itself stops at 256 levels of brackets.
DEEPEST = 20000


def write_back(file, new):
    """Writes a rewritten file with the line ends that it had. Returns a message if it cannot be written without
    changing other parts of it: the text was read with U+FFFD for what is no UTF-8, and with one kind of line end."""
    old = pathlib.Path(file).read_bytes()
    ends = old.count(b"\r\n")
    if old.count(b"\r") != ends or ends not in (0, old.count(b"\n")):
        return f"{file}: not rewritten: its line endings are mixed; end every line with \\n, or every line with \\r\\n"
    try:
        old.decode()
    except UnicodeDecodeError:
        return f"{file}: not rewritten: its encoding is not UTF-8; convert it to UTF-8"
    pathlib.Path(file).write_bytes((new.replace("\n", "\r\n") if ends else new).encode())
    return ""


def rewritten(file, program, options, message):
    """The patch, the notes and the message of --fix, --fix-cuda or --diff."""
    if options.fix_cuda:
        fixes = Fixes(program, options.rows)
        new, said = fixes.text(), fixes.notes
    else:
        new, said = fix(program)
    old = program.source.decode()
    patch = ""
    if options.diff:
        patch = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), file, file))
    elif new != old:
        refusal = write_back(file, new)
        message, said = refusal or message, [] if refusal else said
    notes = [(node.cursor.location.line, node.cursor.location.column, says) for node, says in said]
    return patch, sorted(notes), message


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
    """The findings of a file that no comment silences, as plain data; also those in sources that its strings hold. And a
    message about rules that failed, or ""."""
    lines = program.source.decode().splitlines()
    silence = Silence(lines)
    failed = []
    every = list(of_rules(program, options, failed))
    for inner, places in embedded.sources(program, load()):
        every += [(rule, finding, f"{inner.file}\n{kind}", places[line - 1], 1) for rule, finding, kind, line, _ in of_rules(inner, options, failed)]
    found = {}
    for rule, finding, kind, line, column in every:
        severity = finding.severity or rule.severity
        if finding.instead and options.named & {rule.row, finding.instead.split()[0]}:
            severity = "note"
        elif rule.row not in options.named:
            severity = levels.of_finding(rule.row, finding, severity, program)
        if silence.covers(line, rule.row) or LEVELS.index(severity) < LEVELS.index(options.level):
            continue
        found.setdefault((line, column, rule.row), {
            "file": file, "line": line, "column": column, "row": rule.row, "severity": severity, "title": rule.title,
            "says": " ".join(finding.says.split()), "rewrite": " ".join(finding.rewrite.split()), "text": lines[line - 1],
            "kind": kind})
    message = f"{file}: failed, and its findings are missing: {', '.join(dict.fromkeys(failed))}; please report it with this file" if failed else ""
    return [found[key] for key in sorted(found)], message


def lint(file, options):
    """A file's name, its findings, the patch and the notes of --fix, and a message if the file was not read completely."""
    try:
        program, message = parse(file, options)
    except OSError as error:
        return file, [], "", [], f"{file}: {error.strerror}"
    except NoLibclang:
        raise
    except commands.BadDatabase as problem:
        return file, [], "", [], " ".join(str(problem).split())
    except Exception as error:  # libclang's errors have no common type
        if type(error).__module__ != "clang.cindex":
            raise
        return file, [], "", [], f"{file}: libclang cannot read this file"
    if options.fix or options.fix_cuda or options.diff:
        return file, [], *rewritten(file, program, options, message)
    found, failure = findings(file, program, options)
    return file, found, "", [], "; ".join(filter(None, (message, failure)))


def one(work):
    sys.setrecursionlimit(DEEPEST)
    try:
        return lint(*work)
    except RecursionError:  # outside of a rule; the other files are still checked
        return work[0], [], "", [], f"{work[0]}: not checked: its code is nested more than {DEEPEST} levels deep; split its longest expression"


def work_of(options):
    """The files to check, and the changed lines of each: None for all lines."""
    files = sources(options.files)
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


def run(options):
    """Checks and prints; returns the exit status."""
    load()
    own_headers()
    baseline = changes.Baseline(options.baseline) if options.baseline else None
    files, changed = work_of(options)
    every, messages = [], []
    for file, found, patch, notes, message in results_of([(file, options) for file in files], options):
        lines = changed.get(os.path.realpath(file))
        found = [item for item in found if (lines is None or item["line"] in lines) and not (baseline and baseline.accepts(item))]
        sys.stdout.write(patch)
        for line, column, says in notes:
            print(f"{file}:{line}:{column}: note: {says}")
        if not options.write_baseline:
            found = repeats.fold(found)  # what is left: a place that a comment or the baseline accepts is not listed
        if not (options.json or options.sarif or options.write_baseline):
            for item in found:
                print(report.text(item))
        sys.stdout.flush()
        every += found
        if message:
            print(f"warpsafe-lint: {message}", file=sys.stderr)
            messages.append(message)
    if options.json:
        print(report.as_json(every))
    elif options.sarif:
        print(report.as_sarif(every, messages, not messages))
    sys.stdout.flush()
    if options.write_baseline:
        changes.write_baseline(options.write_baseline, every)
        return NOT_READ if messages and not options.ignore_unread else NOTHING
    if messages and not options.ignore_unread:
        return NOT_READ
    fails = options.fail_on != "never" and any(LEVELS.index(item["severity"]) >= LEVELS.index(options.fail_on) for item in every)
    return FINDINGS if fails else NOTHING


def main(words):
    try:
        return run(parse_arguments(words))
    except (NoLibclang, changes.Unusable) as why:
        print(f"warpsafe-lint: {why}", file=sys.stderr)
        return NOT_READ
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
