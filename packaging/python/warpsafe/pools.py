# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Names the blocks of a Python program's memory pools to warpsafe-run --races.

warpsafe-run --races calls watch_torch and watch_cupy itself when the program imports torch or cupy. Without
warpsafe-run, every function here does nothing."""

import atexit
import ctypes
import os
import sys

# PyTorch's allocator rounds each block up to this many bytes (kMinBlockSize in CUDACachingAllocator).
SMALLEST_OF_TORCH = 512
MOST_FRAMES = 64


class _Watch:
    """The functions that warpsafe-run's library exports. The driver loads that library when it is initialised, so
    look only after the program has memory."""

    def __init__(self):
        self._found = None

    def functions(self):
        """(allocated, freed, returned), or () without the watch."""
        if self._found is None:
            try:
                # Not CDLL: whoever lets go of Python's lock may wait for it for long.
                process = ctypes.PyDLL(None)
                allocated, freed, returned = process.warpsafe_pool_allocated, process.warpsafe_pool_freed, process.warpsafe_pool_returned
                allocated.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p]
                freed.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
                returned.argtypes = [ctypes.c_void_p]
                allocated.restype = freed.restype = returned.restype = None
                self._found = (allocated, freed, returned)
            except (AttributeError, OSError):
                self._found = ()
        return self._found


_watch = _Watch()
_places = {}


def _place(folders):
    """The innermost line of the program, b"step at train.py:12". `folders` are those of the libraries between the
    program and this function. None: no line of Python."""
    frame, left = sys._getframe(1), MOST_FRAMES
    while frame is not None and left:
        file = frame.f_code.co_filename
        # torch.compile writes functions to a folder for temporary files.
        if file != __file__ and not file.startswith(folders) and "torchinductor_" not in file:
            # Not the code itself, which is equal to that of another file, and takes long to hash.
            key = (file, frame.f_code.co_name, frame.f_lineno)
            text = _places.get(key)
            if text is None:
                name = file
                try:
                    here = os.path.join(os.getcwd(), "")
                    name = file[len(here):] if file.startswith(here) else file
                except OSError:  # the folder is gone
                    pass
                text = f"{frame.f_code.co_name} at {name}:{frame.f_lineno}".encode("utf-8", "replace")
                if len(_places) < 65536:
                    _places[key] = text
            return text
        frame, left = frame.f_back, left - 1
    return None


def _folder(module):
    return os.path.join(os.path.dirname(os.path.abspath(module.__file__)), "")


def _guarded(name, *tells):
    """The functions `tells`, which stop at their first error, and when Python ends: a watched program goes on as
    without them."""
    stopped = []
    atexit.register(stopped.append, None)

    def guard(tell):
        def guarded(*of, **named):
            if stopped:
                return
            try:
                tell(*of, **named)
            except Exception as error:
                stopped.append(error)
                sys.stderr.write(f"warpsafe: the memory pool of {name} is not watched any more: {error!r}\n")

        return guarded

    return [guard(tell) for tell in tells]


class _Torch:
    """Hears of each block of PyTorch's caching allocator. PyTorch tells the address alone: the stream is the thread's
    current one, and the size is what the allocator's counters have grown by."""

    def __init__(self, torch):
        self.torch = torch
        self.folders = (_folder(torch), "<frozen")
        self.current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (lambda device: torch.cuda.current_stream(device).cuda_stream)
        self.with_stream = getattr(getattr(torch.cuda, "caching_allocator_alloc", None), "__code__", None)
        self.counts = {}  # by device: the blocks and the bytes handed out so far

    def bytes_of_newest(self, device):
        """If another thread has got a block meanwhile, the size is unknown, and the smallest possible one serves."""
        stats = self.torch.cuda.memory_stats_as_nested_dict(device)
        if not stats:  # PyTorch is not initialised completely
            return SMALLEST_OF_TORCH
        blocks, size = stats["allocation"]["all"]["allocated"], stats["allocated_bytes"]["all"]["allocated"]
        before = self.counts.get(device, (0, 0))
        self.counts[device] = (blocks, size)
        grown = size - before[1]
        return grown if blocks - before[0] == 1 and grown >= SMALLEST_OF_TORCH else SMALLEST_OF_TORCH

    def stream(self, device):
        """The thread's current stream, unless another library allocates for one of its own."""
        frame, left = sys._getframe(1), 8
        while frame is not None and left:
            if frame.f_code is self.with_stream:
                return frame.f_locals["stream"]
            frame, left = frame.f_back, left - 1
        return self.current_stream(device)

    def allocated(self, address):
        functions = _watch.functions()
        # The driver's own pool needs no naming.
        if not functions or self.torch.cuda.get_allocator_backend() != "native":
            return
        device = self.torch.cuda.current_device()
        functions[0](address, self.bytes_of_newest(device), self.stream(device), _place(self.folders))

    def freed(self, address):
        """PyTorch keeps the block for its stream, and until the events of record_stream."""
        functions = _watch.functions()
        if functions:
            functions[2](address)


