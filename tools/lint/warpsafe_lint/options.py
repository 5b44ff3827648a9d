# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The command line's options."""

import argparse
import os
import sys

from . import registry
from .explain import explained
from .rules import levels

NOTHING, FINDINGS, NOT_READ = 0, 1, 2
LEVELS = registry.SEVERITIES


def chosen(words):
    """The rules that --rows selects, and those of them that it names: rows, `all` and `default`; a minus removes rules."""
    rules = {rule.row for rule in registry.RULES}
    rows, named = set(), set()
    words = [word for word in words.split(",") if word]
    if not words or words[0].startswith("-"):
        words.insert(0, "default")
    for word in words:
        row = word.lstrip("-").upper()
        group = {"ALL": rules, "DEFAULT": {r.row for r in registry.RULES if r.by_default}}.get(row, {row})
        if not group <= rules:
            print(f"warpsafe-lint: no rule for row {row}; --list-rows names them", file=sys.stderr)
            raise SystemExit(NOT_READ)
        rows = rows - group if word.startswith("-") else rows | group
        named |= group if row != "DEFAULT" else set()
    return rows, named & rows


def level_of(words):
    """The least severity to print: rows that are asked for by name, or all of them, are printed as notes too."""
    asked = [word for word in words.lower().split(",") if word and not word.startswith("-") and word != "default"]
    return "note" if asked else "warning"


def jobs(word):
    number = int(word)
    if number < 0:
        raise argparse.ArgumentTypeError("write 0 for all cores, or a number of processes")
    return number or len(os.sched_getaffinity(0))


def list_rows():
    rules = {rule.row: rule for rule in reversed(registry.RULES)}  # several rules may share a row
    for _, rule in sorted(rules.items()):
        own = [form for form in levels.forms(rule.row) if levels.key_of(rule.row, form) in levels.SHOWN]
        where = f"  ({', '.join(own)}; others: note)" if own else "" if rule.by_default else "  (only with --rows)"
        print(f"{rule.row}  {levels.by_default(rule):7}  {rule.title}{where}")


def parse_arguments(words):
    own, behind = words, []
    if "--" in words:
        own, behind = words[:words.index("--")], words[words.index("--") + 1:]
    parser = argparse.ArgumentParser(
        prog="warpsafe-lint", usage="%(prog)s [options] FILE|FOLDER... [-- FLAGS...]",
        description="Finds mistakes of the catalogue (docs/reference/misuse.md) in CUDA and HIP sources. Reads each file's flags from "
                    "compile_commands.json, or takes those after --, and finds other include folders in the file's tree. Exit "
                    "status: 0 no finding, 1 findings, 2 a file that could not be read completely or not be written.")
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="a source, or a folder whose sources are checked")
    add("-p", metavar="FILE", help="the compile_commands.json, or its folder; default: searched above each file")
    add("--rows", default="default", metavar="ROWS", help="rows to check: A07,B01; all; or default,-D01")
    add("--level", choices=LEVELS, help="print findings from this severity on; default: warning, or note with rows by name")
    add("--fail-on", choices=(*LEVELS, "never"), help="end with status 1 from this severity on; default: any printed finding")
    add("--ignore-unread", action="store_true", help="do not end with status 2 for files that could not be read completely")
    add("--changed-since", metavar="REF", help="report only lines that changed since this commit of git; without FILE: in all changed sources")
    add("--baseline", metavar="FILE", help="do not report the findings that this file accepts")
    add("--write-baseline", metavar="FILE", help="accept all present findings: write them to this file")
    add("--json", action="store_true", help="print the findings as a JSON list")
    add("--sarif", action="store_true", help="print the findings as SARIF 2.1.0")
    add("--fix", action="store_true", help="write warpsafe::check above launches, in place")
    add("--fix-cuda", action="store_true", help="fix rows A01, A07, C09 and D01 in plain CUDA, in place; --rows selects among them")
    add("--diff", action="store_true", help="print the changes of --fix or --fix-cuda as a patch")
    add("--language", choices=("cuda", "hip", "c++"), help="overrides the language found from the file's name and text")
    add("--list-rows", "--list", action="store_true", help="print the rows that have a rule, with their severity")
    add("--explain", metavar="ROW", help="print what a row reports, with wrong and right code")
    add("--jobs", "-j", type=jobs, default=1, metavar="N", help="check N files at once; 0: one per core")
    options = parser.parse_args(own)
    options.behind = behind
    options.level = options.level or level_of(options.rows)
    options.fail_on = options.fail_on or options.level
    options.rows, options.named = chosen(options.rows)
    if options.list_rows:
        list_rows()
        raise SystemExit(NOTHING)
    if options.explain:
        row = options.explain.upper()
        text = explained(row)
        if text is None:
            print(f"warpsafe-lint: no rule for row {row}; --list-rows names them", file=sys.stderr)
            raise SystemExit(NOT_READ)
        print(text)
        raise SystemExit(NOTHING)
    if options.json and options.sarif:
        parser.error("--json and --sarif are two forms of one output; choose one")
    if not options.files and not options.changed_since:
        parser.error("no file")
    return options
