#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""WARPSAFE_SYNC does not stop a program whose kernels wait for other ranks: check_sync.py WITH_NCCL WITHOUT_NCCL"""

import os
import subprocess
import sys

ENVIRONMENT = {**os.environ, "WARPSAFE_SYNC": "all"}
GIVEN_UP = "kernel 'wait_for_peer' has not ended after 5 s"


def main():
    with_nccl, without_nccl = sys.argv[1:3]
    problems = []
    done = subprocess.run([with_nccl], env=ENVIRONMENT, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0 or "step 3" not in done.stdout or done.stderr.count(GIVEN_UP) != 3:
        problems.append(f"with NCCL: status {done.returncode}\n{done.stdout}{done.stderr}")
    if done.stderr.count("later launches wait") != 2 or done.stderr.count("no launch waits from now on") != 1:
        problems.append(f"the end of the waiting is not said:\n{done.stderr}")
    # One process alone waits for its own kernels, however long they take.
    try:
        done = subprocess.run([without_nccl], env=ENVIRONMENT, capture_output=True, text=True, timeout=8, check=False)
        problems.append(f"without NCCL: status {done.returncode}\n{done.stdout}{done.stderr}")
    except subprocess.TimeoutExpired as waiting:
        if b"step" in (waiting.stdout or b"") or GIVEN_UP.encode() in (waiting.stderr or b""):
            problems.append(f"without NCCL: {waiting.stdout} {waiting.stderr}")
    # A limit that ends waits ends this one too.
    done = subprocess.run([with_nccl], env={**ENVIRONMENT, "WARPSAFE_TIMEOUT": "0.3,stop"}, capture_output=True, text=True,
                          timeout=600, check=False)
    if "the wait is abandoned" not in done.stderr or GIVEN_UP in done.stderr:
        problems.append(f"with a limit: status {done.returncode}\n{done.stdout}{done.stderr}")
    print("\n".join(problems) or "all as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
