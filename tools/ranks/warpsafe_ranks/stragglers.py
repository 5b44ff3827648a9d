# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Ranks for which the others wait, step after step, and the collectives at which they wait."""

import array
import dataclasses
import math
import statistics

from .files import Fields, State
from .job import MEETING

# A step is the shortest sequence of collectives that repeats. So many are compared, unless a step is long.
MOST = 500
MOST_OF_LONG_STEPS = 4000
FEWEST_STEPS = 20
# What the others wait must be felt: it exceeds this time and this share of a step.
LOST_NS = 1_000_000
LOST_SHARE = 0.05
# It must be no accident: it exceeds the difference that chance makes by far, also without the worst steps. A start-up
# or a pause of the machine is one of them.
STANDARD_ERRORS = 5
OUTLIERS = 0.05
# 2023-11-14: times since then fit into a floating-point number, to some 30 ns.
BASE_NS = 1_700_000_000_000_000_000


@dataclasses.dataclass
class Late:
    """A collective of each step to which some members come last."""

    index: int  # the last one of its kind
    lost_ns: float


@dataclasses.dataclass
class Stragglers:
    """Members that keep the others waiting in each step."""

    members: list
    lost_ns: float  # of a step: how long the others wait beyond the latest of them
    step_ns: float
    collectives: int  # of a step
    late: list  # empty: at no collective in particular


def stragglers(job, one, end):
    """Those of communicator `one`, by its collectives before `end`, which all members called and which have ended."""
    members = one.members
    if len(members) < 2 or end < FEWEST_STEPS:
        return []
    for most in (MOST, MOST_OF_LONG_STEPS):
        first = max(0, end - most)
        indices = _outside_of_groups(members[0].records.window(first, end), first)
        keys = [key for _, key in indices]
        period, begin, stop = _steps(keys)
        if period and stop - begin > 0.8 * len(keys):
            break
    is_regular = period > 0
    # The first steps of a program look like none.
    if not is_regular and len(keys) < 10 * FEWEST_STEPS:
        return []
    period = max(1, period)
    count = min(stop - begin, max(MOST, 2 * FEWEST_STEPS * period)) // period * period
    chosen = [index for index, _ in indices[stop - count : stop]]
    operations = members[0].library.header["operations"]
    meets = [key[0] < len(operations) and operations[key[0]] in MEETING for key in keys[stop - count : stop]]
    costs = _costs(job, members, chosen, meets)
    step_ns = _step_ns(job, members[0], chosen, period)
    limit_ns = max(LOST_NS, LOST_SHARE * step_ns)

    found = {}
    for position in range(period) if is_regular else ():
        ranks, lost_ns = standing_out([cost[position::period] for cost in costs], limit_ns)
        if ranks:
            found.setdefault(ranks, []).append(Late(chosen[count - period + position], lost_ns))
    by_step = [[sum(cost[step : step + period]) for step in range(0, count, period)] for cost in costs]
    ranks, lost_ns = standing_out(by_step, limit_ns)
    result = [Stragglers([members[rank] for rank in found_ranks], sum(each.lost_ns for each in late), step_ns, period, late)
              for found_ranks, late in found.items()]
    if ranks and not any(set(ranks) & set(found_ranks) for found_ranks in found):
        result.append(Stragglers([members[rank] for rank in ranks], lost_ns, step_ns, period, []))
    return result


def _outside_of_groups(records, first):
    """(index, what was called) of each record. Calls of one group of NCCL run together, so the first stands for all."""
    chosen, group = [], 0
    for index, fields in enumerate(records, first):
        record = Fields(*fields)
        if record.group == 0 or record.group != group:
            chosen.append((index, (record.operation, record.type, record.reduction, record.count, record.root, record.place)))
        group = record.group
    return chosen


