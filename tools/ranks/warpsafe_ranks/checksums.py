# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Numbers that diverge: the first NaN or infinity, outputs that differ between ranks, and two runs that differ."""

import dataclasses

from .files import Checksums

# The output of these is the same in each member.
SAME_OUTPUT = {"all_reduce", "broadcast", "all_gather"}
# An infinity is the neutral element of these. And if a NaN takes part, the order of the members may decide the result.
EXTREMES = {"max", "min"}
WINDOW = 1 << 16
CLOSE_NS = 10_000_000


@dataclasses.dataclass
class NonFinite:
    """The first collective or sent message with a NaN or an infinity. Without members: it is in the output only."""

    one: object
    index: int
    members: list  # (member, NaNs, infinities, the first element)
    is_message: bool = False


def known(one):
    """How many collectives of a communicator have checksums, in all members."""
    count = 0
    for member in one.members:
        for begin, end in windows(len(member.checksums)):
            states = member.checksums.window(begin, end)(Checksums.STATE).tobytes()
            count += (end - begin) - states.count(bytes(8))
    return count


def windows(count, size=WINDOW):
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]


def first_non_finite(job):
    """The first collective or send, of all communicators, from which on inputs are not finite; None: all are, or they are again.

    Training with a loss scaler meets infinities and leaves the step out: if the same call is finite later, nothing
    diverged."""
    found = []
    for one in job.communicators:
        starts = [(start, member) for member in one.members
                  for start in [_start(member.records, member.checksums, member.library.words)] if start is not None]
        if not starts:
            continue
        index = min(start for start, _ in starts)
        members = []
        for start, member in starts:
            nans, infinities, first = _input(member.checksums, index)
            if start == index and (nans or infinities):
                members.append((member, nans, infinities, first))
        # A rank that receives the NaN may have called before the NaN was made.
        makers = [member for member, *_ in members] or [member for start, member in starts if start == index]
        at = min(job.at(member.process, member.records[index].arrived_ns) for member in makers)
        found.append((at, NonFinite(one, index, members)))
    for process in job.processes:
        for library in process.libraries:
            index = _start(library.messages, library.message_checksums, {})
            member = None if index is None else library.members.get(library.messages[index].reduction)
            if member is not None:
                numbers = (member, *_input(library.message_checksums, index))
                found.append((job.at(process, library.messages[index].arrived_ns),
                              NonFinite(job.of_member[id(member)], index, [numbers], True)))
    return _origin(found) if found else None


def _origin(found):
    """The earliest one. When a rank's work on the device began is known to some ms. So if a rank got its numbers from one
    that called earlier, the other one is the first."""
    at, first = min(found, key=lambda each: each[0])
    left = [each for begin, each in found if each.is_message and begin - at < CLOSE_NS]
    while sender := next((each for each in left if each.one is first.one and _sent_to(each, first)), None):
        left.remove(sender)
        first = sender
    return first


def _sent_to(message, later):
    sender = message.members[0][0]
    record = sender.library.messages[message.index]

    def began(member):
        return (member.library.messages if later.is_message else member.records)[later.index].begin_ns

    return any(member.rank == record.root and record.begin_ns < began(member) for member, *_ in later.members)


def _input(checksums, index):
    column = checksums.window(index, index + 1)
    return column(Checksums.INPUT_NANS)[0], column(Checksums.INPUT_INFINITIES)[0], column(Checksums.INPUT_FIRST)[0]


def _start(records, checksums, words):
    """The first record of the last series of calls of one kind that are not finite, if the series goes on to the end."""
    count = len(checksums)
    counts = (Checksums.INPUT_NANS, Checksums.INPUT_INFINITIES, Checksums.OUTPUT_NANS, Checksums.OUTPUT_INFINITIES)
    spans = windows(count)
    if not any(_any(checksums.window(*span), counts) for span in spans):
        return None
    finite, series, returned = set(), {}, set()
    for begin, end in spans:
        column = checksums.window(begin, end)
        rows = zip(column(Checksums.STATE), *map(column, counts))
        for index, (fields, (state, nans, infinities, output_nans, output_infinities)) in enumerate(
                zip(records.window(begin, end), rows), begin):
            if not state:
                continue
            # The same call: operation, count, type, reduction (or communicator), root (or peer), place.
            key = fields[6], fields[3], fields[7], fields[8], fields[10], fields[5]
            infinite = (infinities or output_infinities) and words.get(fields[8]) not in EXTREMES and key not in returned
            if nans or output_nans or (infinite and key in finite):
                series.setdefault(key, index)
            elif not infinities and not output_infinities:
                finite.add(key)
                if series.pop(key, None) is not None:
                    returned.add(key)  # such as buffers of which one always has infinities
    return min(series.values(), default=None)