def watch_torch(torch):
    """Names the blocks of PyTorch's caching allocator, which stays in use. Returns whether this PyTorch can tell them
    (2.1 and later, built for a GPU)."""
    if getattr(torch, "_warpsafe_pools", None) is not None:
        return True
    version = getattr(torch, "version", None)  # a program may have a module of that name itself
    if not (getattr(version, "cuda", None) or getattr(version, "hip", None)):
        return False
    try:
        import torch.cuda._gpu_trace as trace

        activate = torch._C._activate_gpu_trace
        heard = _Torch(torch)
        add, remove = trace.register_callback_for_memory_allocation, trace.register_callback_for_memory_deallocation
        allocated, freed = _guarded("PyTorch", heard.allocated, heard.freed)
        add(allocated)
        remove(freed)
    except (ImportError, AttributeError):
        return False
    torch._warpsafe_pools = heard
    try:
        import torch.utils.checkpoint

        # A checkpoint ends its recomputation by an exception. While C++ passes it on, tensors are freed. PyTorch then calls
        # Python, although an exception is pending, and loses that: the backward pass fails with a SystemError.
        heard.whole_checkpoints = torch.utils.checkpoint.set_checkpoint_early_stop(False)
        heard.whole_checkpoints.__enter__()
    except (ImportError, AttributeError):
        pass
    activate()
    return True


def watch_cupy(cupy):
    """Names the blocks of CuPy's memory pools that the calling thread gets. CuPy keeps hooks for each thread, so call
    it on each thread that allocates. Returns whether this CuPy can tell them."""
    try:
        base = cupy.cuda.MemoryHook
    except AttributeError:
        return False
    folders = (_folder(cupy), "<frozen")

    def allocated(**of):
        functions = _watch.functions()
        if functions and of["mem_ptr"]:
            functions[0](of["mem_ptr"], of["mem_size"], cupy.cuda.get_current_stream().ptr, _place(folders))

    def freed(**of):
        functions = _watch.functions()
        if functions:
            functions[2](of["mem_ptr"])

    tell_allocated, tell_freed = _guarded("CuPy", allocated, freed)

    class Hook(base):
        name = "warpsafe"

        def malloc_postprocess(self, **of):
            tell_allocated(**of)

        # Another thread may get the block as soon as it is free.
        def free_preprocess(self, **of):
            tell_freed(**of)

    try:
        Hook().__enter__()
    except KeyError:  # this thread has it
        pass
    return True


def _handle(stream):
    """The handle of an rmm stream; None: the default stream."""
    if stream is None:
        return None
    protocol = getattr(stream, "__cuda_stream__", None)
    return protocol()[1] if protocol is not None else int(stream)


def watch_rmm(resource):
    """Returns an rmm memory resource that allocates from `resource`, such as a PoolMemoryResource, and names its
    blocks: rmm.mr.set_current_device_resource(watch_rmm(rmm.mr.get_current_device_resource())). Call it after the
    driver is initialised; without the watch it returns `resource` itself."""
    import rmm

    functions = _Watch().functions()  # the others look again, if the driver is not initialised yet
    if not functions:
        return resource
    allocated, freed = functions[:2]
    folders = (_folder(rmm), "<frozen")

    def allocate(size, stream=None):
        address = resource.allocate(size, stream) if stream is not None else resource.allocate(size)
        allocated(address, size, _handle(stream), _place(folders))
        return address

    def deallocate(address, size, stream=None):
        freed(address, _handle(stream))
        return resource.deallocate(address, size, stream) if stream is not None else resource.deallocate(address, size)

    return rmm.mr.CallbackMemoryResource(allocate, deallocate)
