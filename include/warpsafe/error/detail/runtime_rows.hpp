// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// One row for each error that is not of a launch; launch_rows.hpp says what a row is.

#if defined(WARPSAFE_ERROR)

// ## Data

// Remedy: Check where the count comes from: it is wrong, or is not a count.
WARPSAFE_ERROR(4, bytes_overflow, "the size in bytes does not fit in 64 bits",
               wrapped ? "the number of elements is 2^64 - {below zero}: a subtraction of unsigned "
                         "numbers wrapped below 0; compare the numbers before you subtract"
                       : "{value} elements of {limit} bytes do not fit in 64 bits")

// The sides of a copy or a comparison differ in the number of elements, rows or columns.
// The text says if they differ by the factor `sizeof(T)`: one of them was given in bytes.
// Remedy: Give both sides the same size, or make the buffer with `DeviceBuffer<T>::from`.
WARPSAFE_ERROR(5, size_mismatch, "two sizes that must be equal are not",
               of_compare ? "the actual array has {value} elements and the expected array {limit}"
               : of_rows  ? "the source has {value} rows and the target {limit}"
               : by_element_size
                   ? "the source has {value} elements and the target {limit}: they differ by the "
                     "factor {element size}, the size of an element in bytes; give every size in "
                     "elements"
                   : "the source has {value} elements and the target {limit}")

// `align<N>(span)` was given a span that does not start at a multiple of N bytes. In a checked
// build, also `trust(p)` of a pointer to wider elements that does not: a GPU faults there, and a
// CPU may not. Remedy: Start the memory at a multiple of N bytes, or launch a kernel that reads
// single elements.
WARPSAFE_ERROR(32, argument_misaligned, "a pointer is less aligned than its type",
               error.extra == 0
                   ? "a pointer is aligned to {value} bytes, but its type needs {limit}"
                   : "argument {argument} is aligned to {value} bytes, but its type needs {limit}")

// `subspan`, `row` or `window` was asked for elements that the view does not have.
// Remedy: Ask for elements that exist. `subspan(offset)` returns all from the offset on.
WARPSAFE_ERROR(69, part_outside, "a part of a view is outside the view",
               "{elements} elements from offset {first} are not all in this view of {limit} "
               "elements{in axis}; ask for at most {limit} - offset elements, from offset 0 on")

// Both are parts of one buffer. The runtimes do not say what this copy writes.
// Remedy: Copy to another buffer first, or use a kernel.
WARPSAFE_ERROR(70, copy_overlaps, "the source and the target of a copy overlap",
               "source and target begin {value} bytes apart and are {limit} bytes long, so they "
               "overlap; copy to another buffer first, or move the elements with a kernel")

// Remedy: Use the buffer that it was moved to, or create one; then take a new view.
WARPSAFE_ERROR(
    71, memory_closed, "a buffer was used after it was closed or moved from",
    subcode == Subcode::graph_idle
        ? error.extra == 0
              ? "a graph allocates this memory, and has not run; launch the graph first"
              : "argument {argument} is memory that a graph allocates, and the graph "
                "has not run; launch the graph first"
    : subcode == Subcode::graph_lost
        ? error.extra == 0 ? "the graph that would allocate this memory is gone; allocate outside "
                             "of the capture"
                           : "argument {argument} is memory of a graph that is gone and never ran; "
                             "allocate outside of the capture"
    : subcode == Subcode::at_host ? error.extra == 0
                                        ? "this memory is with the host until to_device()"
                                        : "argument {argument} is with the host until to_device()"
    : error.extra == 0            ? "this buffer was closed or moved from and has no memory"
    : subcode == Subcode::in_structure
        ? "argument {argument} holds a span of a freed buffer; take a new span, or an empty one "
          "if the kernel does not use it"
        : "argument {argument} is a view of a freed buffer; take a new view")

