// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#include "core/report/journal_stream.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

namespace {

using warpsafe::LaunchRecord;
using warpsafe::watch::JournalStream;
using Clock = std::chrono::steady_clock;

/// A journal whose reader is slow.
class JournalOfAPipe : public testing::Test {
 protected:
  JournalOfAPipe() {
    EXPECT_EQ(::pipe(ends_), 0);
    EXPECT_EQ(journal_.open(("/dev/fd/" + std::to_string(ends_[1])).c_str(), {}), 0);
    first_ = read(1 << 16);
    // Leaves no room for a page.
    const std::string filling((1 << 16) - 100, '\n');
    EXPECT_EQ(::write(ends_[1], filling.data(), filling.size()),
              static_cast<ssize_t>(filling.size()));
  }
  ~JournalOfAPipe() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  /// Returns what the pipe has, up to that many bytes.
  [[nodiscard]] std::string read(std::size_t most) const {
    std::string text(most, ' ');
    const ssize_t size = ::read(ends_[0], text.data(), most);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }
  void launch(const char* kernel) {
    LaunchRecord record{};
    record.kernel = {kernel, std::char_traits<char>::length(kernel)};
    journal_.observer().launched(&journal_, record, 1, 2);
  }
  int ends_[2] = {-1, -1};
  std::string first_;
  JournalStream journal_;
};

TEST_F(JournalOfAPipe, AnEndWaitsForTheLineOfAnotherThread) {
  std::atomic<bool> written{false};
  std::thread writer([&] {
    launch("whole");
    written = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(written);
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    first_ += read(1 << 16);
  });
  const auto begun = Clock::now();
  journal_.end(::pthread_self());
  EXPECT_GT(Clock::now() - begun, std::chrono::milliseconds(50));
  reader.join();
  writer.join();
  launch("late");
  first_ += "|" + read(1 << 16);
  EXPECT_NE(first_.find("\"whole\""), std::string::npos);
  EXPECT_EQ(first_.find("\"late\""), std::string::npos);
  EXPECT_EQ(first_.back(), '\n');
  EXPECT_EQ(journal_.failed(), 0);
}

TEST_F(JournalOfAPipe, AnEndDoesNotWaitForTheThreadThatItHasInterrupted) {
  std::thread writer([&] { launch("waits"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto begun = Clock::now();
  journal_.end(writer.native_handle());
  EXPECT_LT(Clock::now() - begun, std::chrono::milliseconds(400));
  static_cast<void>(read(1 << 16));
  writer.join();
}

}  // namespace
