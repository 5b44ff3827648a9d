// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "library_arguments.hpp"
#include "library_failure.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsafe::watch {

namespace detail {

/// Ends a remedy with the way to the library's own reasons.
[[nodiscard]] inline std::string with_reasons(std::string text, const LibraryFailure& of) {
  if (of.family->reasons.empty()) return text;
  return text + (text.empty() ? "" : "; ") + "set " + std::string(of.family->reasons) +
         " to get the library's own reason";
}
[[nodiscard]] inline std::string remedy_for_library_handle(const LibraryFailure& of,
                                                           const LibraryArguments& is) {
  const auto has = [&](const char* word) { return of.symbol.find(word) != std::string::npos; };
  using Handle = LibraryArguments::Handle;
  const bool is_null =
      is.handle == Handle::null || (is.handle == Handle::unknown && of.words[0] == 0);
  // These have the address of a handle or a plan, if any.
  const bool makes = has("Create") || has("Init") || of.family->create.empty();
  if (is.handle == Handle::none || (makes && !is_null)) {
    return "the library could not use the device: failed calls of the runtime before this one say "
           "why; otherwise look at nvidia-smi";
  }
  if (makes) return "the address for the result is a null pointer";
  const std::string make = ": make it with " + std::string(of.family->create);
  if (is_null) {
    return "the handle is a null pointer" + make + ", and check that call's status";
  }
  return "the library does not know the handle" + make + ", and use it before it is destroyed";
}
[[nodiscard]] inline std::string remedy_for_library_value(const LibraryFailure& of,
                                                          const LibraryArguments& is) {
  const std::string_view code = of.status->name;
  if (code == "CURAND_STATUS_LENGTH_NOT_MULTIPLE") {
    return "the number of values must be a multiple of the generator's dimensions, and even for "
           "normal and log-normal values of a pseudorandom generator";
  }
  if (code == "CURAND_STATUS_TYPE_ERROR") {
    return "the function does not fit the generator's type: look at the type that was passed to "
           "curandCreateGenerator";
  }
  if (code == "CUFFT_UNALIGNED_DATA") return "align the data to the size of its complex type";
  if (code == "CUFFT_NO_WORKSPACE") {
    return "the plan has no work area: call cufftSetWorkArea before the transform";
  }
  if (code == "ncclInvalidUsage") {
    return with_reasons("the calls of the ranks do not fit, or the communicator is used wrongly",
                        of);
  }
  if (!is.broken.empty()) return is.broken;
  if (is.handle == LibraryArguments::Handle::unknown && of.words[0] == 0) {
    return with_reasons("the first argument is 0", of);
  }
  return with_reasons(of.family->reasons.empty() ? "look at the conditions of this status in the "
                                                   "library's documentation of the function"
                                                 : "",
                      of);
}

}  // namespace detail

/// Returns what to do about a library's failed call, or "". `free_bytes` and `total_bytes` are the
/// device's memory; a total of 0: unknown. May throw std::bad_alloc.
[[nodiscard]] inline std::string remedy_for(const LibraryFailure& of, const LibraryArguments& is,
                                            std::size_t free_bytes, std::size_t total_bytes) {
  switch (of.status->trouble) {
    case LibraryTrouble::handle:
      return detail::remedy_for_library_handle(of, is);
    case LibraryTrouble::memory:
      return total_bytes == 0
                 ? "free memory of the device first"
                 : std::to_string(free_bytes) + " of the device's " + std::to_string(total_bytes) +
                       " bytes are free: free memory first, or make a memory pool give memory back";
    case LibraryTrouble::value:
      return detail::remedy_for_library_value(of, is);
    case LibraryTrouble::plan:
      return "the plan was not made, was destroyed, or is for another type of transform: check the "
             "status of the call that makes it";
    case LibraryTrouble::device:
      return "the device lacks what the call needs: look at its compute capability";
    case LibraryTrouble::unsupported:
      return detail::with_reasons("", of);
    case LibraryTrouble::execution:
      if (of.family->functions == "nccl") {
        return detail::with_reasons("a call of the runtime failed inside of NCCL", of);
      }
      return detail::with_reasons(
          "work on the device failed, perhaps that of an earlier call: run warpsafe-run --rerun to "
          "get the launch",
          of);
    case LibraryTrouble::numbers:
      return "the data has no such result; test it, or choose another method";
    case LibraryTrouble::peer:
      return "another process has failed or ended: look at its output first";
    case LibraryTrouble::internal:
      return is.broken.empty() ? detail::with_reasons("", of) : is.broken;
    case LibraryTrouble::answer:
      break;
  }
  return {};
}

}  // namespace warpsafe::watch
