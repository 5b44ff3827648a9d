#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Tests what warpsafe-run --races does in a Python program, over stand-ins for the driver, PyTorch and CuPy:
adapters.py WARPSAFE_RUN STAND_INS"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN, STAND_INS = sys.argv[1:3]
POOLS = pathlib.Path(__file__).resolve().parents[4] / "packaging/python/warpsafe/pools.py"
FAKE = pathlib.Path(__file__).resolve().parent / "fake"

TORCH = """
import stand_in_driver as device
import torch
one, two = torch.cuda.Stream(), torch.cuda.Stream()
def make():
    with torch.cuda.stream(one):
        return torch.empty({size})
x = make()
device.launch("fill", one.cuda_stream, x.data_ptr(), 0)
two.wait_stream(one)
device.launch("sum", two.cuda_stream, x.data_ptr() + {offset}, 0)
{before}
del x
{after}
y = make()
device.launch("next", one.cuda_stream, y.data_ptr(), 0)
"""
CUPY = """
import stand_in_driver as device
import cupy
one, two = cupy.cuda.Stream(), cupy.cuda.Stream()
with one:
    x = cupy.empty(2048)
device.launch("sum", two.ptr, x.block[2] + 2000, 0)
{before}
del x
with one:
    y = cupy.empty(2048)
device.launch("next", one.ptr, y.block[2], 0)
"""


