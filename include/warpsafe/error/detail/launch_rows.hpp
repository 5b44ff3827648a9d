// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One row for each error of a launch; runtime_rows.hpp has the others. A row is all that is fixed
// about one error:
//
//   // What causes it. Remedy: what to do about it.
//   WARPSAFE_ERROR(number, name, meaning, reason)
//
// number   the value of the Errc and of its std::error_code. It never changes and is never reused:
//          a new row takes the next free number, wherever the row stands.
// meaning  the text of describe(), and the first sentence of the enumerator's documentation.
// reason   the clause of message(): one text, or a choice between several by the conditions that
//          reason_text() names. Fields of the error stand in braces; put_field() has them all.
//
// Errc, describe() and reason_text() are made of the rows, and tests/docs/check_errors.py --update
// writes docs/reference/errors.md from the rows and their comments. The file that includes this one
// defines WARPSAFE_ERROR before and undefines it after.

#if defined(WARPSAFE_ERROR)

// ## Sizes

// Remedy: If an empty size is valid, use `cover_or_empty`: its launch does nothing and
// succeeds. Otherwise find out why the size is 0.
WARPSAFE_ERROR(1, size_zero, "the size to cover is zero",
               "the size to cover is 0; cover_or_empty is for sizes that may be zero")

// The cause is often a subtraction, or a product that wrapped in `int`.
// Remedy: Compute sizes in 64 bits. The error has the number that the call received.
WARPSAFE_ERROR(2, size_negative, "the size to cover is negative",
               "the size is -{value}{in axis}; a size must be at least 0")

// Remedy: Cover the extent in parts.
WARPSAFE_ERROR(
    3, size_overflow, "the product of the extents does not fit in 64 bits",
    wrapped_extent
        ? "the extent {value} x {limit} x {third extent} contains 2^64 - {below zero}: a "
          "subtraction of unsigned numbers wrapped below 0; compare the numbers before "
          "you subtract"
        : "the extent {value} x {limit} x {third extent} has more than "
          "18446744073709551615 elements; cover it in parts")

// `cover_exact` was called, and the last block would be partial.
// Remedy: Use `cover`, and check the bound in the kernel (`grid_stride(n)` does); or pad the data.
WARPSAFE_ERROR(6, size_not_multiple, "the size is not a multiple of the block",
               "size {value}{in axis} is not a multiple of the {limit} items of one block: {rest} "
               "left over; use cover and check the bound in the kernel")

// ## Dimensions

// `n / 256` gives 0 blocks for a small n.
// Remedy: Make grids with `SafeGrid<>::cover(n, block)`, which rounds up.
WARPSAFE_ERROR(7, grid_zero, "a grid axis is zero",
               "grid.{axis} {value} invalid (limit: 1..{limit}); a grid without blocks runs "
               "nothing, and the runtime refuses it")

// Remedy: Put the long axis in x. If x itself is too long, use `items_per_thread<N>`, or
// `grid_stride` with a kernel that loops over its size. With `block_per_item`, let each block
// handle several items, or launch part by part. If a subtraction wrapped, as `n - 2 * halo` does
// for a small unsigned `n`, compare the numbers before you subtract.
WARPSAFE_ERROR(
    8, grid_too_large, "a grid axis is over its limit",
    wrapped ? "grid.{axis} needs {value} blocks, because its size is 2^64 - {below zero}: "
              "a subtraction of unsigned numbers wrapped below 0; compare the numbers "
              "before you subtract"
    : in_x  ? (block_each ? "grid.{axis} {value} invalid (limit: 1..{limit}); each item has a "
                            "block: let each block handle several items, or launch part by part"
                          : "grid.{axis} {value} invalid (limit: 1..{limit}); give each thread more "
                            "items (items_per_thread<N>), or use grid_stride")
            : "grid.{axis} {value} invalid (limit: 1..{limit}); put the long axis in x "
              "(limit 2147483647)")

// Remedy: Make every axis at least 1.
WARPSAFE_ERROR(9, block_zero, "a block or cluster axis is zero",
               subcode == Subcode::cluster_axis
                   ? "cluster.{axis} is 0; a cluster has at least 1 block along each axis"
                   : "block.{axis} {value} invalid (limit: 1..{limit}{owner})")

// Each axis has its own limit; on CUDA the limit of z is 64.
// Remedy: Take a smaller block, or put the long axis in x.
WARPSAFE_ERROR(
    10, block_axis_too_large, "a block or cluster axis is over its limit",
    subcode == Subcode::cluster_axis
        ? "cluster.{axis} is {value} blocks; no device has clusters of more than 16"
    : in_x ? "block.{axis} {value} invalid (limit: 1..{limit}{owner}); take a smaller block"
           : "block.{axis} {value} invalid (limit: 1..{limit}{owner}); put the long axis in x")