// `get()` has already returned the value, or the `Pending` was moved from.
// Remedy: Keep the value that `get()` returns; after a move, use the `Pending` that was moved to.
WARPSAFE_ERROR(59, pending_taken, "the value of a Pending was already taken",
               "the value of this Pending was already taken or moved away; call get() once")

// ## Streams and devices

// The stream's device is not current. Or the two events of a measured time belong to two devices,
// or a stream was borrowed with another device than its own.
// Remedy: Make the stream's device current with `DeviceGuard`, for as long as you use the stream.
WARPSAFE_ERROR(33, stream_wrong_device, "the stream belongs to another device",
               subcode == Subcode::two_events
                   ? "one event is of device {value}, the other of device {limit}; measure the "
                     "time between events of one device"
               : subcode == Subcode::borrowed
                   ? "the stream belongs to device {limit}, not to device {value}; borrow it with "
                     "DeviceId({limit})"
                   : "the stream belongs to device {limit}, but device {value} is current; make "
                     "device {limit} current with DeviceGuard")

// Stream 0 was borrowed, or a `Stream` was used after it was moved from or closed, or a `StreamRef`
// after its `Stream` was destroyed. Checked launches report this, and checked calls of memory,
// handles, captures, graphs, events and waits.
// Remedy: Keep a `Stream` for as long as a `StreamRef` to it is used. In place of stream 0, use
// `Stream::create(DeviceId(n))`, or borrow `cudaStreamLegacy` or `cudaStreamPerThread`.
WARPSAFE_ERROR(
    34, stream_null, "the default stream was given where a stream is needed",
    subcode == Subcode::stream_closed
        ? "this Stream was moved from or closed; use the one that it was moved to"
    : subcode == Subcode::stream_destroyed
        ? "the Stream that this StreamRef refers to was destroyed; keep the Stream for as "
          "long as its references are used"
        : "stream 0 is the default stream, which other code uses too; create a Stream")

// A new thread begins on device 0, and streams of other devices exist. Checked builds find this.
// Remedy: Name the device: `Stream::create(DeviceId(n))`; or hold a `DeviceGuard` in that thread.
WARPSAFE_ERROR(75, device_not_chosen, "no device was chosen for a new stream",
               "this program has streams on device {limit}, and this thread has chosen no device, "
               "so the stream would be on device {value}; write Stream::create(DeviceId({value})) "
               "if that is meant")

// The call would wait, query or allocate, and so break the capture; or a library's call has a
// result on the host. The library does not make it. Remedy: Make the call before or after the
// capture, or on another stream with `CaptureMode::relaxed` ([captures](../guide/graphs.md)).
WARPSAFE_ERROR(35, stream_capturing, "the stream is capturing",
               subcode == Subcode::other_stream
                   ? "a graph is being captured, and this would break the capture"
               : subcode == Subcode::host_result
                   ? "each launch of the captured graph would write the result to this address on "
                     "the host; keep it in device memory with device_scalar"
                   : "the stream is capturing a graph, and this would break the capture")

// Remedy: Call `device_count()` for the number of devices.
WARPSAFE_ERROR(36, device_invalid, "the device does not exist",
               unnumbered && !on_device ? "{runtime}" : "device {ordinal} does not exist")

// A runtime takes the nearest number of its range, and reports nothing. Checked builds find this.
// Remedy: A smaller number is more urgent: `priority(-1)`. The default is `priority(0)`.
WARPSAFE_ERROR(79, priority_range, "the priority is outside of every device's range",
               "priority {value} invalid (limit: at most {limit}); a smaller number is more "
               "urgent: priority(-1)")

// There may be no driver either.
// Remedy: Run `nvidia-smi` or `rocminfo`. The host backend needs neither a device nor a driver.
WARPSAFE_ERROR(37, no_device, "no device was found",
               from_runtime ? "no device was found: {runtime}" : "no device was found")

// ## Modules
//
// [Modules](../guide/modules.md) explains kernels that are loaded by name.

