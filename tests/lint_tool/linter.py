# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs warpsafe-lint in copies of the test's own process, which has loaded Python's modules and libclang once. Loading them
takes most of the time of a short run. check_command.py also starts the command itself."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback


class Linter:
    """warpsafe-lint, by the path of its command. Ends the test with 77 if libclang is not installed."""

    def __init__(self, command):
        self.command = str(pathlib.Path(command).resolve())
        folder = pathlib.Path(self.command).parent
        if not (folder / "warpsafe_lint").is_dir():  # a command that pip installed: the tool is in the package
            folder = pathlib.Path(importlib.util.find_spec("warpsafe").origin).parent / "lint"
        sys.path.insert(0, str(folder))
        from warpsafe_lint import main

        try:
            main.load()
            main.own_headers()
        except main.NoLibclang as why:
            print(f"skipped: {why}")
            sys.exit(77)
        self.main = main.main

    def run(self, *words, cwd=None, env=None):
        """One run with these arguments, in this folder and environment: what subprocess.run says of the command."""
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = self._copy([str(word) for word in words], cwd, env, out, err)
                finally:
                    os._exit(status)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read())
        return subprocess.CompletedProcess(words, status, *texts)

    def _copy(self, words, cwd, env, out, err):
        """The exit status of the copy."""
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.argv = [self.command, *words]
        try:
            if cwd is not None:
                os.chdir(cwd)
            if env is not None:
                os.environ.clear()
                os.environ.update(env)
            status = self.main(words)
        except SystemExit as end:
            status = end.code
        except BaseException:  # as the interpreter does
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        sys.stderr.flush()
        return status or 0
