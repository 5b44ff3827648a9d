#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Stragglers in records of jobs that never ran: check_stragglers.py WARPSAFE_RANKS

A job is simulated: each rank works before each collective, and a collective ends when all ranks have come."""

import json
import pathlib
import random
import sys
import tempfile

from generated import BEGIN, member_lines, process_line, record_file
from jobs import Asked

TOOL = sys.argv[1]
MS = 1_000_000
OPERATIONS = ["all_reduce", "broadcast", "reduce", "all_gather"]
ALL_REDUCE, BROADCAST = 0, 1
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


class Simulated:
    """A job of `ranks` ranks that repeats `step`, a list of (operation, count), `steps` times.

    `late(rank, step, position)` is how long the rank works before that collective beyond the others' 2 ms. `drift` is how
    much faster each next rank's clock runs; `device` says that the ends are known from the device."""

    def __init__(self, ranks, step, steps, late, drift=0.0, device=True, first=0, group=False):
        self.rows = [[] for _ in range(ranks)]
        ready = [0] * ranks
        calls = [(ALL_REDUCE, 7)] * first + step * steps
        for index, (operation, count) in enumerate(calls):
            number, position = divmod(index - first, len(step)) if index >= first else (-1, index)
            if group and position:
                # The events before and behind a group are those of all its calls.
                for row in self.rows:
                    row.append((index + 1, *row[-1][1:4], index, 1 + position, *row[-1][6:]))
                continue
            for rank in range(ranks):
                ready[rank] += 2 * MS + int(late(rank, number, position))
            end = max(ready) + MS // 5
            for rank in range(ranks):
                shown = BEGIN + int(end * (1 + drift * rank))
                took = end - ready[rank]
                self.rows[rank].append((index + 1, shown - took, shown, count, index, 1 + position, operation, 1, 2, 4, -1, 1,
                                        1 + number if group else 0, took / 1000 if device else 0.0))
                ready[rank] = end

    def write(self, folder):
        folder = pathlib.Path(folder)
        for rank, rows in enumerate(self.rows):
            stem = f"{folder}/node.{rank}.{1000 + rank}.nccl"
            size, last = len(self.rows), rows[-1][2]
            lines = [
                process_line("node", rank, rank, size, OPERATIONS),
                *member_lines(1, "0123456789abcdef", rank, size),
                {"word": 1, "name": "float32"},
                {"word": 2, "name": "sum"},
                *({"place": place, "object": "/opt/train", "offset": 16 * place, "function": ""} for place in range(1, 61)),
                {"exit": last},
            ]
            pathlib.Path(f"{stem}.process").write_text("".join(json.dumps(line) + "\n" for line in lines))
            pathlib.Path(f"{stem}.messages").write_bytes(record_file(rank, 0, [], last))
            pathlib.Path(f"{stem}.1.collectives").write_bytes(record_file(rank, 1, rows))


def asked(job):
    with tempfile.TemporaryDirectory() as folder:
        job.write(folder)
        return Asked(TOOL, folder)


def expect_none(name, job):
    said = asked(job)
    expect(said.status == 0 and not said.said["findings"], f"{name}: {said.status} {said.said['findings']} {said.error}")


def expect_found(name, job, text, sides):
    """Exactly one finding, with `text` and these (ranks, what, place)."""
    findings = asked(job).said["findings"]
    found = [[(one["ranks"], one["what"], one["place"]) for one in finding["sides"]] for finding in findings]
    is_right = (len(findings) == 1 and findings[0]["kind"] == "straggler" and text in findings[0]["text"]
                and len(found[0]) == len(sides)
                and all(one[0] == side[0] and side[1] in one[1] and one[2] == side[2] for one, side in zip(found[0], sides)))
    expect(is_right, f"{name}: {findings}")


SIX = [(ALL_REDUCE, 64), (ALL_REDUCE, 64), (BROADCAST, 8), (ALL_REDUCE, 32), (ALL_REDUCE, 64), (ALL_REDUCE, 1)]


def at(chosen, position, ms):
    """Ranks that are late to one collective of each step."""
    return lambda rank, _, where: ms * MS if rank in chosen and where == position else 0


