// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/call_scope.hpp>
#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/memory/detail/copy_operand.hpp>
#include <warpsafe/memory/memory_hold.hpp>
#include <warpsafe/memory/pending.hpp>
#include <warpsafe/stream/detail/waiting.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::detail {

/// The elements on the host. A std::vector<bool> holds bits, which no copy can fill.
template <class T>
using HostElements = std::vector<std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>>;

/// Returns false if the host has no memory for `size` elements.
template <class T>
[[nodiscard]] bool resize(std::vector<T>& target, std::size_t size) noexcept {
#if defined(__cpp_exceptions)
  try {
    target.resize(size);
  } catch (...) {
    return false;
  }
#else
  target.resize(size);
#endif
  return true;
}

/// Copies between device memory and `value` on the host, which the token owns. `host` describes the
/// current rows of `value`; moving `value` must not move its elements.
template <CheckLevel Level, class B, class T>
[[nodiscard]] basic_pending<B, T> copy_pending(basic_stream_ref<B> stream, CopyRows host, T value,
                                               CopyRows device, DeviceMemory<B>* owner,
                                               bool to_host, call_site site) noexcept {
  const Name operation = Name::of(to_host ? "copy to host" : "copy to device");
  const CopyRows& to = to_host ? host : device;
  const CopyRows& from = to_host ? device : host;
  result<void> possible = check_same_size(to, from, site);
  if (possible.has_value()) possible = check_not_capturing<Level>(stream, operation, site);
  if (!possible.has_value()) {
    return PendingAccess::failed<B, T>(stream, possible.assume_error());
  }
  const CallScope<B> here(site);
  const int status = submit_copy<Level>(
      to, from, to_host ? CopyKind::device_to_host : CopyKind::host_to_device, stream);
  if (status != 0) {
    return PendingAccess::failed<B, T>(stream, runtime_error<B>(status, operation, site));
  }
  result<void> noted = record_use<Level>(owner, stream, site);
  if (noted.has_value())
    noted = record_uses(stream, site.file, site.function, site.line, device.owner);
  auto token =
      PendingAccess::make<Level>(stream, std::move(value), basic_memory_hold<B>(owner), site);
  if (noted.has_value()) return token;
  return PendingAccess::failed<B, T>(stream, noted.assume_error());
}

/// Copies the elements to a std::vector.
template <CheckLevel Level, class B, class T>
[[nodiscard]] basic_pending<B, HostElements<T>> read_back(basic_stream_ref<B> stream,
                                                          const CopyRows& device,
                                                          DeviceMemory<B>* owner,
                                                          call_site site) noexcept {
  HostElements<T> target;
  if (!resize(target, device.size)) {
    return PendingAccess::failed<B, HostElements<T>>(
        stream, LaunchError::make(Errc::out_of_memory, Stage::runtime_call, device.size * sizeof(T),
                                  0, Axis::none, site));
  }
  const int on = stream.device().value();
  if (const int status = wait_ahead<B, Level>(stream.native(), on, site)) {
    return PendingAccess::failed<B, HostElements<T>>(
        stream, runtime_error<B>(status, Name::of("copy to host"), site, Stage::completion, on));
  }
  const CopyRows host = CopyRows::flat(target.data(), target.size(), -1);
  return copy_pending<Level>(stream, host, std::move(target), device, owner, true, site);
}

}  // namespace warpsafe::detail
