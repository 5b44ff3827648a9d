# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""What NCCL's own service for running jobs says (RAS; NCCL's user guide, "RAS"). It listens on each host of a job since
NCCL 2.24, and takes commands in lines."""

import os
import socket
import time

DEFAULT = "localhost:28028"
# The service asks all processes, and waits five seconds for those that hang.
PATIENCE_S = 15
MOST_BYTES = 1_000_000


def address():
    """Where NCCL's own variable says, or its default."""
    return os.environ.get("NCCL_RAS_ADDR") or DEFAULT


def ask(where):
    """(text, why not): one of them is empty."""
    host, _, port = where.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        return "", "NCCL_RAS_ADDR is HOST:PORT"
    text, end = b"", time.monotonic() + PATIENCE_S
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=2) as connection:
            connection.sendall(b"verbose status\n")
            while len(text) < MOST_BYTES and (left := end - time.monotonic()) > 0:
                connection.settimeout(left)
                part = connection.recv(65536)
                if not part:
                    break
                text += part
    except (OSError, UnicodeError) as error:  # the second: a label of the host's name is too long
        # What arrived before is worth reading.
        if not text:
            return "", str(error)
    said = text.decode(errors="replace").strip()
    return said, "" if said else "it closed the connection without an answer"


def as_text(where, text, why):
    if not text:
        return f"NCCL's RAS at {where} does not answer: {why}\n"
    return f"NCCL's RAS at {where} says:\n" + "".join(f"  {line}".rstrip() + "\n" for line in text.splitlines())
