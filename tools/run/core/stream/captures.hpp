// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe::watch {

/// Knows which streams are capturing. Queries the runtime only while a capture is open.
/// Thread-safe.
class Captures {
 public:
  /// `ask` returns whether the runtime reports that a stream is capturing (named as in the journal,
  /// not the legacy stream).
  explicit Captures(bool (*ask)(const void* stream) noexcept) : ask_(ask) {}
  void begun() noexcept { __atomic_add_fetch(&open_, 1, __ATOMIC_RELAXED); }
  void ended() noexcept {
    if (__atomic_load_n(&open_, __ATOMIC_RELAXED) > 0) {
      __atomic_sub_fetch(&open_, 1, __ATOMIC_RELAXED);
    }
  }
  [[nodiscard]] bool any() const noexcept { return __atomic_load_n(&open_, __ATOMIC_RELAXED) != 0; }
  /// `stream` is named as in the journal; the legacy stream (nullptr) cannot be captured.
  [[nodiscard]] bool is_capturing(const void* stream) const noexcept {
    return any() && stream != nullptr && ask_(stream);
  }

 private:
  bool (*ask_)(const void* stream) noexcept;
  int open_ = 0;
};

}  // namespace warpsafe::watch