def check_found():
    for device in (True, False):
        expect_found("one of six", Simulated(4, SIX, 20, at([3], 3, 20), device=device),
                     "rank 3 is the last to call the collectives of communicator 1: the others wait 20.0 ms in each step (", [([3], "20.0 ms late to all_reduce of 32 float32, sum", "train+0x40")])
        expect_found("a broadcast", Simulated(4, SIX, 30, at([1], 2, 20), device=device), "rank 1 is the last to call",
                     [([1], "20.0 ms late to broadcast of 8 float32", "train+0x30")])
    expect_found("one of one", Simulated(4, SIX[:1], 60, at([2], 0, 5)), "the others wait 5.0 ms at each collective, of 7.2 ms between two",
                 [([2], "5.0 ms late to all_reduce", "train+0x10")])
    expect_found("after other calls", Simulated(2, SIX, 40, at([0], 5, 10), first=17), "rank 0 is the last to call",
                 [([0], "10.0 ms late to all_reduce of 1 ", "train+0x60")])
    expect_found("a slow host", Simulated(8, SIX, 30, at([4, 5, 6], 1, 10)), "ranks 4 to 6 are the last to call",
                 [([4, 5, 6], "10.0 ms late to all_reduce of 64", "train+0x20")])
    expect_found("two places", Simulated(4, SIX, 30, lambda rank, _, where: 6 * MS if rank == 3 and where in (0, 4) else 0),
                 "the others wait 12.0 ms", [([3], "6.0 ms late", "train+0x10"), ([3], "6.0 ms late", "train+0x50")])
    expect_found("a little everywhere", Simulated(4, SIX, 30, lambda rank, *_: 0.9 * MS if rank == 2 else 0),
                 "rank 2 is the last to call the collectives of communicator 1: the others wait 5.4 ms in each step", [])
    expect_found("in a group", Simulated(4, SIX[:1] * 4, 60, at([1], 0, 12), group=True), "the others wait 12.0 ms",
                 [([1], "12.0 ms late", "train+0x10")])
    # A step of 60 collectives, most of which are alike.
    expect_found("a long step", Simulated(2, SIX[:1] * 59 + SIX[3:4], 25, at([1], 59, 20)), "in each step (152.0 ms, 60 collectives)",
                 [([1], "20.0 ms late to all_reduce of 32 float32", "train+0x3c0")])
    # No two steps are alike.
    chance = random.Random(3)
    expect_found("no steps", Simulated(2, [(ALL_REDUCE, chance.randrange(99)) for _ in range(300)], 1, lambda rank, *_: 5 * MS * (rank == 1)),
                 "rank 1 is the last to call the collectives of communicator 1: the others wait 5.0 ms at each collective", [])
    expect_found("between jitter", Simulated(4, SIX, 80, lambda rank, _, where: chance.expovariate(1 / (3 * MS)) + at([3], 3, 20)(rank, _, where)),
                 "rank 3 is the last to call", [([3], "to all_reduce of 32 float32", "train+0x40")])
    expect_found("at every third step", Simulated(4, SIX, 80, lambda rank, step, where: 60 * MS if rank == 1 and step % 3 == 0 and where == 0 else 0),
                 "rank 1 is the last to call", [([1], "to all_reduce of 64 float32", "train+0x10")])
    # A slow start hides nothing, of the same rank or another.
    for slow in (0, 3):
        expect_found(f"behind a slow start of {slow}", Simulated(4, SIX, 40, lambda rank, step, where, slow=slow:
                     9000 * MS if (rank, step, where) == (slow, 0, 3) else at([3], 3, 20)(rank, step, where)),
                     "rank 3 is the last to call", [([3], "20.0 ms late", "train+0x40")])
    # Two ranks that are late at different places are two findings.
    two = asked(Simulated(4, SIX, 40, lambda rank, _, where: 10 * MS if (rank, where) in ((1, 0), (2, 4)) else 0)).said["findings"]
    expect([one["sides"][0]["ranks"] for one in two] == [[1], [2]], f"two stragglers: {two}")


def check_none():
    expect_none("no rank is late", Simulated(4, SIX, 80, lambda *_: 0))
    for slow in (0, 3):
        expect_none(f"a slow start of rank {slow}", Simulated(4, SIX, 80, lambda rank, step, where, slow=slow:
                                                              5000 * MS if (rank, step, where) == (slow, 0, 0) else 0))
    expect_none("a pause", Simulated(4, SIX[:1], 400, lambda rank, step, _: 3000 * MS if (rank, step) == (2, 200) else 0))
    expect_none("pauses of many ranks", Simulated(8, SIX, 80, lambda rank, step, _: 300 * MS if step % 16 == 2 * rank else 0))
    expect_none("less than is felt", Simulated(4, SIX, 80, at([3], 3, 0.8)))
    expect_none("all work as long", Simulated(4, SIX, 80, lambda _, step, where: 20 * MS * (where == 2)))
    # 20 parts in a million, as between two GPUs: after an hour, their clocks are 72 ms apart.
    expect_none("clocks that drift", Simulated(4, SIX, 100, lambda *_: 0, drift=0.05))
    expect_none("the first steps", Simulated(2, SIX, 16, at([1], 3, 40), first=5))
    chance = random.Random(5)
    expect_none("too few for no steps", Simulated(2, [(ALL_REDUCE, chance.randrange(99)) for _ in range(150)], 1, lambda rank, *_: 5 * MS * (rank == 1)))
    expect_none("too few steps", Simulated(4, SIX, 19, at([3], 3, 20)))
    expect_none("an even order", Simulated(64, SIX[:1], 60, lambda rank, *_: rank * MS / 8))
    for seed in range(12):
        chance = random.Random(seed)
        ranks = (2, 4, 16)[seed % 3]
        expect_none(f"even jitter {seed}", Simulated(ranks, SIX, 40, lambda *_, chance=chance: chance.uniform(0, 20 * MS)))
        expect_none(f"rare jitter {seed}", Simulated(ranks, SIX, 40, lambda *_, chance=chance: chance.expovariate(1 / (5 * MS)) * (chance.random() < 0.2)))
        expect_none(f"jitter of one collective {seed}", Simulated(ranks, SIX[:1], 60, lambda *_, chance=chance: chance.paretovariate(1.5) * MS, device=False))


def main():
    check_found()
    check_none()
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
