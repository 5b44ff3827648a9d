# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Starts the processes of a job, and asks warpsafe-ranks about it."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "tests"))
import forked

# Nothing here takes seconds on an idle machine. A busy one gets as long as it needs.
PATIENCE = 120


def ranks(tool, *words, env=None):
    """One run of warpsafe-ranks, in a copy of this process."""
    if (folder := str(pathlib.Path(tool).resolve().parent)) not in sys.path:
        sys.path.insert(0, folder)
    from warpsafe_ranks.main import main

    return forked.run(main, tool, words, env=env)


class Asked:
    """What warpsafe-ranks says of a folder."""

    def __init__(self, tool, folder, *options):
        done = ranks(tool, folder, "--json", *options)
        self.status, self.error = done.returncode, done.stderr
        self.said = json.loads(done.stdout) if done.stdout else {"findings": []}

    def kinds(self):
        return [finding["kind"] for finding in self.said["findings"]]

    def says_nothing(self):
        """A straggler is no mistake of the program: a busy machine lets one of its processes wait."""
        kinds = set(self.kinds()) - {"straggler"}
        return not kinds and not self.said.get("problems") and self.status == (1 if self.kinds() else 0)

    def find(self, kind):
        return next((finding for finding in self.said["findings"] if finding["kind"] == kind), None)


class Job:
    """Processes with RANK and WORLD_SIZE, as torchrun starts them."""

    def __init__(self, words, size, folder, records, library):
        environment = {**os.environ, "WORLD_SIZE": str(size), "WARPSAFE_RANKS": str(records), "LD_PRELOAD": str(library)}
        # A launcher's own variables would count before these.
        for name in list(environment):
            if name.startswith(("OMPI_", "PMI_", "SLURM_")):
                del environment[name]
        self.processes = []
        for rank in range(size):
            with open(pathlib.Path(folder) / f"output.{rank}", "wb") as output:
                self.processes.append(subprocess.Popen(words, env={**environment, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                                                       stdout=output, stderr=output))
        self.folder = pathlib.Path(folder)

    def output(self):
        return "".join(path.read_text() for path in sorted(self.folder.glob("output.*")))

    def wait(self):
        """The exit statuses of all."""
        end = time.monotonic() + PATIENCE
        with contextlib.suppress(subprocess.TimeoutExpired):
            for process in self.processes:
                process.wait(max(0.1, end - time.monotonic()))
        return [process.poll() for process in self.processes]

    def has_ended(self):
        return all(process.poll() is not None for process in self.processes)

    def kill(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()


def until(ask, is_enough, has_ended):
    """Asks until the answer is enough, the job has ended, or patience ends."""
    end = time.monotonic() + PATIENCE
    while True:
        is_last = has_ended() or time.monotonic() > end
        answer = ask()
        if is_enough(answer) or is_last:
            return answer
        time.sleep(0.2)