def _steps(keys):
    """(period, begin, stop) of the longest sequence of equal steps; period 0: there is none."""
    found = []
    for period in range(1, len(keys) // FEWEST_STEPS + 1):
        begin, best = 0, (0, 0)
        for index in range(period, len(keys) + 1):
            if index == len(keys) or keys[index] != keys[index - period]:
                best = max(best, (index - begin, begin))
                begin = index - period + 1
        length, begin = best
        if length >= FEWEST_STEPS * period:
            found.append((length, period, begin))
    if not found:
        return 0, 0, len(keys)
    # A multiple of a period is a period too, and a step that is repeated 20 times may be a part of a longer one.
    longest = max(length for length, _, _ in found)
    length, period, begin = next(each for each in found if each[0] >= 0.8 * longest)
    return period, begin, begin + length


class _Times:
    """When a member came to the chosen collectives and when they ended. Compact, because a job has many members."""

    def __init__(self, member, chosen):
        first = chosen[0]
        window = member.records.window(first, chosen[-1] + 1)
        self.arrived_ns, self.end_ns, self.device_ns = (array.array("d") for _ in range(3))
        for index in chosen:
            record = Fields(*window[index - first])
            on_device = record.device_us * 1000 if record.device_us > 0 and record.state == State.ENDED else 0
            self.device_ns.append(on_device)
            self.end_ns.append(record.end_ns - BASE_NS)
            self.arrived_ns.append((record.end_ns - on_device if on_device else record.begin_ns) - BASE_NS)


def _costs(job, members, chosen, meets):
    """By member, for each collective: how much later it came than half of the members, in ns."""
    # File by file: each is opened once.
    times = [_Times(member, chosen) for member in members]
    ahead = [job.at(member.process, 0) for member in members]
    costs, met = [array.array("d") for _ in members], None
    for number, needs_all in enumerate(meets):
        # The clocks of devices drift apart by milliseconds in an hour, so their times are compared with the last moment
        # that all members shared: the end of a collective that needs all of them.
        if all(each.device_ns[number] > 0 for each in times):
            if needs_all:
                met = [each.end_ns[number] for each in times]
            shared = met or [-one for one in ahead]
        else:
            shared = [-one for one in ahead]
        arrivals = [each.arrived_ns[number] - moment for each, moment in zip(times, shared)]
        middle = statistics.median_low(arrivals)
        for cost, arrival in zip(costs, arrivals):
            cost.append(max(0, arrival - middle))
    return costs


def _step_ns(job, member, chosen, period):
    begins = [member.records[index].arrived_ns for index in chosen[::period]]
    return statistics.median(after - before for before, after in zip(begins, begins[1:])) if len(begins) > 1 else 0


def standing_out(costs, limit_ns):
    """The members that stand out, at most half of them, and how far they are behind the latest of the others.

    `costs` has a list for each member, or link, with a number for each step."""
    steps = len(costs[0])
    if steps < FEWEST_STEPS:
        return (), 0
    kept = sorted(range(steps), key=lambda step: max(cost[step] for cost in costs))[: steps - max(1, int(steps * OUTLIERS))]
    means = [sum(cost[step] for step in kept) / len(kept) for cost in costs]
    order = sorted(range(len(costs)), key=lambda rank: -means[rank])
    gaps = [means[order[place]] - means[order[place + 1]] for place in range(len(order) // 2)]
    lost_ns = max(gaps)
    if not lost_ns > limit_ns:
        return (), 0
    cut = gaps.index(lost_ns) + 1
    late, others = order[:cut], order[cut:]
    usual = [sum(costs[rank][step] for rank in others) / len(others) for step in kept]
    for rank in late:
        excess = [costs[rank][step] - other for step, other in zip(kept, usual)]
        mean = sum(excess) / len(excess)
        error = math.sqrt(sum((one - mean) ** 2 for one in excess) / (len(excess) - 1) / len(excess))
        # Neither holds for a number that is none, from a damaged file.
        if not mean > STANDARD_ERRORS * error:
            return (), 0
    return tuple(sorted(late)), lost_ns
