// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../../unit/fixtures/core_test.hpp"
#include "kernels.hpp"
#include "machine.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

// Shared by the run-time rows. Each file of this folder is compiled for the host backend and for
// the runtimes of the two vendors, with all checks and with none: six programs, in which a row is a
// suite. A test also writes its result to its XML or JSON report, from which
// docs/reference/misuse.md is made:
//   moment     when the mistake was found: "construction", "launch", "completion", "call" (of a
//              library), "runtime" (the vendor's runtime refused it, warpsafe reported it),
//              "reported" (the same, in a row about what the error says),
//              "impossible" (the library does the right thing by itself), "let through"
//   says       the first line that the user reads
//   open       "yes" if another mistake of the same test was let through

namespace misuse_test {

namespace ws = warpsafe;
using ws::Axis;
using ws::Errc;
using ws::LaunchConfig;
using ws::Stage;
using ws::core_test::error_in;
using ws::core_test::Finding;
using ws::core_test::finding;

inline constexpr Vendor3 one_block{1, 1, 1};

constexpr auto as_written(Vendor3 blocks, Vendor3 threads) {
  return LaunchConfig{ws::GridDim::from_vendor(blocks), ws::BlockDim::from_vendor(threads)};
}
constexpr Finding made(Errc code, std::uint64_t value, std::uint64_t limit,
                       Axis axis = Axis::none) {
  return {code, Stage::construction, value, limit, axis};
}
constexpr Finding at_launch(Errc code, std::uint64_t value, std::uint64_t limit,
                            Axis axis = Axis::none) {
  return {code, Stage::validation, value, limit, axis};
}

/// The result of a mistake in a program without checks.
enum class Off {
  refused,      ///< the runtime refuses it
  let_through,  ///< it runs
  same          ///< it is still found: what finds it is not part of the checks
};

class Misuse : public Machine {
 protected:
  Misuse() : launches_(launches_asked()) {}

  /// The mistake is found before the runtime is called, with these numbers and words. Without
  /// checks the result is `off`.
  template <class Outcome>
  void expect_caught(const Outcome& outcome, const Finding& expected,
                     std::initializer_list<const char*> words, Off off = Off::refused,
                     const char* kernel_name = "nothing") {
    if (!checked && off == Off::refused) return expect_refused(outcome, kernel_name);
    if (!checked && off == Off::let_through) return expect_let_through(outcome);
    const ws::LaunchError error = error_in(outcome);
    EXPECT_EQ(finding(error), expected);
    EXPECT_EQ(ws::core_test::text(error.kernel), kernel_name);
    EXPECT_EQ(error.severity, ws::Severity::recoverable);
    EXPECT_EQ(launches_asked(), launches_) << "it was launched";
    const std::string all = message(error);
    EXPECT_THAT(all,
                testing::StartsWith("Kernel '" + std::string(kernel_name) + "' not launched: "));
    for (const char* word : words) EXPECT_THAT(all, testing::HasSubstr(word));
    note(error.stage == Stage::construction ? "construction" : "launch", all);
  }
  /// The runtime refuses it, and the error contains the kernel and the dimensions.
  template <class Outcome>
  void expect_refused(const Outcome& outcome, const char* kernel_name = "nothing") {
    const ws::LaunchError error = error_in(outcome);
    EXPECT_EQ(error.stage, Stage::launch);
    EXPECT_NE(error.raw, 0);
    EXPECT_EQ(ws::core_test::text(error.kernel), kernel_name);
    const std::string all = message(error);
    EXPECT_THAT(all, testing::StartsWith("Kernel '" + std::string(kernel_name) +
                                         "' launch failed: " + prefix() + "Error"));
    EXPECT_THAT(all, testing::HasSubstr("grid=(" + std::to_string(error.grid[0]) + ','));
    launches_ = launches_asked();
    note("runtime", all);
  }
  template <class Outcome>
  void expect_let_through(const Outcome& outcome) {
    ASSERT_TRUE(outcome.has_value()) << message(outcome.error());
    launches_ = launches_asked();
    note("let through", "");
    RecordProperty("open", "yes");
  }
  /// Legal, at every level.
  template <class Outcome>
  void expect_fine(const Outcome& outcome) {
    EXPECT_TRUE(outcome.has_value()) << message(outcome.error());
    launches_ = launches_asked();
  }
  /// Launches. If the machine runs kernels, counts on the device that each item was processed once.
  /// A vendor's runtime runs none here; there the grid must have the expected number of blocks.
  template <class Config, class K, class Size>
  void expect_each_item_once(const Config& config, K kernel, std::size_t items, Size size,
                             [[maybe_unused]] std::uint64_t blocks) {
    void* memory = nullptr;
    ASSERT_EQ(ws::default_backend::allocate_unordered(memory, items * sizeof(unsigned)), 0);
    ASSERT_EQ(ws::default_backend::fill(memory, 0, items * sizeof(unsigned), stream.native()), 0);
    auto* const hits = static_cast<unsigned*>(memory);
    expect_fine(ws::launch(stream, config, kernel, ws::trust(hits), size));
    expect_fine(stream.synchronize());
#if defined(WARPSAFE_BACKEND_HOST)
    std::size_t once = 0;
    for (std::size_t i = 0; i < items; ++i) once += hits[i] == 1 ? 1 : 0;
    EXPECT_EQ(once, items);
#else
    const auto grid = vendor_test::last_launch().grid;
    EXPECT_EQ(std::uint64_t{grid.x} * grid.y * grid.z, blocks);
#endif
    EXPECT_EQ(ws::default_backend::deallocate_unordered(memory), 0);
  }
  /// The mistake cannot be written with the library: `instead` says what happens.
  void note_impossible(const std::string& instead) { note("impossible", instead); }
  /// Records when the first mistake of the test was found, and the first line of its message.
  void note(const char* moment, const std::string& said) {
    if (noted_) return;
    noted_ = true;
    RecordProperty("moment", moment);
    RecordProperty("says", said.substr(0, said.find('\n')));
  }
  /// A launch that is not itself under test.
  void forget_launches() { launches_ = launches_asked(); }

  ws::Stream stream = first_stream();

 private:
  std::uint64_t launches_;
  bool noted_ = false;
};

}  // namespace misuse_test
