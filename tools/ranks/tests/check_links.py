#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Slow links, in records of jobs that never ran and over a stand-in for NCCL: check_links.py WARPSAFE_RANKS LIBRARY JOB"""

import json
import os
import pathlib
import random
import sys
import tempfile

from generated import BEGIN, member_lines, process_line, record_file
from jobs import Asked, Job

TOOL, LIBRARY, PROGRAM = sys.argv[1:]
MS = 1_000_000
ALL_REDUCE, SEND, RECEIVE = 0, 1000, 1001
FLOAT32, SUM = 1, 2
problems = []


def expect(condition, text):
    if not condition:
        problems.append(text)


class Simulated:
    """A job of `ranks` ranks, `on_host` of them on each host, that makes steps.

    In each step, each rank works for `work(rank)` ns, and then sends to the next rank and receives from the one before it
    in a group, where `takes(sender, receiver)` is how long a message needs. After that, the ranks of each pair of `groups`
    reduce, which needs `reduces(group)`."""

    def __init__(self, ranks, on_host, steps, takes, work=lambda rank: 2 * MS, groups=(), reduces=None, count=4_000_000):
        self.ranks, self.on_host, self.groups = ranks, on_host, groups
        self.messages = [[] for _ in range(ranks)]
        self.collectives = {group: [[] for _ in group] for group in groups}
        ready, order = [0] * ranks, [0] * ranks
        for step in range(steps):
            begins = [ready[rank] + int(work(rank)) for rank in range(ranks)]
            done = []
            for rank in range(ranks):
                after = (rank + 1) % ranks
                done.append(max(begins[rank], begins[after]) + int(takes(rank, after)))
            for rank in range(ranks):
                after, before = (rank + 1) % ranks, (rank - 1) % ranks
                # The events before and behind a group are those of all its calls.
                end = max(done[rank], done[before])
                for operation, peer in ((SEND, after), (RECEIVE, before)):
                    self.messages[rank].append((step, BEGIN + begins[rank], BEGIN + end, count, order[rank], 1, operation, FLOAT32, 1, 4, peer, 1,
                                                step + 1, (end - begins[rank]) / 1000))
                    order[rank] += 1
                ready[rank] = end
            for group in groups:
                came = [ready[rank] for rank in group]
                end = max(came) + int(reduces(group))
                for place, rank in enumerate(group):
                    self.collectives[group][place].append((step + 1, BEGIN + came[place], BEGIN + end, count, order[rank], 2, ALL_REDUCE, FLOAT32,
                                                           SUM, 4, -1, 1, 0, (end - came[place]) / 1000))
                    order[rank] += 1
                    ready[rank] = end

    def write(self, folder):
        last = max(rows[-1][2] for rows in self.messages)
        for rank in range(self.ranks):
            host = f"node{rank // self.on_host}"
            stem = f"{folder}/{host}.{rank}.{1000 + rank}.nccl"
            lines = [
                process_line(host, rank, rank % self.on_host, self.ranks),
                {"word": FLOAT32, "name": "float32"},
                {"word": SUM, "name": "sum"},
                *({"place": place, "object": "/opt/train", "offset": 16 * place, "function": ""} for place in (1, 2)),
            ]
            members = [(1, tuple(range(self.ranks)), []), *((2 + number, group, self.collectives[group]) for number, group in enumerate(self.groups))]
            for number, group, records in members:
                if rank not in group:
                    continue
                place = group.index(rank)
                lines += member_lines(number, f"{number:016x}", place, len(group))
                pathlib.Path(f"{stem}.{number}.collectives").write_bytes(record_file(rank, number, records[place] if records else []))
            lines.append({"exit": last})
            pathlib.Path(f"{stem}.process").write_text("".join(json.dumps(line) + "\n" for line in lines))
            pathlib.Path(f"{stem}.messages").write_bytes(record_file(rank, 0, self.messages[rank], last))


def asked(job):
    with tempfile.TemporaryDirectory() as folder:
        job.write(folder)
        return Asked(TOOL, folder)


def expect_none(name, job):
    said = asked(job)
    kinds = set(said.kinds()) - {"straggler"}
    expect(not kinds and said.status in (0, 1), f"{name}: {said.status} {said.said['findings']} {said.error}")


def expect_found(name, job, *texts):
    said = asked(job)
    found = [one for one in said.said["findings"] if one["kind"] == "slow_link"]
    expect(len(found) == 1 and all(text in str(found[0]) for text in texts), f"{name}: {said.said['findings']} {said.error}")


def slow(chosen, ms, usual=2):
    return lambda sender, receiver: (ms if (sender, receiver) in chosen else usual) * MS


PAIRS = tuple((rank, rank + 8) for rank in range(8))


def check_found():
    expect_found("one link between hosts", Simulated(4, 1, 40, slow([(1, 2)], 8)),
                 "the messages from rank 1 on node1 to rank 2 on node2 are slow: 8.0 ms for 16.0 MB (2 GB/s), and at most 2.0 ms for 16.0 MB (8 GB/s) over the 3 other links between hosts",
                 "send of 4000000 float32 to rank 2 of the communicator, 8.0 ms", "train+0x10")
    expect_found("a rank", Simulated(8, 1, 40, slow([(4, 5), (5, 6)], 6)), "from rank 4 on node4 to rank 5 on node5 and rank 5 on node5 to rank 6 on node6 are slow", "over the 6 other links")
    expect_found("one link of a host", Simulated(8, 8, 40, slow([(3, 4)], 8)), "from rank 3 to rank 4 are slow", "over the 7 other links of one host")
    chance = random.Random(4)
    expect_found("between jitter", Simulated(8, 1, 80, lambda a, b: (8 * MS if a == 2 else 2 * MS) + chance.expovariate(1 / MS),
                                             work=lambda rank: chance.expovariate(1 / (2 * MS))), "from rank 2 on node2 to rank 3 on node3 are slow")
    expect_found("a communicator", Simulated(16, 8, 40, slow([], 0), groups=PAIRS, reduces=lambda group: (9 if group[0] == 5 else 3) * MS),
                 "the collectives of communicator 7 (ranks 5, 13) are slow: 9.0 ms for 16.0 MB (1.8 GB/s), and at most 3.0 ms", "in the 7 other communicators between hosts",
                 "all_reduce of 4000000 float32, sum, 9.0 ms")
    expect_found("a communicator with a straggler", Simulated(16, 8, 40, slow([], 0), groups=PAIRS, reduces=lambda group: (9 if group[0] == 5 else 3) * MS,
                                                              work=lambda rank: (30 if rank == 3 else 2) * MS), "communicator 7 (ranks 5, 13) are slow")


