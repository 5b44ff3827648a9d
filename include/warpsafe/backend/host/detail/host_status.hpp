// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>
#include <warpsafe/error/errc.hpp>

// The statuses of the host backend: numbers, meanings and texts.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// The statuses of the host backend. The numbers are CUDA's (driver_types.h of CUDA 13.0) where
/// CUDA has a counterpart, so that they mean the same in both.
enum class HostStatus : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  initialization_error = 3,
  deinitialized = 4,
  invalid_configuration = 9,
  invalid_pitch = 12,
  invalid_device_function = 98,
  no_device = 100,
  invalid_device = 101,
  no_kernel_image = 209,
  invalid_resource_handle = 400,
  illegal_state = 401,
  symbol_not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  assert = 710,
  launch_failure = 719,
  cooperative_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_merge = 902,
  stream_capture_unmatched = 903,
  stream_capture_unjoined = 904,
  stream_capture_isolation = 905,
  stream_capture_implicit = 906,
  captured_event = 907,
  stream_capture_wrong_thread = 908,
  graph_exec_update_failure = 910,
  invalid_cluster_size = 912,
  unknown = 999,
  barrier_divergence = 10001,
  never_waited = 10002,
};

/// The fixed properties of a status.
struct StatusRow {
  HostStatus status;
  Errc code;
  Severity severity;
  Name name;
  Name text;
};