// The limit applies to the product of the axes.
// Remedy: Take the block that the message suggests, and recompute the grid with it.
WARPSAFE_ERROR(11, block_too_large, "too many threads per block",
               "block={block} is {value} threads, limit {limit} (maxThreadsPerBlock{owner})")

// The dimension is an axis of a grid, block or cluster.
// Remedy: Compute the number in 64 bits, as for `size_negative`: it has probably wrapped.
WARPSAFE_ERROR(12, dimension_negative, "a dimension is negative",
               subcode == Subcode::block_axis
                   ? "block.{axis} is -{value}; a dimension must be at least 1"
               : subcode == Subcode::cluster_axis
                   ? "cluster.{axis} is -{value}; a dimension must be at least 1"
                   : "grid.{axis} is -{value}; a dimension must be at least 1")

// On AMD, the threads of all blocks along an axis must stay below that. CUDA has no such rule.
// Remedy: Use `items_per_thread<N>` or `grid_stride`; with `block_per_item`, a smaller block.
WARPSAFE_ERROR(13, axis_threads_too_many, "2^32 or more threads along one axis",
               block_each
                   ? "grid.{axis} times block.{axis} is {value} threads, limit {limit} per axis on "
                     "AMD; take a smaller block, or launch part by part"
                   : "grid.{axis} times block.{axis} is {value} threads, limit {limit} per axis on "
                     "AMD; give each thread more items, or use grid_stride")

// The grid has more threads, or covers more elements, than the index can count. If the kernel
// declares no index type, the library assumes `int`, and the text says so. Beyond 2^31 an `int`
// wraps: the launch succeeds and the results are wrong.
// Remedy: Index in 64 bits (`thread_index()`, `grid_stride(n)`) and declare that: `kernel<fn,
// index<std::uint64_t>>`; or launch part by part.
WARPSAFE_ERROR(14, index_overflow, "more threads than the kernel's index type counts",
               subcode == Subcode::elements_assumed_int
                   ? "the grid covers {value} elements, but the kernel declares no index type, so "
                     "int is assumed (limit {limit}); index in 64 bits, as thread_index() and "
                     "grid_stride(n) do, and declare index<std::uint64_t>"
               : subcode == Subcode::threads_assumed_int
                   ? "the grid has {value} threads, but the kernel declares no index type, so int "
                     "is assumed (limit {limit}); index in 64 bits, as thread_index() and "
                     "grid_stride(n) do, and declare index<std::uint64_t>"
               : subcode == Subcode::elements
                   ? "the grid covers {value} elements, more than the kernel's index type counts "
                     "(limit {limit}); index in 64 bits and declare index<std::uint64_t>"
                   : "the grid has {value} threads, more than the kernel's index type counts "
                     "(limit {limit}); index in 64 bits and declare index<std::uint64_t>")

// ## The kernel's own needs

// The limit comes from its launch bounds or its registers.
// Remedy: Take the block that the message suggests, or change `WARPSAFE_LAUNCH_BOUNDS` and the
// declared `launch_bounds`.
WARPSAFE_ERROR(15, kernel_threads_exceeded, "more threads per block than this kernel allows",
               unnumbered ? "{runtime}"
                          : "block={block} is {value} threads, limit {limit} (this kernel's launch "
                            "bounds and registers{on device})")

// The kernel declares `block_multiple_of<N>`.
// Remedy: Round the block up to a multiple; check the bound in the kernel.
WARPSAFE_ERROR(16, block_not_multiple, "the block is not a multiple of what the kernel requires",
               "block={block} is {value} threads, not a multiple of {limit}, which the kernel "
               "requires")

// The kernel declares `requires_warp<N>`.
// Remedy: Launch the variant that is written for this device.
WARPSAFE_ERROR(17, warp_size_mismatch, "the device's warp size is not what the kernel requires",
               "the kernel requires warps of {limit} threads, but warps{on device} have {value}")

// Remedy: Launch a `WARPSAFE_KERNEL` of the same program. A kernel of another file must be a
// `WARPSAFE_KERNEL_EXTERN` of the same shared object.
WARPSAFE_ERROR(18, not_a_kernel, "the function is not a kernel that the runtime knows",
               "the runtime does not know this function as a kernel: it is a plain function, or "
               "its code is in a shared object with another copy of the runtime")

