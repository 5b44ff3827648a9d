# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Links over which NCCL's messages and collectives take longer than over the others."""

import collections
import dataclasses
import statistics

from .files import RECEIVE, SEND, Fields, State
from .job import MEETING
from .stragglers import standing_out

# The links are compared by the last messages of each process, and the last collectives of each communicator.
MOST_MESSAGES, MOST_COLLECTIVES = 2000, 200
FEWEST = 20
# A slow link needs this many others. Links of one host may differ by their wires: NVLink, PCIe, and what lies between.
FEWEST_OTHERS = 3
TIMES_BETWEEN_HOSTS, TIMES_ON_HOST = 2, 3
# A wait must be felt.
LOST_NS = 1_000_000
BYTES = {"int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "float16": 2, "float32": 4, "float64": 8, "bfloat16": 2,
         "float8e4m3": 1, "float8e5m2": 1}


@dataclasses.dataclass
class Link:
    """A pair of ranks, from the sender to the receiver, or the ranks of a communicator; and how long it took."""

    members: tuple
    one: object
    is_pair: bool
    between_hosts: bool
    bytes: int
    times_ns: list
    index: int  # of the last message of the sender, or of the last collective

    @property
    def ns(self):
        return statistics.median(self.times_ns)

    @property
    def speed(self):
        """"8.0 ms for 16.8 MB (2.1 GB/s)"."""
        return f"{self.ns / 1e6:.1f} ms for {self.bytes / 1e6:.1f} MB ({self.bytes / max(self.ns, 1):.2g} GB/s)"


@dataclasses.dataclass
class Slow:
    """Links that stand out among links of the same kind."""

    slow: list
    others: list


def measured(job):
    """All links with enough messages or collectives."""
    return [link for _, link in (*_messages(job), *_collectives(job, 0))]


def slow_links(job):
    for links in (_messages(job), _collectives(job, FEWEST_OTHERS)):
        kinds = collections.defaultdict(list)
        for key, link in links:
            kinds[key].append(link)
        # Of each kind of link the size with which most was sent.
        best = {}
        for (kind, *size), found in kinds.items():
            volume = sum(link.bytes * len(link.times_ns) for link in found)
            if len(found) > FEWEST_OTHERS and volume > best.get(kind, (0,))[0]:
                best[kind] = volume, found
        for _, found in best.values():
            slow = _slow(found)
            if slow:
                yield slow


def _slow(links):
    count = min(len(link.times_ns) for link in links)
    chosen, _ = standing_out([link.times_ns[-count:] for link in links], LOST_NS)
    slow = [links[number] for number in chosen]
    others = [link for number, link in enumerate(links) if number not in chosen]
    if not slow or len(others) < FEWEST_OTHERS:
        return None
    between = links[0].between_hosts
    times = TIMES_BETWEEN_HOSTS if between else TIMES_ON_HOST
    is_few = 4 * len(slow) <= len(links) if between else 4 * len(slow) < len(links)
    if not is_few or min(link.ns for link in slow) < times * max(link.ns for link in others):
        return None
    return Slow(slow, others)


def _host(member):
    return member.process.boot or member.process.host


@dataclasses.dataclass
class _Half:
    """A message as one side knows it."""

    ready_ns: float
    end_ns: float
    bytes: int
    member: object
    index: int
    group: tuple  # all calls of a group of NCCL end together


def _messages(job):
    """(kind, link) of the pairs of ranks."""
    halves = _halves(job)
    met = [(key, half, halves[RECEIVE][key]) for key, half in halves[SEND].items() if key in halves[RECEIVE]]
    # A group waits for the last of all ranks with which it exchanges messages. A message is under way for no longer
    # than from then to the end of the group, on either side.
    begun = collections.defaultdict(float)
    for _, sent, received in met:
        for half in (sent, received):
            begun[half.group] = max(begun[half.group], sent.ready_ns, received.ready_ns)
    pairs = collections.defaultdict(list)
    for key, sent, received in met:
        if sent.bytes == received.bytes > 0:
            # Clocks that are not quite the same may make a short time negative.
            took = max(0, min(half.end_ns - begun[half.group] for half in (sent, received)))
            pairs[key[:2], sent.bytes].append((took, sent, received))
    for (_, size), found in pairs.items():
        if len(found) >= FEWEST:
            _, sent, received = found[-1]
            between = _host(sent.member) != _host(received.member)
            yield (between, size), Link((sent.member, received.member), job.of_member[id(sent.member)], True, between, size,
                                        [took for took, *_ in found], sent.index)


def _halves(job):
    """The sends and the receives, by (communicator, (sender, receiver), number)."""
    most = max(100, min(MOST_MESSAGES, 400_000 // max(1, len(job.processes))))
    found = {SEND: {}, RECEIVE: {}}
    for process in job.processes:
        for library in process.libraries:
            count = len(library.messages)
            first = max(0, count - most)
            for index, fields in enumerate(library.messages.window(first, count) if count else (), first):
                record = Fields(*fields)
                member = library.members.get(record.reduction)
                if (record.operation not in found or record.state != State.ENDED or not record.device_us > 0 or member is None
                        or member.kind != "NCCL"):
                    continue
                ranks = (member.rank, record.root) if record.operation == SEND else (record.root, member.rank)
                end = job.at(process, record.end_ns)
                found[record.operation][job.of_member[id(member)].number, ranks, record.digest & 0xFFFFFFFF] = _Half(
                    end - record.device_us * 1000, end, record.count * BYTES.get(library.words.get(record.type), 0), member, index,
                    (id(library), record.group or -1 - index))
    return found


def _collectives(job, others):
    """(kind, link) of the communicators that have more than `others` others of their kind. The member that came last did not wait for the others."""
    shapes = collections.defaultdict(list)
    for one in job.communicators:
        hosts = collections.Counter(map(_host, one.members))
        if one.kind == "NCCL" and len(one.members) == one.size > 1:
            shapes[tuple(sorted(hosts.values()))].append(one)
    for shape, ones in shapes.items():
        for one in ones if len(ones) > others else ():
            for call, found in _calls(one).items():
                if len(found) >= FEWEST:
                    index, took, size = found[-1][0], [each[1] for each in found], found[-1][2]
                    yield (shape, call), Link(tuple(one.members), one, False, len(shape) > 1, size, took, index)


def _calls(one):
    """(index, ns, bytes) of the last collectives, by what they are. Those of a group run together, and are left out."""
    end = min(len(member.records) for member in one.members)
    different = one.first_difference()
    end = end if different is None else min(end, different)
    begin = max(0, end - MOST_COLLECTIVES)
    library, found = one.members[0].library, collections.defaultdict(list)
    windows = [member.records.window(begin, end) for member in one.members] if begin < end else []
    for index, row in enumerate(zip(*windows), begin):
        records = [Fields(*fields) for fields in row]
        first = records[0]
        size = first.count * BYTES.get(library.words.get(first.type), 0)
        if (size and not first.group and library.operation(first) in MEETING
                and all(record.state == State.ENDED and record.device_us > 0 for record in records)):
            call = library.operation(first), library.words.get(first.type), library.words.get(first.reduction), first.count
            found[call].append((index, min(record.device_us for record in records) * 1000, size))
    return found
