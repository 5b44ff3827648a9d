// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe {

/// The ordinal of a device in this process. A distinct type, so that no other number converts to
/// it.
class DeviceId {
 public:
  constexpr DeviceId() noexcept = default;
  /// A number outside of int becomes -1, which is no device: it must not become another ordinal.
  constexpr explicit DeviceId(long long number) noexcept
      : ordinal_(number == static_cast<int>(number) ? static_cast<int>(number) : -1) {}
  [[nodiscard, gnu::always_inline]] constexpr int value() const noexcept { return ordinal_; }
  friend constexpr bool operator==(DeviceId, DeviceId) noexcept = default;
  /// Prints the ordinal.
  template <class Stream>
  requires requires { typename Stream::char_type; }
  friend Stream& operator<<(Stream& out, DeviceId device) {
    out << device.ordinal_;
    return out;
  }

 private:
  int ordinal_ = 0;
};

}  // namespace warpsafe
