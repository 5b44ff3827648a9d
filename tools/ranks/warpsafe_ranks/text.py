# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""The findings as text and as JSON."""

import datetime
import math

from .checksums import known
from .findings import names, ranks_text
from .links import measured


DAMAGE = "records are damaged: findings about their ranks may be missing, or wrong"


def summary(job):
    """One line: what there is."""
    hosts = len({process.boot or process.host for process in job.processes})
    calls = sum(len(member.records) for process in job.processes for member in process.members)
    who = f"{len(job.processes)} processes" if job.size < 0 else (
        f"{len({p.rank for p in job.processes})} of {job.size} ranks")
    read = sum(known(one) for one in job.communicators)
    return (f"{who} on {counted(hosts, 'host')}, {counted(len(job.communicators), 'communicator')}, "
            f"{counted(calls, 'collective')}" + (f", {read} with checksums" if read else ""))


def printable(text):
    """The same without characters that a terminal would obey: names come from programs, and RAS from the network."""
    return "".join(letter if letter == "\n" or letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def problems(job):
    """What is missing in the records, a sentence each."""
    reasons = {}
    for process in job.processes:
        if process.stopped:
            reasons.setdefault(process.stopped, []).append(process)
    return job.problems + [_ends_early(processes, why) for why, processes in reasons.items()]


def _ends_early(processes, why):
    least, most = (limit(process.calls for process in processes) for limit in (min, max))
    return f"the record of {names(processes)} ends early, after {f'{least} to ' if least < most else ''}{counted(most, 'call')}: {why}"


def counted(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


def as_text(job, findings, places):
    lines = [summary(job)]
    if job.compared is not None:
        lines.append(f"compared with another run: {counted(job.compared, 'collective')}, up to the first difference of each rank")
    lines += [f"note: {problem}" for problem in problems(job)]
    if job.is_damaged:
        lines.append(DAMAGE)
    for finding in findings:
        lines += ["", finding.text]
        for side in finding.sides:
            who = names(side.ranks)
            place = places.text(side.place)
            lines.append("  " + (f"{who}: " if who else "") + side.what + (f", at {place}" if place else ""))
    if not findings:
        lines.append(clean(job))
    else:
        lines += ["", legend(job)]
    return "\n".join(line for line in lines if line is not None) + "\n"


def clean(job):
    """A sentence for a job without findings."""
    if job.is_damaged:
        return "no finding in the records that can be read"
    if any(process.stopped for process in job.processes):
        return "no finding in the calls that were recorded"
    return "no rank waits for another, and all ranks made the same calls"


def legend(job):
    """What the numbers of the communicators mean."""
    lines = []
    for one in job.communicators[:20]:
        ranks = sorted({member.process.rank for member in one.members})
        lines.append(f"communicator {one.number}: {one.kind}, {ranks_text(ranks)} of the job"
                     + (f", {len(one.missing)} without a record" if one.missing else ""))
    if len(job.communicators) > 20:
        lines.append(f"and {len(job.communicators) - 20} more")
    return "\n".join(lines)


def as_json(job, findings, places):
    """A dictionary: tools/ranks/docs/ranks.md has its fields."""
    return {
        "format": 1,
        "ranks": sorted({process.rank for process in job.processes if process.rank >= 0}),
        "size": job.size,
        "problems": problems(job),
        "compared": job.compared,
        "processes": [{"rank": p.rank, "host": p.host, "pid": p.pid, "dead": job.is_dead(p), "exited": bool(p.exit_ns),
                       "stopped": p.stopped or None}
                      for p in job.processes],
        "communicators": [{"communicator": one.number, "id": one.id, "library": one.kind, "size": one.size,
                           "ranks": [member.process.rank for member in one.members],
                           "collectives": [len(member.records) for member in one.members]} for one in job.communicators],
        "links": [{"ranks": [member.process.rank for member in link.members], "communicator": link.one.number,
                   "what": "messages" if link.is_pair else "collectives", "between_hosts": link.between_hosts, "bytes": link.bytes,
                   "ms": round(link.ns / 1e6, 4), "gb_per_s": round(link.bytes / max(link.ns, 1), 4)}
                  for link in measured(job) if math.isfinite(link.ns)],
        "findings": [{"kind": finding.kind, "text": finding.text, "communicator": finding.communicator or None,
                      "collective": finding.index + 1 if finding.index >= 0 else None,
                      "sides": [{"ranks": [p.rank for p in side.ranks], "hosts": sorted({p.host for p in side.ranks}),
                                 "what": side.what, "place": places.text(side.place) or None,
                                 "since": _utc(side.since_ns)} for side in finding.sides]} for finding in findings],
    }


def _utc(ns):
    if not ns:
        return None
    return datetime.datetime.fromtimestamp(ns / 1e9, datetime.timezone.utc).isoformat(timespec="milliseconds")
