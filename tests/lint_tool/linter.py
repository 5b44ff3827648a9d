# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs warpsafe-lint in copies of the test's own process, which has loaded libclang. check_command.py also starts the command
itself."""
import importlib.util
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import forked


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
        return forked.run(self.main, self.command, words, cwd, env)
