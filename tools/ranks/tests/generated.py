#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Writes the records of a job that never ran: generated.py FOLDER RANKS COLLECTIVES

All ranks make the same calls, 1 ms apart. In the last collective the last rank is missing, except where `write` is told
what each rank made. Used by check_files.py, and
to measure warpsafe-ranks on large jobs (tools/ranks/docs/ranks.md)."""

import json
import pathlib
import struct
import sys

RECORD = struct.Struct("<QqqQIIHHHHiIIf")
HEADER = struct.Struct("<8sIIq40x")
BEGIN = 1_700_000_000_000_000_000
STEP = 1_000_000


def process_line(host, rank, local_rank, size, operations=("all_reduce",)):
    """The first line of a `.process` file."""
    return {"warpsafe_ranks": 1, "host": host, "boot": f"boot-{host}", "pid": 1000 + rank, "rank": rank, "local_rank": local_rank,
            "size": size, "launcher": "torchrun", "program": "/opt/train", "operations": list(operations), "at_ns": BEGIN}


def member_lines(number, identity, rank, size):
    """The lines of a communicator that a rank has made and joined."""
    return [{"communicator": number, "id": identity, "library": "NCCL", "parent": 0, "rank": rank, "size": size, "place": 1, "at_ns": BEGIN},
            {"joined": number, "rank": rank, "size": size, "status": 0, "at_ns": BEGIN}]


def record_file(rank, communicator, rows, heartbeat=0):
    """The bytes of a file of collectives or messages."""
    return HEADER.pack(b"wsranks1", communicator, 1000 + rank, heartbeat) + b"".join(RECORD.pack(*row) for row in rows) + bytes(RECORD.size)


def records(collectives):
    """The bytes of all records of a rank that came to each collective."""
    packed = bytearray(RECORD.size * collectives)
    for index in range(collectives):
        begin = BEGIN + index * STEP
        RECORD.pack_into(packed, index * RECORD.size, (index * 0x9E3779B97F4A7C15) % (1 << 64), begin, begin + STEP // 2, 1024,
                         index, 1, 0, 1, 2, 4, -1, 1, 0, 400.0)
    return packed


def opened(packed, index):
    """The same bytes, where this record has begun and not ended."""
    changed = bytearray(packed)
    begin = index * RECORD.size
    fields = list(RECORD.unpack_from(changed, begin))
    fields[2], fields[9], fields[13] = 0, 2, 0.0
    RECORD.pack_into(changed, begin, *fields)
    return changed


def write(folder, ranks, collectives, made=None):
    """`made`: how many collectives each rank made; all of them, and the processes, have ended."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    complete = records(collectives)
    waiting = opened(complete, collectives - 1)
    end = BEGIN + collectives * STEP + 10_000_000_000
    for rank in range(ranks):
        host = f"node{rank // 8}"
        stem = folder / f"{host}.{rank}.{1000 + rank}.nccl"
        is_absent = rank == ranks - 1
        lines = [
            process_line(host, rank, rank % 8, ranks),
            {"place": 1, "object": "/opt/train", "offset": 4660, "function": ""},
            *member_lines(1, "0123456789abcdef", rank, ranks),
            {"word": 1, "name": "float32"},
            {"word": 2, "name": "sum"},
            {"stream": 1, "handle": "0x1"},
            *([{"exit": end}] if made else []),
        ]
        pathlib.Path(f"{stem}.process").write_text("".join(json.dumps(line) + "\n" for line in lines))
        pathlib.Path(f"{stem}.messages").write_bytes(HEADER.pack(b"wsranks1", 0, 1000 + rank, end) + bytes(64 * 63))
        room = bytes(64 * 63)
        with open(f"{stem}.1.collectives", "wb") as file:
            file.write(HEADER.pack(b"wsranks1", 1, 1000 + rank, 0))
            file.write(complete[: RECORD.size * made[rank]] if made else complete[: -RECORD.size] if is_absent else waiting)
            file.write(room)


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