class Adapters(unittest.TestCase):
    def setUp(self):
        self.made = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.made.name)
        self.addCleanup(self.made.cleanup)

    def ran(self, program, *options, path=(), python=(), **variables):
        (self.folder / "train.py").write_text(program)
        environment = {**os.environ, "LD_LIBRARY_PATH": STAND_INS, "PYTHONPATH": ":".join(map(str, (*path, FAKE))), **variables}
        done = subprocess.run([RUN, "--cuda", *options, sys.executable, *python, "train.py"], cwd=self.folder, env=environment,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def torch(self, *options, before="", after="", size=4096, offset=4000, **others):
        return self.ran(TORCH.format(before=before, after=after, size=size, offset=offset), *options, **others)

    def test_a_tensor_whose_memory_pytorch_hands_out_again(self):
        said = self.torch("--races")
        self.assertIn("suspicion: nothing orders 'sum' on stream 0x", said)
        self.assertIn(" before 'next' on stream 0x", said)
        self.assertIn("; the memory is 4096 bytes for stream 0x", said)
        self.assertIn(", allocated in make at train.py:7, and then 4096 bytes for stream 0x", said)
        self.assertIn("; the first follows the allocation in make at train.py:7; the second follows the allocation in make at train.py:7; ", said)
        self.assertNotIn("warpsafe: the memory pool", said)

    def test_correct_uses_of_a_tensor(self):
        for before, after in (("x.record_stream(two)", ""), ("one.wait_stream(two)", ""), ("", "one.wait_stream(two)")):
            self.assertNotIn("suspicion: nothing", self.torch("--races", before=before, after=after))

    def test_switches(self):
        for options in ((), ("--races", "--no-pools"), ("--races", "--quiet")):
            self.assertNotIn("suspicion: nothing", self.torch(*options))

    def test_a_size_that_another_thread_hides(self):
        """The smallest size is known: the first bytes of the block."""
        hidden = "import torch; torch.counts[0] += 1; torch.counts[1] += 65536\n"
        self.assertIn("nothing orders 'sum'", self.ran(hidden + TORCH.format(before="", after="", size=4096, offset=8), "--races"))
        self.assertNotIn("nothing orders 'sum'", self.ran(hidden + TORCH.format(before="", after="", size=4096, offset=4000), "--races"))

    def test_an_allocation_while_pytorch_is_initialised(self):
        """It has no counters then."""
        early = "import torch; told = torch.cuda.memory_stats_as_nested_dict\ntorch.cuda.memory_stats_as_nested_dict = lambda index: {}\n" \
                "with torch.cuda.stream(torch.cuda.Stream()):\n    first = torch.empty(512)\ntorch.cuda.memory_stats_as_nested_dict = told\n"
        said = self.ran(early + TORCH.format(before="", after="", size=4096, offset=8), "--races")
        self.assertIn("nothing orders 'sum'", said)
        self.assertNotIn("warpsafe: the memory pool", said)

    def test_an_address_in_free_memory(self):
        """A library may have it in an unset part of its parameters."""
        late = TORCH.replace('device.launch("sum", two.cuda_stream, x.data_ptr() + {offset}, 0)\n', "").replace(
            "del x\n", 'address = x.data_ptr()\ndel x\ndevice.launch("sum", two.cuda_stream, address, 0)\n')
        self.assertIn("address", late)
        self.assertNotIn("suspicion: nothing", self.ran(late.format(before="", after="", size=4096, offset=0), "--races"))
        cupy = CUPY.replace('device.launch("sum", two.ptr, x.block[2] + 2000, 0)\n', "").replace(
            "del x\n", 'address = x.block[2]\ndel x\ndevice.launch("sum", two.ptr, address, 0)\n')
        self.assertIn("address", cupy)
        self.assertNotIn("suspicion: nothing", self.ran(cupy.format(before=""), "--races"))

    def test_an_allocation_for_another_library(self):
        """It may name a stream that is not PyTorch's current one."""
        program = """
import stand_in_driver as device
import torch
one, two = torch.cuda.Stream(), torch.cuda.Stream()
def take(stream):
    return torch.cuda.caching_allocator_alloc(4096, stream=stream)
with torch.cuda.stream(one):
    for {names}:
        x = take(two)
        device.launch(name, {stream}, x, 0)
        device.launch("idle", one.cuda_stream, 0, 0)
        torch.cuda.caching_allocator_delete(x)
"""
        self.assertNotIn("suspicion: nothing", self.ran(program.format(names="name in ['fill', 'next']", stream="two.cuda_stream"), "--races"))
        wrong = self.ran(program.format(names="name, stream in [('fill', one), ('next', two)]", stream="stream.cuda_stream"), "--races")
        self.assertIn("nothing orders 'fill'", wrong)

    def test_functions_that_look_alike(self):
        """Python calls their code equal, even if it is of two files."""
        alike = "def make():\n    import torch\n    return torch.empty(4096)\n"
        program = """
import stand_in_driver as device
import torch
import first, second
one, two = torch.cuda.Stream(), torch.cuda.Stream()
with torch.cuda.stream(one):
    x = first.make()
    device.launch("sum", two.cuda_stream, x.data_ptr(), 0)
    del x
    y = second.make()
    device.launch("next", one.cuda_stream, y.data_ptr(), 0)
"""
        said = self.ran(program, "--races", path=[self.other("first", alike), self.other("second", alike)])
        self.assertRegex(said, r"allocated in make at \S*first.py:3, and then 4096 bytes for stream \S+, allocated in make at \S*second.py:3")

    def test_checkpoints_compute_everything(self):
        program = "import gc, torch, torch.utils.checkpoint\ngc.collect()\nprint('early stop', torch.utils.checkpoint.early_stop)"
        self.assertIn("early stop False\n", self.ran(program, "--races"))
        self.assertIn("early stop None\n", self.ran(program, "--races", "--no-pools"))

    def test_a_folder_that_is_gone(self):
        gone = "import os, tempfile\nhere = tempfile.mkdtemp(); os.chdir(here); os.rmdir(here)\n"
        said = self.ran(gone + TORCH.format(before="", after="", size=4096, offset=0), "--races")
        self.assertIn("nothing orders 'sum'", said)
        self.assertNotIn("warpsafe: the memory pool", said)

    def test_another_module_of_that_name(self):
        said = self.ran("import torch; print('ran')", "--races", path=[self.other("torch", "")])
        self.assertIn("ran\n", said)
        self.assertNotIn("pool", said)

    def test_the_drivers_own_pool(self):
        self.assertNotIn("suspicion: nothing", self.ran("import torch; torch.cuda.BACKEND = 'cudaMallocAsync'\n" + TORCH.format(
            before="", after="", size=4096, offset=0), "--races"))

    def test_an_error_of_the_adapter(self):
        said = self.ran("import torch; del torch.cuda.get_allocator_backend\n" + TORCH.format(before="", after="", size=4096, offset=0), "--races")
        self.assertEqual(said.count("warpsafe: the memory pool of PyTorch is not watched any more: AttributeError"), 1)

    def test_a_pytorch_without_a_trace(self):
        said = self.ran("import torch; print('ran')", "--races", path=[self.other("torch", "version = None")])
        self.assertIn("ran\n", said)
        self.assertNotIn("pool", said)

    def test_an_array_of_cupy(self):
        said = self.ran(CUPY.format(before=""), "--races")
        self.assertIn("nothing orders 'sum' on stream 0x", said)
        self.assertIn(", allocated in <module> at train.py:6, and then 2048 bytes for ", said)
        self.assertNotIn("suspicion: nothing", self.ran(CUPY.format(before="device.order(two.ptr, one.ptr)"), "--races"))

    def test_a_resource_of_rmm(self):
        """rmm frees in the order of a stream. The adapter is called by the program, with rmm's own resource."""
        rmm = self.other("rmm", """
import types
class CallbackMemoryResource:
    def __init__(self, allocate, deallocate):
        self.allocate, self.deallocate = allocate, deallocate
mr = types.SimpleNamespace(CallbackMemoryResource=CallbackMemoryResource)
""")
        program = f"""
import importlib.util, sys
import stand_in_driver as device
import rmm
spec = importlib.util.spec_from_file_location("pools", {str(POOLS)!r})
pools = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pools)
class Stream:
    def __init__(self):
        self.handle = device.new_stream()
    def __cuda_stream__(self):
        return 0, self.handle
class Resource:
    pool, blocks = device.Pool(), {{}}
    def allocate(self, size, stream):
        block = self.pool.take(size, stream.handle)
        self.blocks[block[2]] = block
        return block[2]
    def deallocate(self, address, size, stream):
        self.pool.give_back(self.blocks.pop(address))
one, two = Stream(), Stream()
plain = Resource()
resource = pools.watch_rmm(plain)
print("watched" if resource is not plain else "plain")
x = resource.allocate(1024, one)
device.launch("sum", two.handle, x + 1000, 0)
if sys.argv[1:]:
    device.order(two.handle, one.handle)
resource.deallocate(x, 1024, one)
"""
        said = self.ran(program, "--races", path=[rmm])
        self.assertIn("watched\n", said)
        self.assertIn("nothing orders 'sum' on stream 0x", said)
        self.assertIn(" before a pool's free of 1024 bytes on stream 0x", said)
        self.assertIn(", allocated in <module> at train.py:25", said)
        self.assertNotIn("suspicion: nothing", self.ran(program.replace("sys.argv[1:]", "True"), "--races", path=[rmm]))
        self.assertIn("plain\n", self.ran(program, path=[rmm]))

    def other(self, name, text):
        folder = self.folder / f"other_{name}"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(text)
        return folder

    def test_the_programs_own_start(self):
        own = self.other("sitecustomize", "import builtins; builtins.own = __file__")
        program = """
import os, sys
import sitecustomize
import torch
print(own == sitecustomize.__file__, type(torch.__loader__).__name__, "exec_module" in vars(torch.__loader__), torch.__spec__.loader is torch.__loader__)
print([one for one in sys.path if "startup" in one], "sitecustomize" in [type(one).__module__ for one in sys.meta_path])
"""
        said = self.ran(program, "--races", path=[own])
        self.assertIn("True SourceFileLoader False True\n[] True\n", said)
        self.assertIn("boom", self.ran("print('ran')", "--races", path=[self.other("sitecustomize", "raise ValueError('boom')")]))
        # Without one of its own, it may have none.
        self.assertIn("ran\n", self.ran("print('ran')", "--races", python=["-I"]))
        self.assertIn("ran\n", self.ran("print('ran')", "--races", python=["-S"]))

    def test_a_program_without_a_start_of_its_own(self):
        program = "try:\n    import sitecustomize\n    print(sitecustomize)\nexcept ImportError as error:\n    print(error)"
        said = self.ran(program, "--races")
        self.assertIn("No module named 'sitecustomize'", said)
        self.assertIn("No module named 'sitecustomize'", self.ran(program, "--races", python=["-S"]))

    def test_loaders_of_the_program(self):
        """Import hooks stand before the loader with a proxy, have one loader for all modules, load late, or only look."""
        program = """
import importlib.abc, importlib.machinery, importlib.util, sys
class Proxy:
    def __init__(self, loader):
        object.__setattr__(self, "real", loader)
    @property
    def __dict__(self):
        return self.real.__dict__
    def __getattr__(self, name):
        return getattr(self.real, name)
    def exec_module(self, module):
        self.real.exec_module(module)
        print("loaded", module.__name__)
class Proxies:
    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and name.startswith("torch"):
            spec.loader = Proxy(spec.loader)
        return spec
class Shared(importlib.abc.Loader):
    loaders = {}
    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or not name.startswith("torch"):
            return None
        self.loaders[name] = spec.loader
        spec.loader = self
        return spec
    def exec_module(self, module):
        self.loaders[module.__name__].exec_module(module)
def look():
    for _ in range(1500):
        importlib.util.find_spec("torch")
"""
        for hook in ("sys.meta_path.insert(1, Proxies())", "sys.meta_path.insert(1, Shared()); look()", "look()", """
spec = importlib.util.find_spec("torch")
spec.loader = importlib.util.LazyLoader(spec.loader)
module = importlib.util.module_from_spec(spec)
sys.modules["torch"] = module
spec.loader.exec_module(module)
"""):
            with self.subTest(hook):
                said = self.ran(program + hook + TORCH.format(before="", after="", size=4096, offset=4000), "--races")
                self.assertIn("nothing orders 'sum'", said)
                self.assertNotIn("warpsafe: the memory pool", said)
                self.assertEqual(said.count("loaded torch\n"), 1 if "Proxies" in hook else 0)

    def test_variables_that_outlive_the_watch(self):
        inside = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import sys; print([type(one).__name__ for one in sys.meta_path])'], " \
                 "env={**__import__('os').environ, 'WARPSAFE_RUN': ''}, check=True)"
        self.assertNotIn("'Finder'", self.ran(inside, "--races"))
        self.assertIn("'Finder'", self.ran(inside.replace("'WARPSAFE_RUN'", "'UNUSED'"), "--races"))

    def test_an_import_that_fails(self):
        broken = self.other("torch", "raise ImportError('half')")
        said = self.ran("try:\n    import torch\nexcept ImportError as error:\n    print(error)\ntry:\n    import cupyx\nexcept ImportError:\n    print('none')",
                        "--races", path=[broken])
        self.assertIn("half\nnone\n", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
