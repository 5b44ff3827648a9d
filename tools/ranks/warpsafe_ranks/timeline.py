# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""A timeline of all ranks for ui.perfetto.dev: a track for each communicator of each rank, on one clock."""

import json

from .files import State
from .output import opened


def write(job, path, last):
    """The last `last` collectives of each communicator."""
    begin = min((member.records[max(0, len(member.records) - last)].begin_ns for one in job.communicators
                 for member in one.members if len(member.records)), default=0)
    now = job.now_ns()
    with opened(path) as file:
        separator = '{"displayTimeUnit":"ms","traceEvents":[\n'

        def put(event):
            nonlocal separator
            file.write(separator + json.dumps(event, separators=(",", ":")))
            separator = ",\n"

        for number, process in enumerate(job.processes):
            put({"ph": "M", "name": "process_name", "pid": number, "args": {"name": f"{process} ({process.host})"}})
            put({"ph": "M", "name": "process_sort_index", "pid": number, "args": {"sort_index": number}})
        order = {id(process): number for number, process in enumerate(job.processes)}
        for one in job.communicators:
            for member in one.members:
                process = order[id(member.process)]
                put({"ph": "M", "name": "thread_name", "pid": process, "tid": one.number,
                     "args": {"name": f"{one} ({one.kind})"}})
                for index in range(max(0, len(member.records) - last), len(member.records)):
                    record = member.records[index]
                    start = job.at(member.process, record.arrived_ns)
                    ended = record.state in (State.ENDED, State.FAILED)
                    end = job.at(member.process, record.end_ns) if ended else now
                    put({"ph": "X", "name": member.library.operation(record), "pid": process, "tid": one.number,
                         "ts": (start - begin) / 1000, "dur": max(0, end - start) / 1000,
                         "args": {"collective": index + 1, "call": job.describe(member, record),
                                  "state": State(record.state).name.lower()}})
        file.write(("" if separator.startswith(",") else separator) + "\n]}\n")
