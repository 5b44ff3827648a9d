// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A grid that is capped by the blocks that are resident at once is for one launch, cooperative or
// not: of that kernel, on that device, with that block and those bytes.
#include "../kernels.hpp"
#include "../stand_in.hpp"
#include <warpsafe/launch/occupancy.hpp>

#include <cstddef>
#include <cstdint>

namespace vendor_test {
namespace {

namespace ws = warpsafe;
using testing::HasSubstr;
using ws::Errc;

constexpr auto strides = ws::kernel<floats, ws::grid_stride_kernel>;
constexpr std::size_t items = 10'000'000;

class Occupancy : public VendorTest {
 protected:
  const ws::BlockDim block = ws::BlockDim::create(64).value();

  /// A launch over all items whose grid has at most `most` blocks.
  template <class K, class... Options>
  [[nodiscard]] static ws::result<void> run(const ws::Stream& stream, K kernel, ws::BlockDim block,
                                            ws::max_blocks most, const Options&... options) {
    return ws::launch(stream,
                      ws::configure(ws::SafeGrid<>::grid_stride(items, block, most), options...),
                      kernel, 1.0F, 2.0);
  }
  [[nodiscard]] static ws::max_blocks fits(const ws::Stream& stream, ws::BlockDim block,
                                           std::uint64_t bytes = 0) {
    return ws::max_resident_blocks(stream, strides, block, ws::Bytes(bytes)).value();
  }
  /// Both kinds of launch are refused before the runtime is called, with the same words.
  template <class K, class... Options>
  static void expect_refused(const char* words, const ws::Stream& stream, K kernel,
                             ws::BlockDim block, ws::max_blocks most, const Options&... options) {
    const std::size_t before = launches().size();
    for (const ws::LaunchError& error :
         {error_in(run(stream, kernel, block, most, options...)),
          error_in(run(stream, kernel, block, most, options..., ws::cooperative))}) {
      EXPECT_EQ(error.code, Errc::occupancy_mismatch);
      EXPECT_THAT(ws::message(error), HasSubstr(words));
    }
    EXPECT_EQ(launches().size(), before);
  }
  /// Both kinds of launch reach the runtime, with all `most` blocks.
  template <class... Options>
  static void expect_taken(const ws::Stream& stream, ws::BlockDim block, ws::max_blocks most,
                           const Options&... options) {
    EXPECT_THAT(run(stream, strides, block, most, options...), Succeeds());
    EXPECT_EQ(last_launch().cooperative, 0);
    EXPECT_THAT(run(stream, strides, block, most, options..., ws::cooperative), Succeeds());
    EXPECT_EQ(last_launch().cooperative, 1);
    EXPECT_EQ(last_launch().grid.x, most.count.magnitude);
  }
};

TEST_F(Occupancy, OfThisLaunchIsRight) {
  const ws::Stream stream = make_stream();
  expect_taken(stream, block, fits(stream, block));
  expect_taken(stream, block, fits(stream, block, 4096), ws::shared<float>(1024));
}

TEST_F(Occupancy, OfOtherBytesIsRefused) {
  const ws::Stream stream = make_stream();
  const auto most = fits(stream, block);
  expect_refused(
      "capped by the resident blocks with 0 bytes of dynamic shared memory, and "
      "launched with 4096",
      stream, strides, block, most, ws::shared<float>(1024));
  expect_refused(
      "capped by the resident blocks with 4096 bytes of dynamic shared memory, and "
      "launched with 0",
      stream, strides, block, fits(stream, block, 4096));
}

TEST_F(Occupancy, OfAnotherBlockOrKernelIsRefused) {
  const ws::Stream stream = make_stream();
  const auto larger = ws::BlockDim::create(128).value();
  expect_refused("capped by the resident blocks of 64 threads, and launched with 128", stream,
                 strides, larger, fits(stream, block));
  const auto elsewhere =
      ws::max_resident_blocks(stream, ws::kernel<nothing, ws::grid_stride_kernel>, block).value();
  expect_refused("capped by the resident blocks of another kernel", stream, strides, block,
                 elsewhere);
}

TEST_F(Occupancy, OfAnotherDeviceIsRefused) {
  const ws::Stream here = make_stream();
  const ws::Stream there = make_stream(1);
  const auto most = fits(there, block);
  expect_refused("capped by the blocks resident on device 1, and launched on device 0", here,
                 strides, block, most);
  const auto guard = ws::DeviceGuard::create(ws::DeviceId(1)).value();
  expect_taken(there, block, most);
  expect_refused("capped by the blocks resident on device 0, and launched on device 1", there,
                 strides, block, fits(here, block));
}

}  // namespace
}  // namespace vendor_test
