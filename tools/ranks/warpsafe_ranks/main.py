# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The command line of warpsafe-ranks."""

import argparse
import json
import os
import pathlib
import sys
import time

from . import page, ras, text, timeline
from .findings import Examination
from .job import Job
from .places import Places

STATUS = """exit status:
  0  nothing found
  1  at least one finding
  2  no record can be read, or the options are wrong"""


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


def examined(options):
    job = Job(options.folder)
    other = Job(options.compare) if options.compare else None
    return job, Examination(job, options.after, other).findings


def follow(options):
    shown, findings = None, []
    while True:
        job, findings = examined(options)
        said = text.printable(text.as_text(job, findings, Places())) if job.processes else "no records yet\n"
        # The numbers in the first line change all the time.
        if said.partition("\n")[2] != shown:
            shown = said.partition("\n")[2]
            print(time.strftime("%H:%M:%S"), said, flush=True)
        if job.processes and all(process.exit_ns or job.is_dead(process) for process in job.processes):
            return 1 if findings else 0
        time.sleep(1)


def main(words):
    options = arguments(words)
    for folder in filter(None, (options.folder, options.compare)):
        if not folder.is_dir():
            print(f"warpsafe-ranks: {folder} is not a folder; name the one of warpsafe-run --ranks", file=sys.stderr)
            return 2
    try:
        if options.follow:
            return follow(options)
        job, findings = examined(options)
        if not job.processes:
            for problem in job.problems:
                print(text.printable(f"warpsafe-ranks: {problem}"), file=sys.stderr)
            print(f"warpsafe-ranks: {options.folder} has no records; run the job's processes with "
                  f"warpsafe-run --ranks {options.folder}", file=sys.stderr)
            return 2
        places = Places()
        if options.html:
            options.html.write_text(page.page(job, findings, places), encoding="utf-8")
        if options.timeline:
            timeline.write(job, options.timeline, options.last)
        where = ras.address()
        said, why = ras.ask(where) if options.ras else ("", "")
        if options.json:
            made = text.as_json(job, findings, places)
            if options.ras:
                made["ras"] = {"address": where, "text": said or None, "problem": why or None}
            print(json.dumps(made, indent=1))
        else:
            print(text.printable(text.as_text(job, findings, places)), end="")
            if options.ras:
                print(text.printable("\n" + ras.as_text(where, said, why)), end="")
        return 1 if findings else 0
    except BrokenPipeError:
        # The reader has what it wanted; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        print(f"warpsafe-ranks: {error}", file=sys.stderr)
        return 2
