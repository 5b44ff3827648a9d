// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../../common/guarded_file.hpp"
#include <warpsafe/debug/log.hpp>

#include <unistd.h>

#include <cstddef>
#include <string_view>

namespace warpsafe::watch {

/// Standard error as it was when the watch began. If the program puts another file in its place,
/// the watch prints nothing more, because that file may be the program's data.
class StandardError {
 public:
  /// Sends the log and the watch's own messages there.
  static void begin() noexcept {
    file_.use(STDERR_FILENO);
    debug::set_log_sink(&sink_);
  }
  static void line(std::string_view text) noexcept { static_cast<void>(file_.line(text)); }

 private:
  static inline GuardedFile file_;
  static constexpr debug::LogSink sink_{
      [](void*, debug::LogLevel, const char* text, std::size_t size) noexcept {
        line({text, size});
      },
      nullptr};
};

}  // namespace warpsafe::watch
