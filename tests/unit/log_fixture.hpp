// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/log.hpp>
#include <warpsafe/debug/start.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace warpsafe::core_test {

/// Takes what is written to the log while it lives. A base class of fixtures.
class LogSinkTest {
 protected:
  struct Message {
    debug::LogLevel level;
    std::string text;
  };

  LogSinkTest() { debug::set_log_sink(&sink_); }
  ~LogSinkTest() {
    debug::set_log_level(debug::LogLevel::off);
    debug::set_log_sink(nullptr);
  }
  LogSinkTest(const LogSinkTest&) = delete;
  LogSinkTest& operator=(const LogSinkTest&) = delete;

  [[nodiscard]] std::vector<std::string> all_texts() const {
    std::vector<std::string> found;
    for (const Message& one : messages) found.push_back(one.text);
    return found;
  }
  /// The texts of one level.
  [[nodiscard]] std::vector<std::string> of(debug::LogLevel level) const {
    std::vector<std::string> found;
    for (const Message& one : messages) {
      if (one.level == level) found.push_back(one.text);
    }
    return found;
  }

  std::vector<Message> messages;

 private:
  static void take(void* user, debug::LogLevel level, const char* text, std::size_t size) noexcept {
    auto* const test = static_cast<LogSinkTest*>(user);
    const std::lock_guard lock(test->mutex_);
    EXPECT_EQ(text[size], '\0');
    test->messages.push_back({level, {text, size}});
  }
  debug::LogSink sink_{&take, this};
  std::mutex mutex_;
};

}  // namespace warpsafe::core_test