def _any(column, columns):
    return any(column(one).tobytes().strip(b"\0") for one in columns)


def first_different_output(one, end):
    """(index, checksums by member) of the first collective before `end` whose output differs; None: there is none."""
    members = [member for member in one.members if len(member.checksums)]
    if len(members) < 2:
        return None
    # The windows of all members are in memory together.
    for begin, stop in windows(min(end, *(len(member.checksums) for member in members)), max(64, 16 * WINDOW // len(members))):
        columns = [member.checksums.window(begin, stop) for member in members]
        if len({column(Checksums.OUTPUT).tobytes() for column in columns}) == 1:
            continue
        rows = zip(*(zip(column(Checksums.OUTPUT), column(Checksums.STATE), column(Checksums.INPUT_NANS)) for column in columns))
        for index, row in enumerate(rows, begin):
            outputs = {output for output, state, _ in row if state & Checksums.HAS_OUTPUT}
            if len(outputs) < 2:
                continue
            record, library = members[0].records[index], members[0].library
            if library.operation(record) not in SAME_OUTPUT:
                continue
            if library.words.get(record.reduction) in EXTREMES and any(nans for _, _, nans in row):
                continue
            return index, [(member, output) for member, (output, state, _) in zip(members, row) if state & Checksums.HAS_OUTPUT]
    return None


@dataclasses.dataclass
class Change:
    """Where two runs are no longer the same."""

    one: object
    index: int
    what: str  # "call", "input" or "output"
    members: list


def pairs(job, other):
    """Communicators of two runs that belong together: the same library and ranks, in the order of their creation."""
    found, used = [], set()
    for one in job.communicators:
        ranks = _ranks(one)
        twin = next((each for each in other.communicators if each.number not in used and _ranks(each) == ranks), None)
        if twin is not None:
            used.add(twin.number)
            found.append((one, twin))
    return found


def _ranks(one):
    return one.kind, [(member.rank, member.process.rank) for member in one.members]


def first_change(job, other):
    """(where the runs differ first, collectives that were compared). None for the first: nowhere."""
    found, compared = [], 0
    for one, twin in pairs(job, other):
        best, here = None, 0
        for member, counterpart in zip(one.members, twin.members):
            change, count = _change(member, counterpart)
            here += count
            if change and (best is None or change[:2] < best[:2]):
                best = (*change, [member])
            elif change and change[:2] == best[:2]:
                best[2].append(member)
        compared += here
        if best:
            index, order, members = best
            at = min(job.at(member.process, member.records[index].arrived_ns) for member in members)
            found.append((at, Change(one, index, ("call", "input", "output")[order], members)))
    return (min(found, key=lambda each: each[0])[1] if found else None), compared


def _change(member, other):
    """((index, 0: call, 1: input, 2: output), collectives that were compared)."""
    count = min(len(member.records), len(other.records))
    calls = _different_call(member, other, count)
    compared = 0
    for begin, end in windows(min(count, len(member.checksums), len(other.checksums))):
        columns = member.checksums.window(begin, end), other.checksums.window(begin, end)
        rows = zip(*(column(each) for each in (Checksums.STATE, Checksums.INPUT, Checksums.OUTPUT) for column in columns))
        for index, (state, state2, input1, input2, output1, output2) in enumerate(rows, begin):
            if index == calls:
                return (index, 0), compared
            both = state & state2
            compared += bool(both)
            if both & Checksums.HAS_INPUT and input1 != input2:
                return (index, 1), compared
            if both & Checksums.HAS_OUTPUT and output1 != output2:
                return (index, 2), compared
    return ((calls, 0) if calls is not None else None), compared


def _different_call(member, other, count):
    """The first call that differs; None: there is none. A digest covers all calls before it."""
    if not count or member.records[count - 1].digest == other.records[count - 1].digest:
        return None
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if member.records[middle].digest != other.records[middle].digest else (middle + 1, high)
    return low
