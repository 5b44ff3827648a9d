# SPDX-License-Identifier: BSL-1.0
# Copyright (c) 2026 the warpsafe authors
"""Part B of the catalogue: the limits of devices and kernels, where constants show them."""

import math
import re

from .. import index
from ..function import api
from ..launches import is_of_caller
from ..registry import Found, all_launches, function_rule, launch_rule, rule
from ..tree import call_arguments, call_name, is_dropped
from .errors import is_small
from .evidence import is_reported
from .growth import source_of

# Threads per block on every GPU, and threads along z on NVIDIA's: CUDA C++ programming guide, technical
# specifications per compute capability.
MAX_THREADS, MAX_Z = 1024, 64
# Bytes of dynamic shared memory without an opt-in (CUDA), and the maximum of any GPU in that table.
WITHOUT_OPT_IN, MOST_SHARED = 49152, 232448
# A workgroup's LDS on AMD's CDNA and RDNA: 64 KiB.
LDS = 65536
# Multiprocessors of the smaller GPUs of today: so many blocks fit at once, one on each.
FEW_BLOCKS = 16


@launch_rule("B01", "more than 1024 threads in a block", note_if=is_reported)
def too_many_threads(program, function, launch):
    values = launch.block_values
    known = [value for value in values if value is not None and value > 0]
    threads = 1
    for value in known:
        threads *= value
    if threads > MAX_THREADS:
        # One more than the limit, with the error read right behind: the program shows what a device refuses.
        shown = threads == MAX_THREADS + 1 and any(call.order > launch.order and function.looks(call) for call in function.calls)
        yield Found(launch.block, f"the block has {threads} threads{'' if len(known) == 3 else ' or more'}, limit 1024",
                    "write warpsafe::block<256>, which the compiler checks", "note" if shown else "")


@launch_rule("B03", "more threads than __launch_bounds__", note_if=is_reported)
def over_launch_bounds(program, function, launch):
    if not launch.kernel or not launch.kernel.max_threads or None in launch.block_values:
        return
    x, y, z = launch.block_values
    if launch.kernel.max_threads < x * y * z <= MAX_THREADS:
        yield Found(launch.block, f"the block has {x * y * z} threads, but {launch.kernel.name} is declared for at most "
                    f"{launch.kernel.max_threads}",
                    "write kernel<k, max_threads<N>>, which the compiler checks")


@launch_rule("B05", "block.z over 64", note_if=is_reported)
def long_z(program, function, launch):
    z = launch.block_values[2] if launch.block else None
    if z is not None and z > MAX_Z and program.language == "cuda":
        yield Found(launch.block, f"block.z is {z}, limit 64 on CUDA",
                    "put the long axis in x")


@rule("B04", "the second number of __launch_bounds__ on AMD")
def second_bound(program):
    if program.language != "hip":
        return
    for function in program.functions:
        if function.is_kernel and re.search(rb"__launch_bounds__\s*\([^()]*,", function.head):
            yield Found(function.node, "the second number of __launch_bounds__ means blocks per multiprocessor on CUDA and "
                        "warps per execution unit on AMD",
                        "write WARPSAFE_LAUNCH_BOUNDS(threads, min_blocks), which means the same on both")


@function_rule("B06", "a kernel that assumes warps of 32")
def warp_of_32(program, function):
    if program.language != "hip" or not function.is_kernel:
        return
    for node in function.node.all("BINARY_OPERATOR"):
        expected = {"%": 32, "/": 32, "&": 31, ">>": 5}.get(node.name)
        if expected is None or len(node.children) != 2 or function.value(node.children[1]) != expected:
            continue
        if "threadIdx" in function.resolve(node.children[0]).names():
            # A group of 32 threads is no harm in a larger warp, until a call speaks to all threads of it.
            whole = any(program.reaches(call_name(call), speaks_to_warp) for call in function.calls)
            yield Found(node, f"{program.text(node)} assumes warps of 32 threads, but AMD's CDNA has 64",
                        "use warpSize, or kernel<k, requires_warp<32>>, which is checked at the launch", "" if whole else "note")
            return


