// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Each call of the runtime that the programs make fails once, at each of its occurrences.

#include "programs.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <span>
#include <string>

namespace vendor_test {
namespace {

namespace ws = warpsafe;

[[nodiscard]] bool is_one_of(const std::string& function, std::span<const char* const> parts) {
  for (const char* const part : parts) {
    if (function.find(part) != std::string::npos) return true;
  }
  return false;
}
/// A call that releases. Its object may stay: a destructor drops the status, memory that the device
/// may still use is never freed, a module whose kernels may still run stays loaded, and the current
/// device is asked before a free.
constexpr const char* releases[] = {"Free",
                                    "Destroy",
                                    "Unload",
                                    "GetDevice",
                                    "EventSynchronize",
                                    "DeviceSynchronize",
                                    "StreamEndCapture"};
/// A wait for a stream, or a question in its place, if a timeout watches the wait. Memory may stay
/// behind it, and only with a line that says so.
constexpr const char* waits[] = {"StreamSynchronize", "StreamQuery"};
/// The question in place of a wait for an event. A free without memory pools waits for one.
constexpr const char* event_question = "EventQuery";
/// A call of a free on HIP, where the device has no memory pools (before release 6): it makes the
/// memory's device current.
constexpr const char* before_a_free[] = {"SetDevice"};
/// Questions whose answer makes an error or a report better, and the mode of captures. The call
/// that needs the answer fails itself if there is something wrong.
constexpr const char* questions[] = {"IsCapturing", "GetCaptureInfo", "StreamCaptureMode",
                                     "GraphGetNodes"};

/// What is written to standard error meanwhile. A death test's child has GoogleTest's own capture.
class Printed {
 public:
  Printed() { ::dup2(file_, STDERR_FILENO); }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;
  ~Printed() {
    end();
    ::close(file_);
    ::close(before_);
  }
  [[nodiscard]] std::string text() {
    end();
    std::string text(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), ' ');
    EXPECT_EQ(::pread(file_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  void end() {
    std::fflush(stderr);
    ::dup2(before_, STDERR_FILENO);
  }
  int before_ = ::dup(STDERR_FILENO);
  int file_ = ::memfd_create("printed", MFD_CLOEXEC);
};

class EveryCall : public FailureTest {
 protected:
  [[nodiscard]] static bool is_release(const std::string& function) {
    return is_one_of(function, releases) || (!is_cuda && is_one_of(function, before_a_free));
  }
  /// Makes each call of these programs fail. Returns how many functions they call.
  static std::size_t fail_each(std::span<const Program> these) {
    std::set<std::string> all;
    std::set<std::string> harmless;
    for (const Program& program : these) {
      expect_right(program, "what is asked once");
      begin();
      expect_right(program, "to count");
      std::map<std::string, unsigned> counts;
      for (const auto& call : recorded_calls()) ++counts[call.function];
      for (const auto& [full_name, times] : counts) {
        if (full_name.rfind(prefix, 0) != 0) continue;
        const std::string function = full_name.substr(prefix.size());
        all.insert(function);
        for (unsigned n = 1; n <= times; ++n) {
          const std::string what =
              std::string(program.name) + ", " + function + " " + std::to_string(n);
          begin();
          const std::uint64_t before = live_objects();
          fail(function, n, code::out_of_memory);
          Printed standard_error;
          const auto done = program.run();
          const std::string printed = standard_error.text();
          const bool waiting = is_one_of(function, waits);
          if (done.has_value()) {
            EXPECT_TRUE(done.value()) << what;
            // The last may be a destructor's.
            const bool may = waiting || is_release(function) || is_one_of(function, questions);
            if (!may && !program.logs && n != times) harmless.insert(what);
          } else {
            EXPECT_EQ(done.error().raw, code::out_of_memory)
                << what << ": " << ws::message(done.error());
          }
          const bool stays = (waiting || function == event_question) &&
                             printed.find("are never freed") != std::string::npos;
          if (!is_release(function) && !stays) {
            EXPECT_EQ(live_objects(), before) << what << '\n' << printed;
          }
          begin();
          expect_right(program, "after " + what);
        }
      }
    }
    begin();
    EXPECT_THAT(harmless, testing::IsEmpty());
    return all.size();
  }
};
using EveryCallDeathTest = EveryCall;

// In a process of its own: after some failures a stream of device 1 stays, and without a chosen
// device a later test would get no stream.
TEST_F(EveryCallDeathTest, OfACallOnTwoDevicesIsAnErrorOrHarmless) {
  EXPECT_EXIT(
      {
        static_cast<void>(fail_each(programs_on_two_devices()));
        end_child();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(EveryCall, OfACallIsAnErrorOrHarmlessAndLeavesNothingBehind) {
  EXPECT_GT(fail_each(programs()), 20U);
}

}  // namespace
}  // namespace vendor_test
