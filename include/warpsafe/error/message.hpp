// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/error/exception.hpp>
#include <warpsafe/error/format.hpp>
#include <warpsafe/error/result.hpp>

#include <ostream>
#include <string>
#include <system_error>

namespace warpsafe {

/// The text of an error: what happened, the numbers, the limit, the way out. One to four lines.
[[nodiscard]] inline std::string message(const LaunchError& error) {
  std::string text(256, '\0');
  std::size_t size = format_error(error, text.data(), text.size());
  while (size + 1 >= text.size()) {  // cut: a long kernel name
    text.resize(2 * text.size());
    size = format_error(error, text.data(), text.size());
  }
  text.resize(size);
  return text;
}

inline std::ostream& operator<<(std::ostream& out, const LaunchError& error) {
  return out << message(error);
}

/// The short text of a code, without a launch's numbers.
[[nodiscard]] constexpr const char* describe(Errc code) noexcept {
  switch (code) {
    case Errc::size_zero:
      return "the size to cover is zero";
    case Errc::size_negative:
      return "the size to cover is negative";
    case Errc::size_overflow:
      return "the product of the extents does not fit in 64 bits";
    case Errc::bytes_overflow:
      return "the size in bytes does not fit in 64 bits";
    case Errc::size_mismatch:
      return "two sizes that must be equal are not";
    case Errc::size_not_multiple:
      return "the size is not a multiple of the block";
    case Errc::grid_zero:
      return "a grid axis is zero";
    case Errc::grid_too_large:
      return "a grid axis is over its limit";
    case Errc::block_zero:
      return "a block axis is zero";
    case Errc::block_axis_too_large:
      return "a block axis is over its limit";
    case Errc::block_too_large:
      return "too many threads per block";
    case Errc::dimension_negative:
      return "a dimension is negative";
    case Errc::axis_threads_too_many:
      return "2^32 or more threads along one axis";
    case Errc::index_overflow:
      return "more threads than the kernel's index type counts";
    case Errc::kernel_threads_exceeded:
      return "more threads per block than this kernel allows";
    case Errc::block_not_multiple:
      return "the block is not a multiple of what the kernel requires";
    case Errc::warp_size_mismatch:
      return "the device's warp size is not what the kernel requires";
    case Errc::not_a_kernel:
      return "the function is not a kernel that the runtime knows";
    case Errc::no_kernel_image:
      return "no code for this device";
    case Errc::shared_negative:
      return "a negative amount of shared memory";
    case Errc::shared_overflow:
      return "the amount of shared memory does not fit in 64 bits";
    case Errc::shared_too_large:
      return "too much shared memory";
    case Errc::shared_not_opted_in:
      return "the kernel's attribute does not allow this much dynamic shared memory";
    case Errc::shared_missing:
      return "the kernel needs dynamic shared memory and is given too little";
    case Errc::cluster_not_divisor:
      return "the cluster does not divide the grid";
    case Errc::cluster_too_large:
      return "too many blocks in a cluster";
    case Errc::cluster_unsupported:
      return "the device has no clusters";
    case Errc::cooperative_unsupported:
      return "the device has no cooperative launch";
    case Errc::cooperative_too_large:
      return "the cooperative grid cannot be resident at once";
    case Errc::argument_negative:
      return "a negative argument for an unsigned parameter";
    case Errc::argument_host_pointer:
      return "a host pointer was given to a kernel";
    case Errc::argument_misaligned:
      return "a pointer is less aligned than its type";
    case Errc::stream_wrong_device:
      return "the stream belongs to another device";
    case Errc::stream_null:
      return "the default stream where a stream is needed";
    case Errc::stream_capturing:
      return "the stream is capturing";
    case Errc::device_invalid:
      return "no such device";
    case Errc::no_device:
      return "no device";
    case Errc::module_unreadable:
      return "the file of a module cannot be read";
    case Errc::module_invalid:
      return "the runtime cannot load the module";
    case Errc::module_wrong_device:
      return "the module was loaded on another device";
    case Errc::kernel_not_found:
      return "the module holds no kernel of that name";
    case Errc::signature_mismatch:
      return "the kernel's parameters are not those of the declared signature";
    case Errc::capture_broken:
      return "the capture was broken";
    case Errc::capture_unjoined:
      return "a stream of the capture was not joined";
    case Errc::capture_merged:
      return "two captures would become one";
    case Errc::capture_isolation:
      return "a captured stream would wait for work outside its capture";
    case Errc::captured_event:
      return "the event belongs to a capture";
    case Errc::capture_unmatched:
      return "the stream did not begin a capture";
    case Errc::capture_wrong_thread:
      return "the capture was begun by another thread";
    case Errc::graph_update_refused:
      return "the executable graph cannot be updated with this graph";
    case Errc::graph_memory_freed:
      return "memory that the graph uses was freed";
    case Errc::handle_stream_changed:
      return "a library handle was set to another stream";
    case Errc::handle_busy:
      return "two threads use one library handle at once";
    case Errc::handle_pointer_mode:
      return "a library handle's pointer mode does not fit the scalars";
    case Errc::handle_moved:
      return "a library handle that was moved away";
    case Errc::handle_partly_bound:
      return "a library handle is not on its stream with every handle inside it";
    case Errc::reference_differs:
      return "the kernel's results are not those of its reference";
    case Errc::pending_taken:
      return "the value of a Pending was taken before";
    case Errc::library_failed:
      return "a library's function failed";
    case Errc::launch_refused:
      return "the runtime refused the launch";
    case Errc::execution_failed:
      return "work on the device failed";
    case Errc::device_check_failed:
      return "a check in a kernel failed";
    case Errc::pending_error:
      return "an error was pending before the call";
    case Errc::wait_timed_out:
      return "a wait lasted too long and was given up";
    case Errc::out_of_memory:
      return "out of memory";
    case Errc::unsupported:
      return "not supported";
    case Errc::runtime_failed:
      return "a call of the runtime failed";
    case Errc::barrier_divergence:
      return "a barrier was not reached by every thread of its block";
  }
  return "unknown error";
}

/// The std::error_code bridge: category "warpsafe", values those of Errc.
[[nodiscard]] inline const std::error_category& launch_category() noexcept {
  class Category final : public std::error_category {
    const char* name() const noexcept override { return "warpsafe"; }
    std::string message(int value) const override { return describe(static_cast<Errc>(value)); }
  };
  static const Category category;
  return category;
}
[[nodiscard]] inline std::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), launch_category()};
}
[[nodiscard]] inline std::error_code make_error_code(const LaunchError& error) noexcept {
  return make_error_code(error.code);
}

}  // namespace warpsafe

template <>
struct std::is_error_code_enum<warpsafe::Errc> : std::true_type {};