def speaks_to_warp(name):
    return re.fullmatch(r"__(ballot|any|all|activemask|match_\w+|shfl|reduce_\w+|syncwarp)(_sync)?", name) is not None


def opted_in(program, launch):
    """Whether the file raises the shared-memory limit of this kernel, or of a kernel in a variable. The kernel of the
    driver's launches is a handle, whose limit another file may raise."""
    if launch.form.startswith(("cu", "hipModule")) and not launch.form.startswith("cuda"):
        return True
    for function in program.functions:
        for call in function.calls:
            if api(call_name(call)) == "FuncSetAttribute":
                names = call_arguments(call)[0].names() if call_arguments(call) else set()
                if launch.kernel_name in names or not names & set(program.kernels):
                    return True
    return False


@launch_rule("B07", "over 48 KiB of dynamic shared memory without the opt-in", note_if=is_reported)
def without_opt_in(program, function, launch):
    size = launch.shared_bytes
    if size and WITHOUT_OPT_IN < size <= MOST_SHARED and program.language == "cuda" and not opted_in(program, launch):
        yield Found(launch.bytes, f"{size} bytes of dynamic shared memory: more than {WITHOUT_OPT_IN} need "
                    "cudaFuncSetAttribute, or the launch is refused",
                    "call warpsafe::launch with shared(Bytes(n)), which sets the attribute")


@launch_rule("B08", "more shared memory than any device has", note_if=is_reported)
def most_shared(program, function, launch):
    size, limit = launch.shared_bytes, LDS if program.language == "hip" else MOST_SHARED
    if size and size > limit:
        yield Found(launch.bytes, f"{size} bytes of dynamic shared memory, limit {limit}",
                    "use a smaller tile")


@launch_rule("B09", "static and dynamic shared memory together over the limit", note_if=is_reported)
def together(program, function, launch):
    size, limit = launch.shared_bytes, LDS if program.language == "hip" else WITHOUT_OPT_IN
    static = launch.kernel.static_shared if launch.kernel else 0
    if size and static and size <= limit < size + static and not opted_in(program, launch):
        yield Found(launch.bytes, f"{size} bytes of dynamic and {static} of static shared memory are {size + static}, limit "
                    f"{limit}",
                    "call warpsafe::launch, which adds them and reports the sum")


@rule("B11", "the opt-in made once per process")
def once_per_process(program):
    for function in program.functions:
        for call in function.calls:
            if api(call_name(call)) != "FuncSetAttribute":
                continue
            for above in call.above():
                static = above.kind == "VAR_DECL" and above.cursor.storage_class.name == "STATIC"
                once = above.kind == "CALL_EXPR" and call_name(above) == "call_once"
                if static or once:
                    yield Found(call, "the attribute is set once per process, but each device has its own: the second GPU "
                                "refuses the launch",
                                "call warpsafe::launch, which sets it per kernel and device")
                    break


def written_cluster(function):
    """The constants that a function writes to the cluster of a launch attribute: axis, value and node."""
    for node in function.node.all("BINARY_OPERATOR"):
        if node.name == "=" and node.children[0].kind == "MEMBER_REF_EXPR" and node.children[0].name in ("x", "y", "z") and \
                "clusterDim" in function.program.text(node.children[0]) and function.value(node.children[1]):
            yield node.children[0].name, function.value(node.children[1]), node


def cluster_of(function, launch):
    """The blocks of a launch's cluster along each axis, by its kernel, or by an attribute in a function with one launch that can
    take it; or None."""
    if launch.kernel and launch.kernel.cluster:
        return launch.kernel.cluster
    written = [(axis, value) for axis, value, _ in written_cluster(function)]
    alone = launch.form.startswith("cudaLaunchKernelEx") and sum(other.form == launch.form for other in all_launches(function)) == 1
    return [dict(written).get(axis, 1) for axis in "xyz"] if alone and 0 < len(dict(written)) == len(written) else None


