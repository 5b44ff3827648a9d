// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe {

/// The ordinal of a device in this process. A distinct type, so that no other number converts to
/// it.
class DeviceId {
 public:
  constexpr DeviceId() noexcept = default;
  constexpr explicit DeviceId(int ordinal) noexcept : ordinal_(ordinal) {}
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
