// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Every failure once, as in failures/calls_test.cpp, under the guard of device memory, whose
// calls of the driver fail too. Only CUDA's backend has a guard.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/graph.hpp>
#include <warpsafe/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#if defined(WARPSAFE_BACKEND_CUDA)

namespace vendor_test {
namespace {

namespace ws = warpsafe;

ws::result<bool> all_calls() {
  const std::vector<int> numbers{1, 2, 3, 4};
  const ws::LaunchConfig one{ws::grid<1>, ws::block<32>};
  // Chosen, because a stream of device 1 stays if a wait for its copy failed.
  WARPSAFE_TRY(const auto here, ws::DeviceGuard::create(ws::DeviceId(0)));
  WARPSAFE_TRY(const auto stream, ws::Stream::create(ws::DeviceId(0)));
  WARPSAFE_TRY(const auto other, ws::Stream::create(ws::priority(-1)));
  WARPSAFE_TRY(auto buffer, ws::DeviceBuffer<int>::from(stream, numbers));
  WARPSAFE_TRYV(ws::launch(stream, one, ws::kernel<nothing>));
  WARPSAFE_TRY(const auto begin, stream.record_timed());
  WARPSAFE_TRY(const auto end, stream.record_timed());
  WARPSAFE_TRYV(ws::wait(other, end));
  WARPSAFE_TRYV(buffer.used_on(other));
  WARPSAFE_TRYV(end.synchronize());
  WARPSAFE_TRYV(ws::elapsed_ms(begin, end));
  WARPSAFE_TRY(auto pinned, ws::PinnedBuffer<int>::create(4));
  WARPSAFE_TRY(pinned, ws::copy(stream, ws::from(buffer), ws::to(std::move(pinned))).get());
  WARPSAFE_TRY(auto pitched,
               ws::PitchedBuffer<int>::create(stream, ws::extent<2>{ws::rows{2}, ws::cols{2}}));
  WARPSAFE_TRYV(pitched.assign(std::span(numbers)));
  WARPSAFE_TRY(const auto plane, pitched.to_host(stream).get());
  WARPSAFE_TRY(const auto graph, ws::capture(stream, [&](ws::Capture&) {
                 return ws::launch(stream, one, ws::kernel<nothing>);
               }));
  WARPSAFE_TRY(auto exec, graph.instantiate());
  WARPSAFE_TRYV(exec.launch(stream));
  WARPSAFE_TRYV(stream.synchronize());
  std::vector<int> from_there;
  {
    WARPSAFE_TRY(const auto guard, ws::DeviceGuard::create(ws::DeviceId(1)));
    WARPSAFE_TRY(const auto there, ws::Stream::create(ws::DeviceId(1)));
    WARPSAFE_TRY(auto target, ws::DeviceBuffer<int>::create(there, 4));
    WARPSAFE_TRYV(ws::copy(there, ws::from(buffer), ws::to(target)));
    WARPSAFE_TRY(from_there, target.to_host(there).get());
  }
  return from_there == numbers && plane == numbers && pinned.span()[3] == 4;
}

/// Makes each call fail once. Returns the number of errors that the program returned.
unsigned fail_each(std::size_t& functions) {
  EXPECT_TRUE(all_calls().value()) << "what is asked once in a process is asked here";
  const std::size_t before = recorded_calls().size();
  EXPECT_TRUE(all_calls().value());
  std::map<std::string, unsigned> counts;
  const auto calls = recorded_calls();
  for (std::size_t i = before; i < calls.size(); ++i) ++counts[calls[i].function];
  functions = counts.size();
  unsigned errors = 0;
  const std::string end_capture = prefix + "StreamEndCapture";
  for (const auto& [function, made] : counts) {
    if (function == end_capture) continue;
    for (unsigned k = 1; k <= made; ++k) {
      const std::uint64_t failing = stand_in_cuda_count(function.c_str()) + k;
      stand_in_cuda_fail(function.c_str(), k, code::out_of_memory);
      const auto done = all_calls();
      errors += done.has_value() ? 0 : 1;
      EXPECT_TRUE(!done.has_value() || done.value()) << function << ' ' << k << " is not noticed";
      // An earlier error ended the program before the call. No reset: memory that a failure kept
      // still has its event.
      for (int run = 0; run < 3 && stand_in_cuda_count(function.c_str()) < failing; ++run) {
        static_cast<void>(all_calls());
      }
      const auto again = all_calls();
      EXPECT_TRUE(again.has_value() && again.value())
          << "after " << function << ' ' << k << ": "
          << (again.has_value() ? "wrong" : ws::message(again.error()));
    }
  }
  // Last, because the stream then captures until the process ends.
  stand_in_cuda_fail(end_capture.c_str(), 1, code::out_of_memory);
  EXPECT_FALSE(all_calls().has_value());
  return errors;
}

/// In a process of its own: memory that a failure kept has an event, which a reset destroys.
class GuardFailureDeathTest : public VendorTest {
 protected:
  GuardFailureDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  /// Ends the process with 0 if no expectation failed.
  [[noreturn]] static void run() {
    ::setenv("WARPSAFE_GUARD", "1", 1);
    std::size_t functions = 0;
    const unsigned errors = fail_each(functions);
    EXPECT_GT(functions, 20U) << "too few calls would test too little";
    EXPECT_GT(errors, functions) << "most failures are errors";
    EXPECT_NE(stand_in_cuda_count("cuMemMap"), 0U) << "the guard";
    end_child();
  }
};

TEST_F(GuardFailureDeathTest, OfACallIsAnErrorOrHarmless) {
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vendor_test

#endif
