# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The command line of warpsafe-ranks."""

import argparse
import contextlib
import functools
import json
import os
import pathlib
import sys
import time
import traceback

from . import page, ras, text, timeline
from .files import ENDINGS, Damage
from .findings import Examination
from .job import Job
from .output import opened, replaced
from .places import Places

STATUS = """exit status:
  0  nothing found
  1  at least one finding
  2  no record can be read, an output cannot be written, or the options are wrong
  3  a record is damaged: findings may be missing, or wrong"""
NOTHING, FINDINGS, UNUSABLE, DAMAGED = range(4)


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="warpsafe-ranks", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=STATUS,
        description="Finds out which rank of a job keeps the others waiting: reads the records that\n"
        "warpsafe-run --ranks DIR made, also while the job runs.")
    parser.add_argument("folder", type=pathlib.Path, help="the folder with the records of all ranks")
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    parser.add_argument("--html", type=pathlib.Path, metavar="FILE", help="write a page with a picture of ranks against collectives")
    parser.add_argument("--timeline", type=pathlib.Path, metavar="FILE", help="write a timeline for ui.perfetto.dev")
    parser.add_argument("--last", type=int, default=1000, metavar="N",
                        help="collectives of each communicator and rank in the timeline (1000)")
    parser.add_argument("--after", type=float, default=2, metavar="SECONDS",
                        help="report a wait of a running job if it exceeds this (2)")
    parser.add_argument("--compare", type=pathlib.Path, metavar="FOLDER",
                        help="also name the first collective whose checksum differs from that of another run")
    parser.add_argument("--ras", action="store_true",
                        help="also ask NCCL's own service (RAS) on this host, or at the address in NCCL_RAS_ADDR")
    parser.add_argument("--follow", action="store_true", help="print again whenever something changes, until all ranks have ended")
    options = parser.parse_args(words)
    if options.last < 1:
        parser.error(f"--last {options.last}: write a number of collectives from 1")
    if options.after < 0:
        parser.error(f"--after {options.after}: write a number of seconds from 0")
    return options


def same_files(options):
    """An output, and the record or the other output that it would replace; None in general."""
    outputs = [(f"--{name} {path}", path) for name, path in (("html", options.html), ("timeline", options.timeline)) if path]
    if not outputs:
        return None
    folders = filter(None, (options.folder, options.compare))
    records = [(f"the record {path}", path) for folder in folders for path in folder.iterdir() if path.suffix in ENDINGS]
    return replaced(outputs, [("standard output", "/dev/stdout"), *records])


def without_damage(work):
    """work(damaged), without the files that turn out to be damaged: their offsets, by their paths."""
    damaged = {}
    while True:
        try:
            return work(damaged)
        except Damage as found:
            if found.path in damaged:
                raise
            damaged[found.path] = str(found)


def examined(options, damaged):
    job = Job(options.folder, damaged)
    other = Job(options.compare, damaged) if options.compare else None
    findings = Examination(job, options.after, other).findings
    if other is not None:
        job.problems += [f"{options.compare}: {problem}" for problem in text.problems(other)]
        job.is_damaged = job.is_damaged or other.is_damaged
    return job, findings


def status_of(job, findings):
    return DAMAGED if job.is_damaged else FINDINGS if findings else NOTHING


def follow(options):
    shown, findings = None, []
    while True:
        job, findings = without_damage(functools.partial(examined, options))
        said = text.printable(text.as_text(job, findings, Places())) if job.processes else "no records yet\n"
        # The numbers in the first line change all the time.
        if said.partition("\n")[2] != shown:
            shown = said.partition("\n")[2]
            print(time.strftime("%H:%M:%S"), said, flush=True)
        if job.processes and all(process.exit_ns or job.is_dead(process) for process in job.processes):
            return status_of(job, findings)
        time.sleep(1)


def report(options, damaged):
    """Writes the files; returns the text to print, lines for standard error, and the exit status."""
    job, findings = examined(options, damaged)
    if not job.processes:
        problems = [*job.problems, f"{options.folder} has no records; run the job's processes with warpsafe-run --ranks {options.folder}"]
        return "", problems, DAMAGED if job.is_damaged else UNUSABLE
    places = Places()
    if options.html:
        with opened(options.html) as file:
            file.write(page.page(job, findings, places))
    if options.timeline:
        timeline.write(job, options.timeline, options.last)
    where = ras.address()
    said, why = ras.ask(where) if options.ras else ("", "")
    if options.json:
        made = text.as_json(job, findings, places)
        if options.ras:
            made["ras"] = {"address": where, "text": said or None, "problem": why or None}
        return json.dumps(made, indent=1) + "\n", [], status_of(job, findings)
    shown = text.as_text(job, findings, places) + ("\n" + ras.as_text(where, said, why) if options.ras else "")
    return text.printable(shown), [], status_of(job, findings)


def complain(message):
    """Prints a line on standard error, if that is open and not on a full disk."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print("warpsafe-ranks:", text.printable(message.replace("\n", " ")), file=sys.stderr)


def main(words):
    options = arguments(words)
    if sys.stdout is None:
        complain("cannot write the output: standard output is closed")
        return UNUSABLE
    for folder in filter(None, (options.folder, options.compare)):
        if not folder.is_dir():
            complain(f"{folder} is not a folder; name the one of warpsafe-run --ranks")
            return UNUSABLE
    try:
        if same := same_files(options):
            complain(f"{same[0]} and {same[1]} are the same file; choose another name for the output")
            return UNUSABLE
        if options.follow:
            return follow(options)
        shown, errors, status = without_damage(functools.partial(report, options))
        for error in errors:
            complain(error)
        print(shown, end="", flush=True)
        return status
    except BrokenPipeError:
        # The reader has what it wanted; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOTHING
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return UNUSABLE
    except Exception as error:  # what no check of the records has found
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({pathlib.Path(last.filename).name}:{last.lineno})"
        complain(f"{options.folder}: a record is damaged in a way that the tool does not know: {what}; please report it "
                 "with the folder")
        return DAMAGED