// Remedy: Check the path: a relative path begins at the program's working directory.
WARPSAFE_ERROR(38, module_unreadable, "the file of a module cannot be read", "{runtime}")

// The image is cut short, of another vendor, or PTX that its compiler refuses.
// Remedy: For PTX, the text ends with the compiler's message. CUDA loads cubin, fatbin and PTX;
// HIP loads code objects and bundles of them.
WARPSAFE_ERROR(39, module_invalid, "the runtime cannot load the module",
               "the runtime cannot load the image: {runtime}")

// On HIP, a module belongs to the device that was current when it was loaded.
// Remedy: Load the module once for each device.
WARPSAFE_ERROR(40, module_wrong_device, "the module was loaded on another device",
               "the module was loaded on device {limit}, not on device {value}; make device "
               "{value} current and load the module there too")

// Remedy: Use the `Module` that it was moved to, or load the module again.
WARPSAFE_ERROR(80, module_moved, "a module was used after it was moved from or closed",
               "this Module was moved from or closed; use the one that it was moved to")

// Remedy: If the kernel is not `extern "C"`, use its mangled name. On CUDA the text lists the
// module's kernels, and `Module::visit_kernels` visits them all.
WARPSAFE_ERROR(41, kernel_not_found, "the module holds no kernel of that name", "{runtime}")

// The number of parameters differs, or the size, position or type of one. CUDA from 12.4 on and the
// host backend report a kernel's parameters; HIP does not. The types of numbers and pointers are
// read from the kernel's mangled name.
// Remedy: Write the parameters as the kernel's source has them.
WARPSAFE_ERROR(42, signature_mismatch,
               "the kernel's parameters are not those of the declared signature",
               subcode == Subcode::parameter_size
                   ? "parameter {parameter} takes {limit} bytes in the kernel, {value} in the "
                     "declared signature"
               : subcode == Subcode::parameter_offset
                   ? "parameter {parameter} is at byte {limit} in the kernel, at byte {value} in "
                     "the declared signature"
               : subcode == Subcode::parameter_type
                   ? "{runtime}"
                   : "the kernel takes {limit} parameters, the declared signature has {value}")

// ## Captures and graphs
//
// [Graphs](../guide/graphs.md) explains captures and graphs.

// A call that captures do not allow broke it: a launch that the runtime refused, a wait for work
// outside the capture, or other code's call. The graph is lost. The error names the call and line.
// Remedy: Move that call out of the capture. Where the error names no call, look for calls that do
// not go through this library.
WARPSAFE_ERROR(43, capture_broken, "the capture was broken",
               subcode == Subcode::broken_by_call       ? "{runtime}"
               : subcode == Subcode::broken_before_call ? "a call that did not go through this "
                                                          "library had already broken it"
                                                        : "an earlier call has already broken the "
                                                          "capture")

// The stream joined the capture by waiting for one of its events, and the capturing stream did not
// wait for the stream's work afterwards.
// Remedy: Call `wait(stream, other.record())` before the end of the capture.
WARPSAFE_ERROR(44, capture_unjoined, "a stream of the capture was not joined",
               error.stream != nullptr
                   ? "stream {stream} joined the capture, but the capturing stream does not wait "
                     "for its work; call wait(stream, other.record()) before the end"
                   : "a stream joined the capture, but the capturing stream does not wait for its "
                     "work; call wait(stream, other.record()) before the end")

// A stream of one capture would wait for an event of the other.
// Remedy: Make one capture, of which both streams are a part.
WARPSAFE_ERROR(45, capture_merged, "two captures would become one",
               "the event belongs to another capture: two captures cannot wait for each other")

// The event was recorded outside the capture.
// Remedy: Wait before the capture begins, or on the stream that launches the graph.
WARPSAFE_ERROR(46, capture_isolation, "a captured stream would wait for work outside its capture",
               "the event was recorded outside the capture, and a graph cannot wait for it; wait "
               "before the capture begins, or on the stream that launches the graph")