namespace status_table {

constexpr StatusRow row(HostStatus status, Errc code, const char* name, const char* text,
                        Severity severity = Severity::recoverable) noexcept {
  return {status, code, severity, Name::of(name), Name::of(text)};
}
inline constexpr Severity lost = Severity::context_lost;

// The texts describe the host backend's meaning of a status, not CUDA's hardware.
inline constexpr StatusRow rows[] = {
    row(HostStatus::success, Errc{}, "hostSuccess", "no error"),
    row(HostStatus::invalid_value, Errc::runtime_failed, "hostErrorInvalidValue",
        "invalid argument"),
    row(HostStatus::out_of_memory, Errc::out_of_memory, "hostErrorMemoryAllocation",
        "out of memory"),
    row(HostStatus::initialization_error, Errc::runtime_failed, "hostErrorInitializationError",
        "the process was forked after the host backend was first used"),
    row(HostStatus::deinitialized, Errc::runtime_failed, "hostErrorDeinitialized",
        "the program is ending and the host backend has shut down"),
    row(HostStatus::invalid_configuration, Errc::launch_refused, "hostErrorInvalidConfiguration",
        "invalid configuration argument"),
    row(HostStatus::invalid_pitch, Errc::runtime_failed, "hostErrorInvalidPitchValue",
        "a row is longer than its pitch"),
    row(HostStatus::invalid_device_function, Errc::not_a_kernel, "hostErrorInvalidDeviceFunction",
        "invalid device function"),
    row(HostStatus::no_device, Errc::no_device, "hostErrorNoDevice", "no device"),
    row(HostStatus::invalid_device, Errc::device_invalid, "hostErrorInvalidDevice",
        "invalid device ordinal"),
    row(HostStatus::no_kernel_image, Errc::no_kernel_image, "hostErrorNoKernelImageForDevice",
        "no kernel image is available for execution on the device"),
    row(HostStatus::invalid_resource_handle, Errc::runtime_failed, "hostErrorInvalidResourceHandle",
        "invalid resource handle"),
    row(HostStatus::illegal_state, Errc::runtime_failed, "hostErrorIllegalState",
        "the operation cannot be performed in the present state"),
    row(HostStatus::symbol_not_found, Errc::kernel_not_found, "hostErrorSymbolNotFound",
        "named symbol not found"),
    row(HostStatus::not_ready, Errc::runtime_failed, "hostErrorNotReady", "device not ready"),
    row(HostStatus::illegal_address, Errc::execution_failed, "hostErrorIllegalAddress",
        "an illegal memory access was encountered", lost),
    row(HostStatus::launch_out_of_resources, Errc::kernel_threads_exceeded,
        "hostErrorLaunchOutOfResources", "more threads per block than the kernel allows"),
    row(HostStatus::launch_timeout, Errc::execution_failed, "hostErrorLaunchTimeout",
        "the launch timed out and was terminated", lost),
    row(HostStatus::assert, Errc::execution_failed, "hostErrorAssert",
        "an assertion of the kernel failed", lost),
    row(HostStatus::launch_failure, Errc::execution_failed, "hostErrorLaunchFailure",
        "unspecified launch failure", lost),
    row(HostStatus::cooperative_too_large, Errc::cooperative_too_large,
        "hostErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"),
    row(HostStatus::not_permitted, Errc::runtime_failed, "hostErrorNotPermitted",
        "a kernel called a host function of the runtime, and a wait for its own stream would never "
        "end; call it outside of kernels"),
    row(HostStatus::not_supported, Errc::unsupported, "hostErrorNotSupported",
        "operation not supported"),
    row(HostStatus::stream_capture_unsupported, Errc::stream_capturing,
        "hostErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"),
    row(HostStatus::stream_capture_invalidated, Errc::capture_broken,
        "hostErrorStreamCaptureInvalidated",
        "operation failed due to a previous error during capture"),
    row(HostStatus::stream_capture_merge, Errc::capture_merged, "hostErrorStreamCaptureMerge",
        "operation would result in a merge of separate capture sequences"),
    row(HostStatus::stream_capture_unmatched, Errc::capture_unmatched,
        "hostErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"),
    row(HostStatus::stream_capture_unjoined, Errc::capture_unjoined,
        "hostErrorStreamCaptureUnjoined", "capturing stream has unjoined work"),
    row(HostStatus::stream_capture_isolation, Errc::capture_isolation,
        "hostErrorStreamCaptureIsolation",
        "dependency created on uncaptured work in another stream"),
    row(HostStatus::stream_capture_implicit, Errc::stream_capturing,
        "hostErrorStreamCaptureImplicit",
        "operation would make the legacy stream depend on a capturing blocking stream"),
    row(HostStatus::captured_event, Errc::captured_event, "hostErrorCapturedEvent",
        "operation not permitted on an event last recorded in a capturing stream"),
    row(HostStatus::stream_capture_wrong_thread, Errc::capture_wrong_thread,
        "hostErrorStreamCaptureWrongThread",
        "attempt to terminate a thread-local capture sequence from another thread"),
    row(HostStatus::graph_exec_update_failure, Errc::graph_update_refused,
        "hostErrorGraphExecUpdateFailure",
        "the graph update was not performed because it included changes which violated constraints "
        "specific to instantiated graph update"),
    row(HostStatus::invalid_cluster_size, Errc::cluster_too_large, "hostErrorInvalidClusterSize",
        "the cluster does not divide the grid, or is larger than the device allows"),
    row(HostStatus::unknown, Errc::runtime_failed, "hostErrorUnknown", "unknown error"),
    row(HostStatus::barrier_divergence, Errc::barrier_divergence, "hostErrorBarrierDivergence",
        "not every thread of a block reached the same sync_block()"),
    row(HostStatus::never_waited, Errc::execution_failed, "hostErrorNeverWaited",
        "the kernel was launched with dependent_launch, and no thread of it called "
        "wait_for_predecessor(); call it before the first use of what an earlier kernel writes, or "
        "launch without dependent_launch"),
};

}  // namespace status_table

/// The number that the backend's calls return.
[[nodiscard]] constexpr int raw(HostStatus status) noexcept { return static_cast<int>(status); }

/// The row of `status`; an undefined status counts as `unknown`.
[[nodiscard]] constexpr const StatusRow& row_of(int status) noexcept {
  const StatusRow* unknown = nullptr;
  for (const StatusRow& row : status_table::rows) {
    if (raw(row.status) == status) return row;
    if (row.status == HostStatus::unknown) unknown = &row;
  }
  return *unknown;
}

/// Whether `status`, once returned by running work, is returned by every later call on the device.
[[nodiscard]] constexpr bool is_sticky(int status) noexcept {
  return row_of(status).severity == Severity::context_lost;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
