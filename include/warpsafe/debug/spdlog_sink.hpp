// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/switches.hpp>

// spdlog includes fmt, some releases of which do not compile under nvcc, and needs exceptions.
#if __has_include(<spdlog/spdlog.h>) && !defined(__CUDACC__) && defined(__cpp_exceptions)
#include <spdlog/spdlog.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// While it lives, the log goes to a logger of spdlog, each message at its own level. The logger's
/// level filters in addition to WARPSAFE_LOG. Declared only where spdlog's header is installed.
/// @pre no thread launches during construction and destruction
class SpdlogSink {
 public:
  explicit SpdlogSink(std::shared_ptr<spdlog::logger> logger) noexcept
      : logger_(std::move(logger)) {
    set_log_sink(&sink_);
  }
  SpdlogSink(const SpdlogSink&) = delete;
  SpdlogSink& operator=(const SpdlogSink&) = delete;
  ~SpdlogSink() { set_log_sink(nullptr); }

 private:
  [[nodiscard]] static spdlog::level::level_enum level_of(LogLevel level) noexcept {
    switch (level) {
      case LogLevel::error:
        return spdlog::level::err;
      case LogLevel::warn:
        return spdlog::level::warn;
      case LogLevel::debug:
        return spdlog::level::debug;
      case LogLevel::trace:
        return spdlog::level::trace;
      case LogLevel::off:
        break;
    }
    return spdlog::level::off;
  }
  // spdlog passes its own failures to its own error handler.
  static void write(void* user, LogLevel level, const char* text, std::size_t size) noexcept {
    static_cast<SpdlogSink*>(user)->logger_->log(level_of(level),
                                                 spdlog::string_view_t(text, size));
  }

  std::shared_ptr<spdlog::logger> logger_;
  LogSink sink_{&write, this};
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
#endif