// Neither the program nor the module holds code for it. CUDA and HIP only.
// Remedy: Add the architecture: `CMAKE_CUDA_ARCHITECTURES`, `WARPSAFE_HIP_ARCHITECTURES`.
WARPSAFE_ERROR(19, no_kernel_image, "there is no code for this device",
               subcode != Subcode::in_module
                   ? "the program has no code for {device}{sm}; add its architecture to the build"
               : has_value
                   ? "the module has no code for {device}{sm}: it holds {runtime}; build it "
                     "for that architecture, or with PTX"
                   : "the module has no code for {device}: it holds {runtime}; build it for "
                     "that architecture")

// ## Shared memory

// `shared<T>(count)` got a negative count.
// Remedy: Compute the count in 64 bits, as for `size_negative`.
WARPSAFE_ERROR(20, shared_negative, "the amount of shared memory is negative",
               "shared memory for -{value} elements; a count must be at least 0")

// `count * sizeof(T)` is too large.
// Remedy: Check where the count comes from, as for `bytes_overflow`.
WARPSAFE_ERROR(21, shared_overflow, "the amount of shared memory does not fit in 64 bits",
               wrapped
                   ? "shared memory for 2^64 - {below zero} elements: a subtraction of unsigned "
                     "numbers wrapped below 0; compare the numbers before you subtract"
                   : "shared memory for {value} elements of {limit} bytes does not fit in 64 "
                     "bits")

// Static and dynamic shared memory together are over the device's limit.
// Remedy: Use smaller tiles. Where the device has an opt-in limit, `launch` has already raised
// the kernel's attribute, and the message says so.
WARPSAFE_ERROR(22, shared_too_large, "too much shared memory",
               subcode == Subcode::opt_in_included
                   ? "shared memory {value} bytes exceeds limit {limit} ({static} static + "
                     "{dynamic} dynamic, opt-in included): {too many} too many"
                   : "shared memory {value} bytes exceeds limit {limit} ({static} static + "
                     "{dynamic} dynamic, no opt-in on this device): {too many} too many")

// A launch with `<<<>>>`, which `check` has read, needs more than the attribute allows now.
// Remedy: Call `cudaFuncSetAttribute`, or use `launch`, which raises the attribute itself.
WARPSAFE_ERROR(23, shared_not_opted_in,
               "the kernel's attribute does not allow this much dynamic shared memory",
               "{value} bytes of dynamic shared memory, limit {limit} until the kernel's attribute "
               "is raised (cudaFuncSetAttribute, MaxDynamicSharedMemorySize); launch() raises it "
               "automatically")

// The kernel declares `needs_shared<T, MinCount>`.
// Remedy: Add `shared<T>(count)` to the configuration. Without that option, the launch does not
// compile.
WARPSAFE_ERROR(24, shared_missing, "the kernel needs dynamic shared memory and is given too little",
               "the kernel needs {limit} bytes of dynamic shared memory, the launch gives {value}; "
               "add shared<T>(count) to the configuration")

// ## Clusters, cooperative launches

// Remedy: Round the grid up to whole clusters.
WARPSAFE_ERROR(25, cluster_not_divisor, "the cluster does not divide the grid",
               "grid.{axis} {value} is not a multiple of cluster.{axis} {limit}")

// The device, or this kernel on it, allows fewer.
// Remedy: Use at most 8 blocks, the portable number; on devices that allow more,
// `non_portable_cluster<N>`.
WARPSAFE_ERROR(26, cluster_too_large, "too many blocks in a cluster",
               unnumbered ? "{runtime}"
                          : "a cluster of {value} blocks, limit {limit} (cluster size{owner})")

// On HIP this does not compile.
// Remedy: Leave `cluster<N>` out on this device.
WARPSAFE_ERROR(27, cluster_unsupported, "the device has no clusters",
               "this device has no clusters of blocks (cluster size limit 0{owner})")

// Remedy: Split the kernel where it waits for the whole grid.
WARPSAFE_ERROR(28, cooperative_unsupported, "the device has no cooperative launches",
               "this device has no cooperative launches (cooperativeLaunch 0{owner})")

// A grid-wide barrier would hang.
// Remedy: Use `grid_stride` with `max_resident_blocks(stream, kernel, block)`.
WARPSAFE_ERROR(29, cooperative_too_large, "the cooperative grid cannot be resident at once",
               unnumbered ? "{runtime}"
                          : "a cooperative grid of {value} blocks, limit {limit} (blocks that are "
                            "resident at once{on device}); use grid_stride with at most that "
                            "many blocks")

