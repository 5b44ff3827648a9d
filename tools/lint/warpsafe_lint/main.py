# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The command line."""

import argparse
import difflib
import json
import multiprocessing
import pathlib
import re
import sys

from . import flags, registry, rules_call, rules_data, rules_dependent, rules_dimensions, rules_errors, rules_limits, rules_shapes, \
    rules_streams
from .libclang import NoLibclang, load, own_headers, written_at
from .program import Program
from .rewrite import fix

ADDED = (rules_call, rules_data, rules_dependent, rules_dimensions, rules_errors, rules_limits, rules_shapes, rules_streams)  # importing them registers their rules
SHIMS = pathlib.Path(__file__).resolve().parents[1]
NOTHING, FINDINGS, NOT_READ = 0, 1, 2
# The maximum depth of a tree in levels; libclang itself stops at 256 levels of brackets.
DEEPEST = 20000


def chosen(words):
    """The rules that --rows selects: rows, `all` and `default`; a minus removes rules."""
    rules = {rule.row for rule in registry.RULES}
    rows = set()
    words = [word for word in words.split(",") if word]
    if not words or words[0].startswith("-"):
        words.insert(0, "default")
    for word in words:
        row = word.lstrip("-").upper()
        group = {"ALL": rules, "DEFAULT": {r.row for r in registry.RULES if r.by_default}}.get(row, {row})
        if not group <= rules:
            print(f"warpsafe-lint: no rule for row {row}; --list names them", file=sys.stderr)
            raise SystemExit(NOT_READ)
        rows = rows - group if word.startswith("-") else rows | group
    return rows


def parse_arguments(words):
    own, behind = words, []
    if "--" in words:
        own, behind = words[:words.index("--")], words[words.index("--") + 1:]
    parser = argparse.ArgumentParser(
        prog="warpsafe-lint", usage="%(prog)s [options] FILE... [-- FLAGS...]",
        description="Finds mistakes of the catalogue (docs/reference/misuse.md) in CUDA and HIP sources. Reads each file's flags from "
                    "compile_commands.json, or takes those after --. Exit status: 0 no finding, 1 findings, 2 a file that "
                    "could not be read completely.")
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("-p", metavar="FILE", help="the compile_commands.json, or its folder; default: searched above each file")
    parser.add_argument("--rows", default="default", metavar="ROWS", help="rows to check: A07,B01; all; or default,-D01")
    parser.add_argument("--json", action="store_true", help="print the findings as a JSON list")
    parser.add_argument("--fix", action="store_true", help="rewrite launches as warpsafe::launch_as_written, in place")
    parser.add_argument("--diff", action="store_true", help="print the changes of --fix as a patch")
    parser.add_argument("--language", choices=("cuda", "hip", "c++"), help="overrides the language found from the file's name and text")
    parser.add_argument("--list", action="store_true", help="print the rows that have a rule")
    parser.add_argument("-j", type=int, default=1, metavar="N", help="check N files at once")
    options = parser.parse_args(own)
    options.behind = behind
    options.rows = chosen(options.rows)
    if options.list:
        for rule in sorted(registry.RULES, key=lambda rule: rule.row):
            print(f"{rule.row}  {rule.title}{'' if rule.by_default else '  (only with --rows)'}")
        raise SystemExit(NOTHING)
    if not options.files:
        parser.error("no file")
    return options


def parse(file, options):
    """The Program of a file, and the errors of the parts that the compiler could not read."""
    cindex = load()
    text = pathlib.Path(file).read_text(errors="replace")
    words, folder, compiler = options.behind, ".", ""
    if not words:
        database = pathlib.Path(options.p) if options.p else flags.find_database(file)
        if database is not None and database.is_dir():
            database = database / "compile_commands.json"
        entry = flags.from_database(database, file) if database is not None else None
        words, folder, compiler = entry or ([], ".", "")
    language = options.language or flags.language_of(file, text, compiler)
    arguments = flags.arguments(language, flags.kept(words, folder), SHIMS)
    # Passes the text in valid UTF-8, because positions count its bytes.
    arguments = own_headers() + arguments
    unit = cindex.Index.create().parse(file, args=arguments, unsaved_files=[(file, text)])
    errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    return Program(unit, file, text, language, arguments), errors


