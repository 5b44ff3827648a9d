# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Runs warpsafe-lint in copies of the test's own process, which has loaded libclang. check_command.py also starts the command
itself."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "tests"))
import forked

# A hook of git exports its repository, where first_commit would write.
for name in [name for name in os.environ if name.startswith("GIT_")]:
    del os.environ[name]
# tests/run puts temporary files into the checkout, whose files are no part of a test's tree.
os.environ["GIT_CEILING_DIRECTORIES"] = os.path.realpath(tempfile.gettempdir())


def first_commit(folder, *files):
    """Makes a repository of the folder, whose first commit has these files. Nothing of the user's configuration counts."""
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    for words in (["init", "-q", "."], ["add", *files], ["commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=folder, env={**os.environ, **own}, check=True)


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
        """One run with these arguments, in this folder and environment: what subprocess.run says of the command, with the last
        line of its standard error, which counts the files, as `summary`."""
        done = forked.run(self.main, self.command, words, cwd, env)
        done.stderr, summary = re.fullmatch(r"(.*?)((?:warpsafe-lint: \d+ files? read.*\n)?)", done.stderr, re.S).groups()
        done.summary = summary.strip()
        return done