def allows_large_clusters(program):
    """Whether the program asks for clusters of more than 8 blocks, in any of its files."""
    return index.of_file(program.file).mentions("NonPortableClusterSizeAllowed|NON_PORTABLE_CLUSTER_SIZE_ALLOWED", program.file)


@launch_rule("B13", "a grid that the cluster does not divide", note_if=is_reported)
def divided_by_cluster(program, function, launch):
    cluster = cluster_of(function, launch) if program.language == "cuda" else None
    for axis, size, blocks in zip("xyz", launch.grid_values, cluster or ()):
        if size and size > 0 and blocks > 1 and size % blocks:
            yield Found(launch.grid or launch.node, f"grid.{axis} is {size}, and cluster.{axis} is {blocks}: a grid that is no multiple of its cluster is refused",
                        f"round the grid up to {-(-size // blocks) * blocks} blocks; warpsafe::cluster<…> is compared with the grid when you compile")


@rule("B14", "a cluster of more than 8 blocks without the attribute")
def large_cluster(program):
    found = []
    for function in program.functions:
        sizes = {axis: (value, node) for axis, value, node in written_cluster(function)}
        if sizes:
            found.append((math.prod(value for value, _ in sizes.values()), sizes[min(sizes)][1]))
        found += [(math.prod(launch.kernel.cluster), launch.node) for launch in all_launches(function) if launch.kernel and launch.kernel.cluster]
    found = [each for each in found if each[0] > 8]
    for product, node in found if found and not allows_large_clusters(program) else ():
        yield Found(node, f"a cluster of {product} blocks: more than 8 need cudaFuncAttributeNonPortableClusterSizeAllowed",
                    "write warpsafe::cluster<8>, or non_portable_cluster<16>")


def blocks_at_once(launch):
    """How many blocks of a launch every multiprocessor holds: one of unknown size, or as many as have 1024 threads and 48 KiB
    of shared memory together, if the kernel is small."""
    threads, shared = launch.block_values, launch.shared_bytes
    if not launch.kernel or None in threads or math.prod(threads) < 1 or shared is None or not is_small(launch.function.program, launch.kernel):
        return 1
    return max(min(1024 // math.prod(threads), WITHOUT_OPT_IN // max(shared + launch.kernel.static_shared, 1)), 1)


@launch_rule("B16", "a cooperative grid that is not compared with the occupancy")
def cooperative(program, function, launch):
    if not launch.form.endswith("LaunchCooperativeKernel") or any("Occupancy" in name for name in program.all_names):
        return
    text = index.running(program.source.decode(errors="replace"))
    if re.search(r"multi_?processor_?count|\bnum_?sms?\b|\bsm_?count\b|\bocc(upancy)?\b|\w*occupancy\w*|blocks?_per_sm", text, re.I):
        return
    sizes = [function.value(axis) for axis in launch.grid_axes]
    if sizes and all(size == 1 for size in sizes):
        return  # one block fits if the block itself does
    # Another file of the tree may ask for the occupancy, or the caller of a wrapper. A refused grid of a caller has a status.
    sources = [source_of(function, axis) for axis in launch.grid_axes]
    elsewhere = sizes and all(is_of_caller(function, axis) for axis in launch.grid_axes) or index.of_file(program.file).calls("Occupancy", program.file)
    if not elsewhere and sizes:
        known = None not in sizes
        elsewhere = math.prod(sizes) <= FEW_BLOCKS * blocks_at_once(launch) or not is_dropped(launch.node) if known else not is_dropped(launch.node) and not any(
            source is not None and (source.grows or (source.most or 0) > FEW_BLOCKS) for source in sources)
    yield Found(launch.node, "the size of a cooperative grid is not compared with the occupancy: a grid that does not fit at "
                "once is refused",
                "call warpsafe::launch with cooperative; its error says how many blocks fit", "note" if elsewhere else "")