// Code outside the capture would wait for one of its events, query it or measure time with it.
// Remedy: Record an event after a launch of the graph, and wait for that.
WARPSAFE_ERROR(47, captured_event, "the event belongs to a capture",
               "the event was recorded in a capture and never completes; wait for a launch of the "
               "graph instead")

// Both events were recorded on one stream, `end` before `begin`.
// Remedy: Swap them: `elapsed_ms(begin, end)`.
WARPSAFE_ERROR(78, events_reversed, "the end event was recorded before the begin event",
               "the second event happened {value} us before the first, on one stream; pass the "
               "earlier event first: elapsed_ms(begin, end)")

// Remedy: Use the `Event` that it was moved to.
WARPSAFE_ERROR(74, event_moved, "an event was used after it was moved from",
               "this Event was moved from; use the one that it was moved to")

// Or the capture is over: it was moved from, or other code ended it.
// Remedy: End the capture once, on the stream that began it.
WARPSAFE_ERROR(48, capture_unmatched, "the stream did not begin a capture",
               error.raw != 0
                   ? "the stream did not begin a capture, or other code has ended it"
                   : "this Capture has ended or was moved from; use the one that it was moved to")

// Remedy: Use the graph that it was moved to, or capture the work again.
WARPSAFE_ERROR(77, graph_moved, "a graph was used after it was moved from or closed",
               "this Graph was moved from or closed; use the one that it was moved to")

// Only a relaxed capture of a stream that threads share may be ended by another thread.
// Remedy: End the capture in the thread that began it, or begin it with `CaptureMode::relaxed` on a
// stream that is no per-thread default stream.
WARPSAFE_ERROR(49, capture_wrong_thread, "the capture was begun by another thread",
               "another thread began the capture; end it in that thread, or begin it with "
               "CaptureMode::relaxed on a stream that is no per-thread default stream")

// More than the arguments of its operations has changed.
// Remedy: `instantiate()` the new graph.
WARPSAFE_ERROR(50, graph_update_refused, "the executable graph cannot be updated with this graph",
               graph_change_text(error.graph_change()))

// A captured kernel uses a buffer that has been freed. Only checked builds find this.
// Remedy: Call `capture.keep(buffer.keep())`, or keep the buffer itself; or capture again with the
// buffers that exist now.
WARPSAFE_ERROR(51, graph_memory_freed, "memory that the graph uses was freed",
               "memory at {address}, which a captured kernel uses, was freed; give the buffer to "
               "the capture with keep(), or capture again")

// ## Library handles

// Other code set the stream of a handle that a `StreamBound` owns, or another thread bound the
// handle to its per-thread default stream. Only checked builds find this.
// Remedy: Change the handle's stream only with `rebind`.
WARPSAFE_ERROR(52, handle_stream_changed, "a library handle was set to another stream",
               subcode == Subcode::other_stream
                   ? "another thread bound this handle to its per-thread default stream, and this "
                     "thread's is another; use rebind"
                   : "other code set another stream on the handle of this StreamBound; use rebind")

// A call mixes scalars of the host and of the device, or its descriptor or other code sets another
// mode. In checked builds also: a scalar's raw pointer is device memory.
// Remedy: Pass all scalars as `host_scalar`, or all as `device_scalar`. Do not set the mode.
WARPSAFE_ERROR(
    54, handle_pointer_mode, "a library handle's pointer mode does not fit the scalars",
    error.extra != 0 ? "argument {argument} is a scalar in device memory, and the library reads it "
                       "on the host; pass all scalars of the call as device_scalar(trust(p))"
    : subcode == Subcode::in_descriptor
        ? "the descriptor's POINTER_MODE differs; pass host_scalar or device_scalar to match"
        : "the handle's pointer mode does not match these scalars: give all scalars of a call as "
          "host_scalar or all as device_scalar, and do not set the mode elsewhere")

