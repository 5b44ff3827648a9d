# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""All processes of a job, and the communicators between them."""

import contextlib
import os
import pathlib
import statistics
import time
import types

from .files import RECEIVE, SEND, Record, State, read

# A process says ten times a second that it lives; one that is this much behind the others does not.
SILENT_NS = 5_000_000_000
# Each member of these ends after the last one has begun, so that ends compare clocks.
MEETING = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "barrier"}


class Communicator:
    """The members of a communicator, by their ranks in it."""

    def __init__(self, number, members):
        self.number = number
        self.members = sorted(members, key=lambda member: (member.rank, member.process.rank, member.process.pid))
        self.kind = members[0].kind
        self.size = max(member.size for member in members)
        self.id = members[0].id

    def __str__(self):
        return f"communicator {self.number}"

    @property
    def shown(self):
        """"NCCL, 4 ranks"; the size of one that is being made may be unknown."""
        return self.kind + (f", {self.size} ranks" if self.size > 0 else "")

    @property
    def missing(self):
        """Ranks of the communicator of which nobody recorded anything."""
        if any(member.rank < 0 for member in self.members):
            return []
        return sorted(set(range(self.size)) - {member.rank for member in self.members})

    def first_difference(self):
        """The first index at which members called different collectives; None: they agree."""
        # Members that are ahead are compared with each other, too.
        for length in sorted({len(member.records) for member in self.members} - {0}):
            ahead = [member for member in self.members if len(member.records) >= length]

            def differ(index):
                return len({member.records[index].digest for member in ahead}) > 1

            if not differ(length - 1):
                continue
            # A digest covers all calls up to its own: once different, always different.
            low, high = 0, length - 1
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if differ(middle) else (middle + 1, high)
            # A page in the wrong place is no call of its rank.
            for member in ahead:
                member.records.check_around(low)
            return low
        return None


class Job:
    """What a folder of records says. `damaged`: files to leave out, with the reason."""

    def __init__(self, folder, damaged=types.MappingProxyType({})):
        self.folder = pathlib.Path(folder)
        self.processes, self.problems, self.is_damaged = read(folder, damaged)
        groups = {}
        for process in self.processes:
            for member in process.members:
                groups.setdefault((member.kind, member.id), []).append(member)
        ordered = sorted(groups.values(), key=lambda members: min(member.made_ns for member in members))
        self.communicators = [Communicator(number, members) for number, members in enumerate(ordered, 1)]
        self.of_member = {id(member): one for one in self.communicators for member in one.members}
        self.last_ns = max((process.heartbeat_ns for process in self.processes), default=0)
        self.offsets = self._offsets()
        self.compared = None  # collectives whose checksums were compared with another run's

    @property
    def size(self):
        return max((process.size for process in self.processes), default=-1)

    @property
    def missing(self):
        """Ranks of the job of which there is no record."""
        return sorted(set(range(self.size)) - {process.rank for process in self.processes})

    def is_dead(self, process):
        """True: it ended without saying so. A process on this machine can be asked."""
        if process.exit_ns:
            return False
        if process.boot and process.boot == _own_boot():
            if _lives(process.pid):
                return False
            # It may have ended well after its files were read.
            for library in process.libraries:
                with contextlib.suppress(OSError):
                    library.ended_since()
            return not process.exit_ns
        return process.heartbeat_ns + SILENT_NS < self.last_ns

    def died_ns(self, process):
        return process.heartbeat_ns - self.offsets.get(process.boot, 0)

    def _offsets(self):
        """How far the clock of each host is ahead of the first one's, in ns."""
        differences = {}
        if not self.processes:
            return {}
        first = self.processes[0].boot
        for one in self.communicators:
            if len({member.process.boot for member in one.members}) < 2:
                continue
            indices = sampled(min(len(member.records) for member in one.members), 200)
            # File by file: each is opened once.
            read_records = [[member.records[index] for index in indices] for member in one.members]
            for records in zip(*read_records):
                if one.members[0].library.operation(records[0]) not in MEETING or any(r.state != State.ENDED for r in records):
                    continue
                ends = {}
                for member, record in zip(one.members, records):
                    ends.setdefault(member.process.boot, []).append(record.end_ns)
                if first not in ends:
                    continue
                base = statistics.median(ends[first])
                for boot, values in ends.items():
                    differences.setdefault(boot, []).append(statistics.median(values) - base)
        return {boot: int(statistics.median(values)) for boot, values in differences.items() if boot != first}

    def now_ns(self):
        """The end of what is known: now, if a process of the job still runs here."""
        if any(p.boot == _own_boot() and not p.exit_ns and not self.is_dead(p) for p in self.processes):
            return time.time_ns()
        return self.last_ns

    def at(self, process, ns):
        return ns - self.offsets.get(process.boot, 0)

    def describe(self, member, record: Record):
        """"all_reduce of 1024 float32, sum"."""
        library = member.library
        text = library.operation(record)
        kind = library.words.get(record.type, "")
        if record.operation in (SEND, RECEIVE):
            way = "to" if record.operation == SEND else "from"
            peer = f"rank {record.root}" if record.root >= 0 else "any rank"
            tag = f", tag {record.tag}" if member.kind == "MPI" and record.tag >= 0 else ""
            return f"{text} of {record.count} {kind or 'bytes'} {way} {peer} of the communicator{tag}"
        if record.count:
            text += f" of {record.count} {kind or 'bytes'}"
        if record.reduction:
            text += f", {library.words.get(record.reduction, '?')}"
        if record.root >= 0:
            text += f", root {record.root}"
        return text


def sampled(count, most):
    """At most `most` indices of range(count), evenly spread."""
    if count <= most:
        return range(count)
    return [index * count // most for index in range(most)]


def _lives(pid):
    try:
        # The state follows the name, which is in parentheses. A zombie waits for its parent alone.
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False


def _own_boot():
    try:
        return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return os.uname().nodename
