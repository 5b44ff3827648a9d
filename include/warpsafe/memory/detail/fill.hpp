// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/core/detail/observing.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/memory/detail/buffer_use.hpp>
#include <warpsafe/memory/detail/device_memory.hpp>
#include <warpsafe/stream/detail/beside_captures.hpp>
#include <warpsafe/stream/detail/on_device.hpp>
#include <warpsafe/stream/detail/waiting.hpp>
#include <warpsafe/stream/stream_ref.hpp>

#include <cstddef>

// Fills of a buffer with a byte.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

[[WARPSAFE_DETAIL_RARE]] inline LaunchError far_fill_error(Name operation, int device,
                                                           int memory_device, const void* stream,
                                                           const call_site& site) noexcept {
  LaunchError error;
  static_cast<void>(refuse_access(error, device, memory_device, 0));
  error.operation = operation;
  error.site = site;
  error.stream = stream;
  return error;
}
inline constexpr Name fill_name = Name::of("fill device memory");
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> fill_error(int status,
                                                                call_site site) noexcept {
  return runtime_error<B>(status, fill_name, site);
}
/// All of fill_memory.
template <CheckLevel Level, class B>
[[nodiscard, gnu::cold, gnu::noinline]] result<void> fill_in_full(DeviceMemory<B>* memory,
                                                                  std::size_t bytes,
                                                                  std::byte value,
                                                                  basic_stream_ref<B> stream,
                                                                  call_site site) noexcept {
  constexpr Name operation = fill_name;
  if (memory == nullptr) [[unlikely]]
    return closed_error(operation, site);
  const result<void> there = check_stream<Level>(operation, stream, site);
  if (!there.has_value()) return there;
  if (bytes == 0) return success();
  const int device = stream.device().value();
  void* const start = memory->data();
  if constexpr (Level == CheckLevel::full) {
    // CUDA refuses this fill as an "invalid argument"; AMD's runtime fills by a kernel.
    const int of = memory->of_device;
    if (of <= memory_was_freed) return closed_error(operation, site, of);
    if (of != device && !can_access<B>(device, start, of, memory)) {
      return far_fill_error(operation, device, of, stream.native(), site);
    }
  }
  const CallScope<B> here(site);
  tell_submission<Level>(stream, operation, site, start, bytes);
  const int status = submit_on_device(device, stream, [&]() noexcept {
    return B::fill(start, static_cast<unsigned char>(value), bytes, stream.native());
  });
  if (status != 0) return fill_error<B>(status, site);
  return record_uses(stream, site, static_cast<MemoryOwner*>(memory));
}
/// A fill that needs nothing but the runtime's call. The call leaves no other code in the
/// processor's caches, so each line of this costs.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline result<void> fill_inline(DeviceMemory<B>* memory,
                                                                  std::size_t bytes,
                                                                  std::byte value,
                                                                  const basic_stream_ref<B>& stream,
                                                                  const call_site& site) noexcept {
  const int device = stream.device().value();
  if (memory == nullptr || !is_plain_call<Level>(stream) || bytes == 0 ||
      !memory->is_given(stream) || !is_only_device<B>(device) ||
      (Level == CheckLevel::full && memory->of_device != device))
    return fill_in_full<Level>(memory, bytes, value, stream, site);
  const CallScope<B> here(site);
  const int status =
      B::fill(memory->data(), static_cast<unsigned char>(value), bytes, stream.native());
  if (status != 0) return fill_error<B>(status, site);
  return success();
}
template <CheckLevel Level, class B>
[[nodiscard, gnu::noinline]] result<void> fill_out_of_line(DeviceMemory<B>* memory,
                                                           std::size_t bytes, std::byte value,
                                                           const basic_stream_ref<B>& stream,
                                                           const call_site& site) noexcept {
  return fill_inline<Level>(memory, bytes, value, stream, site);
}
/// Fills the first `bytes` bytes of a buffer, and records the use. `memory` is nullptr for a buffer
/// that was closed or moved from. Checked builds: Errc::memory_wrong_device. Errc::memory_closed,
/// ::stream_null, ::runtime_failed.
template <CheckLevel Level, class B>
[[nodiscard, gnu::always_inline]] inline result<void> fill_memory(DeviceMemory<B>* memory,
                                                                  std::size_t bytes,
                                                                  std::byte value,
                                                                  basic_stream_ref<B> stream,
                                                                  call_site site) noexcept {
  // With checks off, a function would cost more than what it does.
  if constexpr (Level == CheckLevel::off) {
    return fill_inline<Level>(memory, bytes, value, stream, site);
  } else {
    return fill_out_of_line<Level>(memory, bytes, value, stream, site);
  }
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
