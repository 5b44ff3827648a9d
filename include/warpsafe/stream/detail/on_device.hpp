// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/detail/runtime_call.hpp>
#include <warpsafe/core/config.hpp>
#include <warpsafe/stream/stream_ref.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

/// Runs `body()`, which returns a runtime's status, with `device` current.
template <class B, CheckLevel Level, class Body>
[[nodiscard]] int on_device(int device, const Body& body) noexcept {
  int before = 0;
  int status = call<B, Level, &B::current_device>(before);
  if (status != 0 || before == device) return status != 0 ? status : body();
  status = call<B, Level, &B::set_device>(device);
  if (status != 0) return status;
  status = body();
  const int restored = call<B, Level, &B::set_device>(before);
  return status != 0 ? status : restored;
}

/// Runs `body()`, which passes the stream to the runtime. The handle of a default stream means the
/// current device's, so its device is made current.
template <class B, CheckLevel Level, class Body>
[[nodiscard]] int on_device_of(const basic_stream_ref<B>& stream, const Body& body) noexcept {
  if (!StreamNumber::is_default(stream.native())) [[likely]]
    return body();
  return on_device<B, Level>(stream.device().value(), body);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
