// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/call.hpp"

#include <cstdint>

namespace warpsafe::watch {

/// What a failed call means for the user.
enum class CallWeight : std::uint8_t {
  quiet,  ///< an answer, no error: programs ask this way
  note,   ///< a program may expect it and have another way
  error,
};

/// The statuses that more than one place names. CUDA's runtime, CUDA's driver and HIP use the same
/// numbers (cudaError_t, CUresult, hipError_t).
namespace status {
inline constexpr int out_of_memory = 2;
inline constexpr int not_initialized = 3;
inline constexpr int shutting_down = 4;
inline constexpr int no_device = 100;
inline constexpr int invalid_device = 101;
inline constexpr int invalid_context = 201;
inline constexpr int invalid_handle = 400;
inline constexpr int not_found = 500;
inline constexpr int not_ready = 600;
inline constexpr int capture_unsupported = 900;
inline constexpr int capture_invalidated = 901;
}  // namespace status

/// Returns whether a failure follows from the loss of a context: the calls that make its streams
/// and events have failed too, so that later calls receive no handles.
[[nodiscard]] inline bool follows_lost_context(int status) noexcept {
  return status == status::invalid_handle || status == status::invalid_context ||
         status == 709;  // the context is destroyed
}

/// Returns what a failed call with that status means. `of_library`: a vendor's library made the
/// call; it may try what a device supports, and reports a failure that matters by a status of its
/// own.
[[nodiscard]] inline CallWeight weight_of(Call call, int status, bool of_library) noexcept {
  switch (status) {
    case 0:
    case status::shutting_down:  // calls of destructors at exit
    case 704:                    // peer access is already enabled: PyTorch, XLA and NCCL try
      return CallWeight::quiet;
    case status::not_ready:  // a query's answer; for a time between events it is a mistake
      return call == Call::elapsed_time ? CallWeight::note : CallWeight::quiet;
    case status::out_of_memory:  // caching allocators free their blocks and try again
    case status::no_device:      // programs have another way, or say so themselves
    case 35:                     // the driver is older than the runtime
    case 705:                    // peer access is not enabled
    case 712:                    // the host memory is already registered
    case 713:                    // the host memory is not registered
    case 800:                    // not permitted, such as a handle for other machines
    case 801:                    // not supported by this device or driver
    case 910:                    // a graph cannot be updated: programs instantiate it anew
      return CallWeight::note;
    case status::not_found:                      // a variable that only some modules have
      if (of_library) return CallWeight::quiet;  // rocBLAS asks several modules for a kernel
      return call == Call::find_variable ? CallWeight::note : CallWeight::error;
    default:
      return of_library ? CallWeight::note : CallWeight::error;
  }
}

}  // namespace warpsafe::watch
