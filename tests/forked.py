# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs a Python program in a copy of the test's own process, which has loaded the program's modules once. Loading them takes
most of the time of a short run. A test that uses this also starts the command itself."""
import os
import subprocess
import sys
import tempfile
import traceback


def run(main, command, words, cwd=None, env=None):
    """What subprocess.run says of `command` with these arguments, if main(words) is all that the command does."""
    words = [str(word) for word in words]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = _copy(main, command, words, cwd, env, out, err)
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read())
    return subprocess.CompletedProcess([command, *words], status, *texts)


def _copy(main, command, words, cwd, env, out, err):
    """The exit status of the copy."""
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.argv = [command, *words]
    try:
        if cwd is not None:
            os.chdir(cwd)
        if env is not None:
            os.environ.clear()
            os.environ.update(env)
        status = main(words)
    except SystemExit as end:
        status = end.code
    except BaseException:  # as the interpreter does
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status or 0