// Remedy: Give each thread its own handle.
WARPSAFE_ERROR(53, handle_busy, "two threads use one library handle at once",
               "another thread is using this handle; give each thread its own handle")

// Remedy: Use the `StreamBound` that it was moved to.
WARPSAFE_ERROR(55, handle_moved, "a library handle was used after it was moved from or closed",
               "this StreamBound was moved from or closed; use the one that it was moved to")

// Both would destroy it, and each would change the stream of the other. Only checked builds find
// it. Remedy: Keep one `StreamBound` for each handle; move it, or pass a reference to it.
WARPSAFE_ERROR(
    81, handle_owned, "a library handle was adopted twice",
    "another StreamBound owns this handle and destroys it; keep one for each handle, and "
    "move it or pass a reference to it")

// `handle_traits::inner_handles` says how many handles a handle holds.
// Remedy: Set the stream of each inner handle in `handle_traits::set_stream`. A vendor's own
// handle does not show the handles inside it.
WARPSAFE_ERROR(56, handle_partly_bound, "a handle inside a library handle is on another stream",
               "inner handle {value} of {limit} is still on another stream; set the stream of each "
               "in handle_traits::set_stream")

// Remedy: See the library's documentation of that status.
WARPSAFE_ERROR(57, library_failed, "a library's function failed", "{library}")

// ## Errors of the runtime

// No check knows the reason. At level off, every refusal without a code of its own is this error.
// Remedy: Build with checks: one of the errors above then probably names the reason.
WARPSAFE_ERROR(60, launch_refused, "the runtime refused the launch", "{runtime}")

// The call that reports the error did not cause it.
// Remedy: Restart the process: the context is lost. The suspects are the launches that were not
// known to have ended (checked builds); [Debugging launches](../tools/debugging.md) explains how to
// find the culprit. `compute-sanitizer` finds the access.
WARPSAFE_ERROR(61, execution_failed, "work on the device failed", "{runtime}")

// A `WARPSAFE_DEVICE_CHECK` failed ([checks in kernels](../guide/modules.md#checks-in-kernels)), or
// `dynamic_shared` asked for more than the launch gives. The device's context is intact.
// Remedy: The text names the place in the kernel and the first thread that failed there; look at
// what that thread works on.
WARPSAFE_ERROR(62, device_check_failed, "a check in a kernel failed",
               "check '{runtime}' failed in block {grid}, thread {block}, at {operation}:{value}")

// `WARPSAFE_TIMEOUT=SECONDS,stop` limits waits. The log lists the work that was in flight.
// Remedy: Look at the oldest launch of each stream in that log: it runs, or waits for something
// that never comes. The work may still run, so keep the memory that it uses.
WARPSAFE_ERROR(64, wait_timed_out, "a wait lasted too long and was abandoned",
               "the wait was abandoned after {value} ms (WARPSAFE_TIMEOUT); the work may still be "
               "running")

// Remedy: Free buffers, or request less. The message says how much was requested, how much is
// free, and how much of the rest this program's own buffers hold.
WARPSAFE_ERROR(65, out_of_memory, "out of memory",
               has_limit   ? "out of memory: {value} bytes requested, {free} of {limit} bytes free "
                             "on the device; this program's buffers hold {held} bytes"
               : has_value ? "out of memory: {value} bytes requested"
                           : "out of memory")

// Remedy: Read the device's limits before the call.
WARPSAFE_ERROR(66, unsupported, "the runtime or the device does not support this",
               subcode == Subcode::managed_memory
                   ? "the host may not touch managed memory of this device while a kernel runs "
                     "(concurrentManagedAccess is 0); use a DeviceBuffer"
                   : "not supported: {runtime}")

// No other code fits. Remedy: See the vendor's documentation of that status.
WARPSAFE_ERROR(67, runtime_failed, "a call of the runtime failed", "{runtime}")

#endif