// The grid is capped by `max_resident_blocks` for another kernel, device or block, or for other
// dynamic shared memory. Checked builds find this.
// Remedy: Call `max_resident_blocks` with the launch's kernel, block and dynamic shared memory. To
// choose the number yourself, use `max_blocks(n)`.
WARPSAFE_ERROR(76, occupancy_mismatch, "the grid's cap was computed for another launch",
               subcode == Subcode::cap_device
                   ? "the grid is capped by the blocks resident on device {limit}, and launched on "
                     "device {value}; call max_resident_blocks with this stream"
               : subcode == Subcode::cap_threads
                   ? "the grid is capped by the resident blocks of {limit} threads, and launched "
                     "with {value}; call max_resident_blocks with this block"
               : subcode == Subcode::cap_bytes
                   ? "the grid is capped by the resident blocks with {limit} bytes of dynamic "
                     "shared memory, and launched with {value}; give max_resident_blocks these "
                     "bytes"
                   : "the grid is capped by the resident blocks of another kernel; call "
                     "max_resident_blocks with this one, or use max_blocks(n)")

// ## Arguments

// Remedy: Compute the argument in 64 bits, as for `size_negative`. The text counts arguments from
// 1.
WARPSAFE_ERROR(30, argument_negative, "a negative argument for an unsigned parameter",
               "argument {argument} is -{value}, but the parameter is unsigned")

// The memory of `trust(p)`, or an address in a table that is copied to the device. Checked builds
// find this.
// Remedy: Pass a buffer's `view()`, or pinned or managed memory; in a table, `pointer().get()`.
WARPSAFE_ERROR(31, argument_host_pointer, "a host pointer was given to a kernel",
               error.extra == 0
                   ? "element {value} of the table points to host memory, which the device cannot "
                     "read; store the device's addresses: view().pointer().get()"
                   : "argument {argument} is host memory, which the device cannot read; pass a "
                     "device buffer's view, or pinned or managed memory")

// A pointer parameter does not tell the kernel the number of elements. Checked builds find this.
// Remedy: Find out why the view is empty. A kernel that can do without the elements takes a
// `DeviceSpan`, or `nullptr`.
WARPSAFE_ERROR(72, argument_empty, "a view without elements was given to a pointer parameter",
               "argument {argument} is a view without elements, but the kernel takes a pointer; "
               "make the parameter a DeviceSpan, or pass nullptr if the kernel needs no elements")

// A kernel, a library call or a fill would access memory of another device. Copies are allowed.
// Remedy: Use a buffer of the stream's device, or `copy` into one. Or allow the access, if
// `cudaDeviceCanAccessPeer` says that it is possible. For buffers, which are in memory pools, call
// `cudaMemPoolSetAccess`; it returns success also where no access is possible, and later work then
// does nothing. For memory of `cudaMalloc`, call `cudaDeviceEnablePeerAccess`. On AMD, call
// `hipDeviceCanAccessPeer`, then `hipDeviceEnablePeerAccess` for both.
WARPSAFE_ERROR(73, memory_wrong_device, "the device cannot access memory of another device",
               error.extra != 0
                   ? "argument {argument} is memory of device {limit}, which device {value} cannot "
                     "access; copy it to device {value}, or, if cudaDeviceCanAccessPeer says yes, "
                     "allow the access (cudaMemPoolSetAccess; for cudaMalloc "
                     "cudaDeviceEnablePeerAccess)"
                   : "the memory is of device {limit}, which device {value} cannot access; use a "
                     "stream of device {limit}, or, if cudaDeviceCanAccessPeer says yes, allow the "
                     "access (cudaMemPoolSetAccess)")

// Earlier work failed (`execution_failed`). A later launch reported this, and did not run. Faults
// of the launch itself appear later.
// Remedy: Proceed as for `execution_failed`. The suspects are the earlier launches that nobody had
// waited for.
WARPSAFE_ERROR(63, pending_error, "an error was pending before the launch",
               "an error was pending before this call: {runtime}")

// ## The host backend

// The threads stopped at different `sync_block()` calls, or some had ended. A GPU would hang, or
// continue with wrong values.
// Remedy: Move the barrier out of the condition.
WARPSAFE_ERROR(68, barrier_divergence, "not every thread of a block reached the same barrier",
               unnumbered ? "{runtime}"
                          : "{value} of {limit} threads of a block reached sync_block(); every "
                            "thread of the block must reach it")

// ## The debug tools

// Under `WARPSAFE_SHADOW`, a kernel and its reference (`reference<fn>`) ran, and their results
// differ by more than the tolerance. The log has the numbers around the first mismatch.
// Remedy: Read [debugging wrong results](../tools/compare.md). The program continues with the
// kernel's results. With `WARPSAFE_ON_ERROR=warn` the difference is only logged.
WARPSAFE_ERROR(58, reference_differs, "the kernel's results are not those of its reference",
               "argument {argument} differs from the result of the kernel's reference: {value} of "
               "{limit} numbers differ")

#endif
