#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Places of calls on the threads of a framework such as PyTorch's: check_framework.py WARPSAFE_RANKS LIBRARY JOB"""

import re
import sys
import tempfile

from jobs import Asked, Job, until

TOOL, LIBRARY, PROGRAM = sys.argv[1:4]
# The framework's functions, and none of the C and C++ libraries between them.
WANTED = (r"libtorch_stand_in\.so\+0x[0-9a-f]+, near framework::all_reduce_bucket, "
          r"called at libtorch_stand_in\.so\+0x[0-9a-f]+, near framework::run_engine(, called at libtorch_stand_in\.so\+\S+, near \S+)?")


def main():
    with tempfile.TemporaryDirectory() as folder:
        job = Job([PROGRAM, folder], 2, folder, f"{folder}/records", LIBRARY)
        asked = until(lambda: Asked(TOOL, f"{folder}/records", "--after", "0.5"), lambda one: one.find("waits"), job.has_ended)
        job.kill()
        finding = asked.find("waits")
        places = [side["place"] for side in finding["sides"]] if finding else []
        if len(places) != 2 or not all(re.fullmatch(WANTED, place or "") for place in places):
            print(f"expected {WANTED}, found {asked.said}\n{job.output()}")
            return 1
    print("all as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
