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
    """Runs the next sitecustomize on the path. Its errors are Python's to report, as without this file. So is that
    there is none: Python then forgets this module, and the program finds none either."""
    if sys.version_info[0] < 3:
        import imp

        imp.load_module("sitecustomize", *imp.find_module("sitecustomize", sys.path))
        return
    import importlib.machinery
    import importlib.util

    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is None or spec.loader is None:
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
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


class Loader(object):
    """Comes before a module's own loader, which the module has once it is executed. The own loader stays as it is, since
    others may use it too."""

    def __init__(self, own):
        self.own = own

    def __getattr__(self, name):
        if name == "own":  # a copy that is not complete yet
            raise AttributeError(name)
        return getattr(self.own, name)

    def create_module(self, spec):
        return self.own.create_module(spec)

    def exec_module(self, module):
        if getattr(module, "__loader__", None) is self:
            module.__loader__ = self.own
        spec = getattr(module, "__spec__", None)
        if getattr(spec, "loader", None) is self:
            spec.loader = self.own
        self.own.exec_module(module)
        watch(module.__name__, sys.modules.get(module.__name__, module))


class Finder(object):
    """Comes before Python's own finders, and leaves the work to them."""

    def __init__(self):
        self.busy = False  # Python calls finders under a lock

    def find_spec(self, name, path=None, target=None):
        if self.busy or name not in WATCHED:
            return None
        import importlib.util

        self.busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy = False
        if getattr(getattr(spec, "loader", None), "exec_module", None) is not None:
            spec.loader = Loader(spec.loader)
        return spec


def is_wanted():
    """Whether the program runs under warpsafe-run --races; the variables may have outlived it."""
    options = os.environ.get("WARPSAFE_RUN", "").split("\n")
    return sys.version_info[0] >= 3 and "races" in options and "quiet" not in options


# With -S, the path is as PYTHONPATH has it.
sys.path[:] = [one for one in sys.path if os.path.abspath(one) != here]
if is_wanted():
    sys.meta_path.insert(0, Finder())
run_hidden()
