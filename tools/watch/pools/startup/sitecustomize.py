# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
# warpsafe-run --races puts this folder first in PYTHONPATH, so Python runs this file when it starts. It runs the
# sitecustomize that Python would have run otherwise, and has the memory pools of torch and cupy watched once the
# program imports them. Whatever fails here, the program runs as without it. No syntax of Python 3 alone: a program
# may start an old Python.
import os
import sys

WATCHED = {"torch": "watch_torch", "cupy": "watch_cupy"}
here = os.path.dirname(os.path.abspath(__file__))


def run_hidden():
    """Runs the next sitecustomize on the path. Its errors are Python's to report, as without this file."""
    if sys.version_info[0] < 3:
        import imp

        try:
            found = imp.find_module("sitecustomize", sys.path)
        except ImportError:
            return
        imp.load_module("sitecustomize", *found)
        return
    import importlib.machinery
    import importlib.util

    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def watch(name, module):
    try:
        import importlib.util

        spec = importlib.util.spec_from_file_location("warpsafe_pools", os.path.join(here, "warpsafe_pools.py"))
        pools = sys.modules.get("warpsafe_pools")
        if pools is None:
            pools = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(pools)
            sys.modules["warpsafe_pools"] = pools
        getattr(pools, WATCHED[name])(module)
    except Exception as error:
        sys.stderr.write("warpsafe: the memory pool of %s is not watched: %s\n" % (name, error))


class Finder(object):
    """Comes before Python's own finders. It leaves the work to them, and the module with its own loader."""

    def __init__(self):
        self.busy = False

    def find_spec(self, name, path=None, target=None):
        if self.busy or name not in WATCHED:
            return None
        import importlib.util

        self.busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy = False
        loader = getattr(spec, "loader", None)
        if loader is None or not hasattr(loader, "exec_module"):
            return spec
        execute = loader.exec_module

        def execute_and_watch(module):
            try:
                execute(module)
            finally:
                loader.__dict__.pop("exec_module", None)
            watch(name, sys.modules.get(name, module))

        try:
            loader.__dict__["exec_module"] = execute_and_watch
        except (AttributeError, TypeError):  # a loader with slots, or a class
            pass
        return spec


def is_wanted():
    """Whether the program runs under warpsafe-run --races; the variables may have outlived it."""
    options = os.environ.get("WARPSAFE_RUN", "").split("\n")
    return sys.version_info[0] >= 3 and "races" in options and "quiet" not in options


if here in sys.path:
    sys.path.remove(here)
if is_wanted():
    sys.meta_path.insert(0, Finder())
run_hidden()
