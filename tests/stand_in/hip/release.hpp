// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What differs between the releases of AMD's runtime. The columns for 5.2, 5.7 and 6.4 are the
// transcripts beside this file; the one for 7 was read (stand_in_hip.hpp names the sources).
#pragma once

#include "stand_in_hip.hpp"

namespace stand_in_hip {

/// What the runtime answers: a status, or the signal by which it ends the process. SIGALRM stands
/// for a call that never returns.
struct Answer {
  hipError_t status = hipSuccess;
  int signal = 0;
  bool undefined = false;  ///< as read: the source leaves it open, and the status is a guess
};

/// Returns the answer's status, or says that AMD's runtime ends the process here, and ends it.
/// @param what the call that the runtime does not survive
hipError_t give(Answer answer, const char* what);

/// Answers for a stream argument that names no stream.
struct StreamAnswers {
  Answer destroyed;
  Answer invalid;  ///< never made
};

/// A row of the table for each member; the transcripts' questions are in tests/record/hip.
struct Rules {
  const char* name;
  int version;  ///< HIP_VERSION, without the patch number

  // Devices and errors.
  bool checks_init_flags;
  Answer device_to_nowhere;    ///< hipDeviceGet(nullptr, …)
  bool cuts_device_names;      ///< to the caller's length, or refuses the length
  int grid_yz;                 ///< the attribute; no launch of hipLaunchKernel checks it
  bool knows_opt_in;           ///< hipDeviceAttributeSharedMemPerBlockOptin
  bool has_error_texts;        ///< hipGetErrorString is not just the name
  bool success_clears_error;   ///< in the last-error slot, and hipErrorNotReady sets it
  bool demands_code_for_all;   ///< ends the process if a device has no code in a fat binary
  Answer memory_info_nowhere;  ///< hipMemGetInfo(nullptr, …)

  // Launches.
  hipError_t zero_size;
  hipError_t too_many_threads;
  bool multiplies_in_32_bits;  ///< the threads of a block, and a cooperative launch's work-items
  bool refuses_dynamic_alone;  ///< dynamic shared memory over the limit, before the static is added
  bool adds_static_shared;     ///< refuses static and dynamic together, when it submits a launch
  Answer no_arguments;         ///< null for a kernel that has parameters
  StreamAnswers launch_stream;
  StreamAnswers module_stream;
  StreamAnswers cooperative_stream;
  hipError_t cooperative_null;
  bool cooperative_shared_first;  ///< refuses dynamic shared memory over the limit before all else
  bool captures_cooperative;
  Answer cooperative_wraps_to_zero;  ///< a block of 2^32 threads
  bool stays_on_device;              ///< refuses a stream of another device
  hipError_t no_code_for_launch;

  // Modules and functions.
  hipError_t null_module;
  hipError_t null_module_function;
  hipError_t null_function_attribute;
  hipError_t empty_kernel_name;
  hipError_t no_code_object;
  hipError_t no_code_for_module;
  bool captures_modules;
  bool limits_module_grid;  ///< grid.x to 2^31-1
  bool limits_module_yz;    ///< and y and z to 65536
  bool module_yz_wrap;      ///< threads in y and z are counted in 32 bits
  hipError_t unknown_occupancy;
  bool checks_occupancy_flags;
  hipError_t null_attributes;
  bool sets_attributes;   ///< hipFuncSetAttribute checks and stores what it is given
  bool has_code_version;  ///< binaryVersion and ptxVersion are the architecture's
  int const_bytes;

  // Captures.
  bool breaks_captures;         ///< a prohibited call invalidates the captures that it disturbs
  bool stays_broken;            ///< the stream, after the end of its invalidated capture
  bool device_wait_in_capture;  ///< hipDeviceSynchronize waits while a stream captures
  bool stream_wait_in_capture;  ///< so do hipStreamSynchronize, hipStreamQuery, hipEventSynchronize
  bool waits_by_thread_mode;    ///< whether those three may disturb a capture
  bool relaxed_copies;          ///< hipMemcpy and hipMemset while all captures are relaxed
  bool query_breaks;            ///< a query of an event of a capture
  bool any_query_breaks;        ///< a query of any event, in a mode that forbids it
  hipError_t end_without_begin;
  hipError_t end_on_null_stream;
  bool failed_end_sets_graph;      ///< writes a handle, which must not be used
  bool unjoined_end_clears_graph;  ///< writes null
  bool demands_join;
  bool unjoined_stay;            ///< forked streams still capture after the end that failed
  bool forks_stay;               ///< and after one that succeeded
  bool null_stream_is_implicit;  ///< hipStreamIsCapturing of the null stream
  bool captures_peer_copies;
  bool captures_allocations;
  bool manages_in_capture;  ///< hipMallocManaged during a capture that is not relaxed

  // Streams and events.
  StreamAnswers waited_stream;      ///< hipStreamSynchronize and most functions
  StreamAnswers capture_stream;     ///< hipStreamIsCapturing, hipStreamBeginCapture
  StreamAnswers recorded_stream;    ///< hipEventRecord
  StreamAnswers waiting_stream;     ///< hipStreamWaitEvent
  StreamAnswers graph_stream;       ///< hipGraphLaunch
  StreamAnswers copy_stream;        ///< hipMemcpyAsync
  StreamAnswers fill_stream;        ///< hipMemsetAsync
  StreamAnswers pool_stream;        ///< hipMallocAsync, hipFreeAsync
  StreamAnswers host_call_stream;   ///< hipLaunchHostFunc
  Answer wait_flags;                ///< hipStreamWaitEvent with flags
  Answer destroy_after_free_async;  ///< hipStreamDestroy, of any stream
  bool timed_across_processes;      ///< accepts such events
  Answer event_destroyed_twice;
  Answer dead_event;

  // Memory.
  hipError_t unknown_pointer;
  hipError_t null_pointer;
  Answer pool_of_nothing;       ///< hipMallocAsync of 0 bytes
  bool pools_grow_late;         ///< hipMallocAsync of more than the device has succeeds
  Answer foreign_free_async;    ///< hipFreeAsync of host memory
  hipError_t register_nothing;  ///< hipHostRegister of 0 bytes
  hipError_t unregister_null;
  Answer unregister;
  bool checks_copy_kind;
  bool checks_symbol_kind;

  /// Whether the release lacks the function: a program that calls it does not start.
  bool (*lacks)(std::string_view function);
};

/// Those of the release that is set.
const Rules& rules();

}  // namespace stand_in_hip