def check_measured():
    said = asked(Simulated(4, 2, 40, slow([(1, 2)], 8), groups=((0, 2), (1, 3)), reduces=lambda group: 3 * MS)).said["links"]
    found = {(tuple(one["ranks"]), one["what"], one["between_hosts"]): (one["bytes"], one["ms"], one["gb_per_s"]) for one in said}
    usual = {((0, 1), "messages", False): (16_000_000, 2, 8), ((1, 2), "messages", True): (16_000_000, 8, 2), ((2, 3), "messages", False): (16_000_000, 2, 8),
             ((3, 0), "messages", True): (16_000_000, 2, 8), ((0, 2), "collectives", True): (16_000_000, 3, 5.3333),
             ((1, 3), "collectives", True): (16_000_000, 3, 5.3333)}
    expect(found.keys() == usual.keys() and all(abs(mine - theirs) < 1e-3 for key, numbers in usual.items() for mine, theirs in zip(found[key], numbers)),
           f"the links: {said}")


def check_none():
    expect_none("equal links", Simulated(8, 2, 60, slow([], 0)))
    expect_none("less than is felt", Simulated(8, 1, 60, slow([(1, 2)], 0.9, usual=0.1)))
    expect_none("not twice as slow", Simulated(8, 1, 60, slow([(1, 2)], 3.8)))
    expect_none("too few messages", Simulated(8, 1, 19, slow([(1, 2)], 9)))
    expect_none("too few others", Simulated(3, 1, 60, slow([(1, 2)], 9)))
    # Wires of two kinds: NVLink and PCIe in one host, and hosts with two ranks each.
    expect_none("two kinds of wires", Simulated(8, 8, 60, slow([(1, 2), (3, 4), (5, 6), (7, 0)], 10)))
    expect_none("across the sockets", Simulated(8, 8, 60, slow([(3, 4), (7, 0)], 10)))
    expect_none("between hosts", Simulated(8, 4, 60, slow([(3, 4), (7, 0)], 10)))
    expect_none("a straggler", Simulated(8, 1, 60, slow([], 0), work=lambda rank: (20 if rank == 3 else 2) * MS))
    expect_none("a pause", Simulated(8, 1, 60, lambda a, b, seen=[]: 900 * MS if (a == 3 and not seen.append(1) and len(seen) == 12) else 2 * MS))
    expect_none("equal communicators", Simulated(16, 8, 60, slow([], 0), groups=PAIRS, reduces=lambda group: 3 * MS))
    expect_none("three communicators", Simulated(6, 3, 60, slow([], 0), groups=((0, 3), (1, 4), (2, 5)), reduces=lambda group: (9 if group[0] == 1 else 3) * MS))
    for seed in range(8):
        chance = random.Random(seed)
        expect_none(f"jitter of links {seed}", Simulated(8, (1, 8)[seed % 2], 60, lambda *_, chance=chance: chance.expovariate(1 / (5 * MS))))
        expect_none(f"rare jitter {seed}", Simulated(8, 1, 60, lambda *_, chance=chance: MS + chance.paretovariate(1.2) * MS))
        expect_none(f"jitter of ranks {seed}", Simulated(8, 1, 60, slow([], 0), work=lambda rank, chance=chance: chance.uniform(0, 20 * MS)))
        expect_none(f"jitter of communicators {seed}", Simulated(16, 8, 60, slow([], 0), groups=PAIRS,
                                                                reduces=lambda _, chance=chance: chance.expovariate(1 / (5 * MS))))


def check_run():
    """Processes that exchange messages, as if each had a host of its own."""
    for link, found in ((None, None), ("1:2:8000", "the messages from rank 1 on node1 to rank 2 on node2 are slow")):
        os.environ.pop("STAND_IN_SLOW_LINK", None)
        if link:
            os.environ["STAND_IN_SLOW_LINK"] = link
        with tempfile.TemporaryDirectory() as folder:
            job = Job([PROGRAM, folder, "right_ring_steps"], 4, folder, f"{folder}/records", LIBRARY)
            statuses = job.wait()
            job.kill()
            expect(statuses == [0] * 4, f"a run: {statuses} {job.output()}")
            for path in pathlib.Path(folder, "records").glob("*.process"):
                lines = [json.loads(line) for line in path.read_text().splitlines()]
                lines[0]["boot"] = lines[0]["host"] = f"node{lines[0]['rank']}"
                path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            said = Asked(TOOL, f"{folder}/records")
            texts = [one["text"] for one in said.said["findings"] if one["kind"] == "slow_link"]
            expect(len(texts) == bool(found) and (not found or found in texts[0]), f"a run with {link}: {said.said['findings']} {said.error}")


def main():
    check_found()
    check_measured()
    check_none()
    check_run()
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
