// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Each allocation of host memory, thread, file operation and call of a library's handle that the
// programs make fails once; every 7th, unless FAILURES_EVERY is set. What the runtime
// does for itself does not fail.

#include "../../failures/injector.hpp"
#include "programs.hpp"

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <span>
#include <string>

namespace vendor_test {
namespace {

using failures::Kind;

/// How often each kind failed, in all programs.
using Counts = std::map<Kind, std::uint64_t>;

class EverySystemFailure : public FailureTest {
 protected:
  EverySystemFailure() {
#if defined(WARPSAFE_BACKEND_CUDA)
    failures::leave_out({"libcudart"});
#else
    failures::leave_out({"libamdhip64", "libhsa-runtime64", "libamd_comgr"},
                        [] { return amd_control_is_inside() != 0; });
#endif
  }

  static void fail_each(std::span<const Program> these, Counts& counts) {
    for (const Program& program : these) {
      expect_right(program, "what is made once in a process");
      for (const Kind kind : failures::kinds) {
        begin();
        failures::arm(kind, 0);
        const auto done = program.run();
        const std::uint64_t times = failures::disarm();
        ASSERT_TRUE(done.has_value() && done.value()) << program.name;
        for (std::uint64_t nth = 1; nth <= times; nth += step()) {
          counts[kind] += fail_once(program, kind, nth) ? 1 : 0;
          if (HasFailure()) return;
        }
      }
    }
  }

  static std::uint64_t step() { return std::getenv("FAILURES_EVERY") == nullptr ? 7 : 1; }

 private:
  /// Returns false if there was no such occurrence: a run can have fewer than the one that counted.
  static bool fail_once(const Program& program, Kind kind, std::uint64_t nth) {
    const std::string what =
        std::string(program.name) + ", " + failures::name_of(kind) + " " + std::to_string(nth);
    begin();
    const std::uint64_t before = live_objects();
    std::string threw;
    failures::arm(kind, nth);
    // The program's result is an error, or is right: what failed was not needed.
    const bool wrong = [&] {
      try {
        const auto done = program.run();
        failures::disarm();
        return done.has_value() && !done.value();
      } catch (const std::exception& exception) {
        failures::disarm();
        threw = exception.what();
        return !program.may_throw || kind != Kind::memory;
      }
    }();
    EXPECT_FALSE(wrong) << what << ' ' << threw;
    const bool failed = failures::failed_function() != nullptr;
    if (!failures::failed_in_release()) {
      EXPECT_EQ(live_objects(), before) << what;
    }
    if (failed && HasFailure()) failures::print_failed_stack();
    begin();
    expect_right(program, "after " + what);
    return failed;
  }
};

TEST_F(EverySystemFailure, IsAnErrorOrHarmlessAndLeavesNothingBehind) {
  Counts counts;
  fail_each(programs(), counts);
  // Too few would test too little.
  EXPECT_GT(counts[Kind::memory], 250U / step());
  EXPECT_GT(counts[Kind::file], 80U / step());
  EXPECT_GT(counts[Kind::library], 7U / step());
  for (const auto& [kind, times] : counts) {
    RecordProperty(std::string("failed_") + failures::name_of(kind), std::to_string(times));
  }
}

}  // namespace
}  // namespace vendor_test