def write_back(file, new):
    """Writes a rewritten file with the line ends that it had. Returns a message if it cannot be written without
    changing other parts of it: the text was read with U+FFFD for what is no UTF-8, and with one kind of line end."""
    old = pathlib.Path(file).read_bytes()
    ends = old.count(b"\r\n")
    if old.count(b"\r") != ends or ends not in (0, old.count(b"\n")):
        return f"{file}: not rewritten, its lines end in different ways; let them all end in \\n"
    try:
        old.decode()
    except UnicodeDecodeError:
        return f"{file}: not rewritten, it is no UTF-8; convert it"
    pathlib.Path(file).write_bytes((new.replace("\n", "\r\n") if ends else new).encode())
    return ""


def silenced(line, row):
    """Whether the line has `// NOLINT` or `// NOLINT(warpsafe-A07)`, in clang-tidy's syntax."""
    found = re.search(r"NOLINT(\(([^)]*)\))?", line)
    return found is not None and (found.group(1) is None or f"warpsafe-{row}" in found.group(2) or "*" in found.group(2))


def lint(file, options):
    """A file's findings as plain data, the notes of --fix, and a message if the file was not read completely."""
    try:
        program, errors = parse(file, options)
    except OSError as error:
        return file, [], [], f"{file}: {error.strerror}"
    except NoLibclang:
        raise
    except flags.BadDatabase as problem:
        return file, [], [], " ".join(str(problem).split())
    except Exception as error:  # libclang's errors have no common type
        if type(error).__module__ != "clang.cindex":
            raise
        return file, [], [], f"{file}: libclang cannot read this file"
    message = ""
    if errors:
        first = errors[0]
        place = f"{first.location.file.name if first.location.file else file}:{first.location.line}"
        message = f"{file}: not read completely, {len(errors)} error{'s' * (len(errors) > 1)}; the first: {place}: {first.spelling}"
    notes = []
    if options.fix or options.diff:
        new, said = fix(program)
        old = program.source.decode()
        if options.diff:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), file, file))
        elif new != old:
            message = write_back(file, new) or message
        notes = [(node.cursor.location.line, node.cursor.location.column, says) for node, says in said]
        return file, [], sorted(notes), message
    lines = program.source.decode().splitlines()
    found = {}
    for rule in registry.RULES:
        if rule.row not in options.rows:
            continue
        for finding in rule.find(program):
            name, line, column, _ = written_at(finding.node.cursor.extent.start)
            if name != file or silenced(lines[line - 1], rule.row):
                continue
            found.setdefault((line, column, rule.row), {
                "file": file, "line": line, "column": column, "row": rule.row, "title": rule.title,
                "says": " ".join(finding.says.split()), "rewrite": " ".join(finding.rewrite.split())})
    return file, [found[key] for key in sorted(found)], notes, message


def one(work):
    sys.setrecursionlimit(DEEPEST)
    return lint(*work)


def main(words):
    options = parse_arguments(words)
    status, every = NOTHING, []
    try:
        load()
        own_headers()
        work = [(file, options) for file in options.files]
        if options.j > 1:
            pool = multiprocessing.Pool(options.j)
            results = pool.imap(one, work)
        else:
            results = map(one, work)
        for file, found, notes, message in results:
            for line, column, says in notes:
                print(f"{file}:{line}:{column}: note: {says}")
            if not options.json:
                for item in found:
                    print(f"{file}:{item['line']}:{item['column']}: warning: {item['says']}; {item['rewrite']} [{item['row']}]")
            sys.stdout.flush()
            every += found
            if message:
                print(f"warpsafe-lint: {message}", file=sys.stderr)
                status = NOT_READ
    except NoLibclang as missing:
        print(f"warpsafe-lint: {missing}", file=sys.stderr)
        return NOT_READ
    if options.json:
        print(json.dumps(every, indent=1))
    return status or (FINDINGS if every else NOTHING)
