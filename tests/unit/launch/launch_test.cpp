// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Launches on the modelled GPU: which run, which are refused, and with which text.

#include "launch_fixture.hpp"
#include <warpsafe/launch/validate.hpp>
#include <warpsafe/stream/event.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// At global scope: messages are compared with the kernels' plain names.
WARPSAFE_KERNEL void nothing() {}
WARPSAFE_KERNEL void count_threads(unsigned* counter) { warpsafe::atomic_add(counter, 1U); }
WARPSAFE_KERNEL void axpy(float a, const float* x, float* y, std::size_t n) {
  for (auto i : warpsafe::grid_stride(n)) y[i] += a * x[i];
}
WARPSAFE_KERNEL void takes_unsigned(float, unsigned n, unsigned* out) { *out = n; }

namespace warpsafe::core_test {
namespace {

constexpr CheckLevel full = CheckLevel::full;
constexpr CheckLevel off = CheckLevel::off;

constexpr auto config_of(VendorDims blocks, VendorDims threads) {
  return LaunchConfig{GridDim::from_vendor(blocks), BlockDim::from_vendor(threads)};
}

struct Launch : LaunchTest {};

// Launches that run.

TEST_F(Launch, RunsTheKernelOverTheWholeSize) {
  constexpr std::size_t n = 1000;
  float* const x = device_array<float>(n);
  float* const y = device_array<float>(n);
  std::iota(x, x + n, 0.0F);
  std::fill(y, y + n, 1.0F);
  const auto config = configure(SafeGrid<>::cover(n, block<256>));
  ASSERT_TRUE(launch(stream, config, kernel<axpy>, 2.0F, trust(x), trust(y), n).has_value());
  wait();
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], 2.0F * static_cast<float>(i) + 1.0F);
}

TEST_F(Launch, AGridIsAConfigurationWithoutOptions) {
  constexpr std::size_t n = 1000;
  float* const x = device_array<float>(n);
  float* const y = device_array<float>(n);
  std::fill(x, x + n, 1.0F);
  std::fill(y, y + n, 0.0F);
  const auto grid = SafeGrid<>::cover(n, block<128>);
  ASSERT_TRUE(launch<full>(stream, grid, kernel<axpy>, 1.0F, trust(x), trust(y), n).has_value());
  ASSERT_TRUE(
      launch<full>(stream, grid.value(), kernel<axpy>, 2.0F, trust(x), trust(y), n).has_value());
  ASSERT_TRUE(launch<off>(stream, grid, kernel<axpy>, 4.0F, trust(x), trust(y), n).has_value());
  wait();
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(y[i], 7.0F);

  unsigned* const counter = device_array<unsigned>(1);
  *counter = 0;
  const auto plane = SafeGrid<>::cover(extent{rows{5}, cols{17}}, block<8, 2>);
  ASSERT_TRUE(launch(stream, plane, kernel<count_threads>, trust(counter)).has_value());
  wait();
  EXPECT_EQ(*counter, 3U * 3U * 16U);
  const auto none = SafeGrid<>::cover_or_empty(0, block<256>);
  ASSERT_TRUE(launch(stream, none, kernel<count_threads>, trust(counter)).has_value());
  wait();
  EXPECT_EQ(*counter, 3U * 3U * 16U);

  const auto bad = SafeGrid<>::cover(-1, block<256>, NoOption{}, NoOption{}, app);
  EXPECT_EQ(message(error_in(launch(stream, bad, kernel<nothing>))),
            "Kernel 'nothing' not launched: the size is -1; a size must be at least 0\n"
            "  at app.cpp:7");
}

TEST_F(Launch, RunsEachThreadOnceAtEveryLevel) {
  unsigned* const counter = device_array<unsigned>(1);
  *counter = 0;
  const LaunchConfig config{grid<3, 2>, block<8, 4>};
  ASSERT_TRUE(launch<full>(stream, config, kernel<count_threads>, trust(counter)).has_value());
  ASSERT_TRUE(launch<off>(stream, config, kernel<count_threads>, trust(counter)).has_value());
  wait();
  EXPECT_EQ(*counter, 2U * 6 * 32);
}

TEST_F(Launch, TakesAStreamOrAReferenceToOne) {
  const StreamRef ref = stream;
  const StreamRef borrowed = StreamRef::borrow(stream.native(), DeviceId(0)).value();
  EXPECT_TRUE(launch(stream, LaunchConfig{grid<1>, block<1>}, kernel<nothing>).has_value());
  EXPECT_TRUE(launch(ref, LaunchConfig{grid<1>, block<1>}, kernel<nothing>).has_value());
  EXPECT_TRUE(launch(borrowed, LaunchConfig{grid<1>, block<1>}, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 3U);
}

TEST_F(Launch, AnEmptyGridLaunchesNothingAndSucceeds) {
  unsigned* const counter = device_array<unsigned>(1);
  *counter = 0;
  const auto empty = configure(SafeGrid<>::cover_or_empty(0, block<256>));
  EXPECT_TRUE(launch<full>(stream, empty, kernel<count_threads>, trust(counter)).has_value());
  const auto empty_off = configure<off>(SafeGrid<>::cover_or_empty<off>(0, block<256>));
  EXPECT_TRUE(launch<off>(stream, empty_off, kernel<count_threads>, trust(counter)).has_value());
  wait();
  EXPECT_EQ(*counter, 0U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

WARPSAFE_KERNEL void mark(extent<2> size, int* matrix) {
  const Index3 index = thread_index();
  if (size.contains(index)) {
    matrix[size.offset(index)] = static_cast<int>(1000 * index.row() + index.col());
  }
}

TEST_F(Launch, AnExtentGoesFromTheGridToTheKernel) {
  const extent size{rows{37}, cols{53}};
  int* const matrix = device_array<int>(37 * 53);
  const auto config = configure(SafeGrid<>::cover(size, block<16, 8>));
  ASSERT_TRUE(launch(stream, config, kernel<mark>, size, trust(matrix)).has_value());
  wait();
  for (int row = 0; row < 37; ++row) {
    for (int col = 0; col < 53; ++col) ASSERT_EQ(matrix[row * 53 + col], 1000 * row + col);
  }
}

WARPSAFE_KERNEL void reverse_blocks(int* data) {
  int* const tile = dynamic_shared<int>();
  const unsigned me = thread_in_block().x;
  const unsigned threads = block_size().x;
  int* const mine = data + block_index().x * threads;
  tile[me] = mine[me];
  sync_block();
  mine[me] = tile[threads - 1 - me];
}

TEST_F(Launch, DynamicSharedMemoryAndBarriersWork) {
  int* const data = device_array<int>(4 * 64);
  std::iota(data, data + 4 * 64, 0);
  const auto config = configure(grid<4>, block<64>, shared<int>(64));
  ASSERT_TRUE(launch(stream, config, kernel<reverse_blocks, needs_shared<int, 64>>, trust(data))
                  .has_value());
  wait();
  for (int i = 0; i < 4 * 64; ++i) ASSERT_EQ(data[i], i / 64 * 64 + 63 - i % 64);
}

TEST_F(Launch, SharedMemoryOverTheDefaultIsOptedInForTheUser) {
  become(limits::sm_90);
  int* const data = device_array<int>(64);
  std::iota(data, data + 64, 0);
  for (const auto level : {full, off}) {
    const auto config = configure(grid<1>, block<64>, shared(Bytes(232448)));
    const auto launched = level == full
                              ? launch<full>(stream, config, kernel<reverse_blocks>, trust(data))
                              : launch<off>(stream, config, kernel<reverse_blocks>, trust(data));
    ASSERT_TRUE(launched.has_value()) << message(launched.error());
  }
  wait();
  EXPECT_EQ(data[5], 5) << "reversed twice";
}

WARPSAFE_KERNEL void twice(float* out, int n) { *out = static_cast<float>(2 * n); }
WARPSAFE_KERNEL void twice(double* out, int n) { *out = 2.0 * n; }
template <class T, int Factor>
WARPSAFE_KERNEL void times(T* out, T n) {
  *out = Factor * n;
}

TEST_F(Launch, OverloadsAndTemplatesAreKernels) {
  float* const single = device_array<float>(1);
  double* const wide = device_array<double>(2);
  const LaunchConfig one{grid<1>, block<1>};
  ASSERT_TRUE(launch(stream, one, kernel<overload<void(float*, int)>(twice)>, trust(single), 21)
                  .has_value());
  ASSERT_TRUE(
      launch(stream, one, kernel<overload<void(double*, int)>(twice)>, trust(wide), 4).has_value());
  ASSERT_TRUE(launch(stream, one, kernel<times<double, 3>>, trust(wide + 1), 5.0).has_value());
  wait();
  EXPECT_EQ(*single, 42.0F);
  EXPECT_EQ(wide[0], 8.0);
  EXPECT_EQ(wide[1], 15.0);
}

// A later launch that tells nothing must not have the windows of this one.
TEST_F(Launch, WhatTheRaceDetectorLearnsIsOfOneLaunchAlone) {
  unsigned* const counter = device_array<unsigned>(1);
  const LaunchConfig config{grid<1>, block<32>};
  ASSERT_TRUE(launch<off>(stream, config, kernel<count_threads>, trust(counter)).has_value());
  EXPECT_EQ(host::caller().windows, nullptr);
  ASSERT_TRUE(launch<full>(stream, config, kernel<count_threads>, trust(counter)).has_value());
  EXPECT_EQ(host::caller().windows, nullptr);
  wait();
}

// The driver queries of each check level.

TEST_F(Launch, OnlyFullChecksAskTheDriver) {
  const LaunchConfig config{grid<1>, block<32>};
  ASSERT_TRUE(launch<off>(stream, config, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 1U);
  for (const Call call :
       {call_of<&host_backend::limits_of>, call_of<&host_backend::attributes_of>,
        call_of<&host_backend::current_device>, call_of<&host_backend::pointer_kind>,
        call_of<&host_backend::peek_last_error>, call_of<&host_backend::stream_device>,
        call_of<&host_backend::raise_dynamic_shared>, call_of<&host_backend::stream_capturing>}) {
    EXPECT_EQ(host::calls_made(call), call == call_of<&host_backend::current_device> ? 1U : 0U)
        << "member " << call.name() << "; one current_device is Stream::create's";
  }
  const LaunchConfig dependent{grid<1>, block<32>, dependent_launch};
  ASSERT_TRUE(launch<off>(stream, dependent, kernel<nothing, waits_for_predecessor>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::attributes_of>), 0U);
  ASSERT_TRUE(launch<full>(stream, config, kernel<nothing>).has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::limits_of>), 1U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::attributes_of>), 1U);
}

// Launches that the library refuses: nothing reaches the device.

TEST_F(Launch, RefusesABlockThatIsTooLargeInTheseWords) {
  become(limits::sm_90);
  const auto refused = launch(stream, config_of({2800}, {64, 64}), kernel<nothing>);
  const unsigned line = __LINE__ - 1;
  const LaunchError error = error_in(refused);
  EXPECT_EQ(finding(error),
            (Finding{Errc::block_too_large, Stage::validation, 4096, 1024, Axis::none}));
  EXPECT_THAT(error.grid, ::testing::ElementsAre(2800, 1, 1));
  EXPECT_THAT(error.block, ::testing::ElementsAre(64, 64, 1));
  EXPECT_EQ(error.dynamic_shared, 0U);
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(text(error.device_name), "Test GPU");
  EXPECT_EQ(text(error.kernel), "nothing");
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_EQ(error.raw, 0);
  EXPECT_EQ(error.severity, Severity::recoverable);
  EXPECT_EQ(error.site.line, line);
  EXPECT_THAT(error.site.file, ::testing::EndsWith("launch_test.cpp"));
  EXPECT_EQ(
      message(error),
      "Kernel 'nothing' not launched: block=(64,64,1) is 4096 threads, limit 1024 "
      "(maxThreadsPerBlock of device 0 'Test GPU')" +
          launch_line("grid=(2800,1,1), block=(64,64,1), shared=0 bytes", "launch_test.cpp", line) +
          "\n  try block<32,32> and recompute the grid with cover(extent, block<32,32>)");
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

TEST_F(Launch, RefusesALongAxisInTheseWords) {
  become(limits::sm_90);
  const auto config = config_of({1, 70000}, {256});
  const std::string words =
      "Kernel 'nothing' not launched: grid.y 70000 invalid (limit: 1..65535); put the long axis in "
      "x (limit 2147483647)";
  const std::string numbers = "grid=(1,70000,1), block=(256,1,1), shared=0 bytes";
  const LaunchError error = error_in(launch<full>(stream, config, kernel<nothing>));
  EXPECT_EQ(message(error), words + launch_line(numbers, "launch_test.cpp", __LINE__ - 1));
  EXPECT_EQ(error.device, 0);
}

WARPSAFE_KERNEL void tiled(float*) {}

TEST_F(Launch, AddsTheKernelsStaticSharedMemory) {
  become(limits::sm_75);
  KernelLimits of_kernel;
  of_kernel.static_shared = 6000;
  ASSERT_TRUE(host::set_kernel_limits(0, kernel<tiled>.entry().function, of_kernel));
  float* const memory = device_array<float>(1);
  const auto fits = configure(grid<1>, block<256>, shared(Bytes(65536 - 6000)));
  EXPECT_TRUE(launch(stream, fits, kernel<tiled>, trust(memory)).has_value());
  const auto too_much = configure(grid<1>, block<256>, shared(Bytes(64000)));
  const LaunchError error = error_in(launch(stream, too_much, kernel<tiled>, trust(memory)));
  EXPECT_EQ(finding(error),
            (Finding{Errc::shared_too_large, Stage::validation, 70000, 65536, Axis::none}));
  EXPECT_EQ(error.static_shared(), 6000U);
  EXPECT_EQ(error.dynamic_shared, 64000U);
  EXPECT_THAT(message(error),
              ::testing::HasSubstr("shared memory 70000 bytes exceeds limit 65536 (6000 static + "
                                   "64000 dynamic, opt-in included): 4464 too many"));
}

TEST_F(Launch, KnowsTheKernelsOwnThreads) {
  KernelLimits of_kernel;
  of_kernel.max_threads_per_block = 256;
  ASSERT_TRUE(host::set_kernel_limits(0, kernel<nothing>.entry().function, of_kernel));
  EXPECT_TRUE(launch(stream, config_of({1}, {256}), kernel<nothing>).has_value());
  const LaunchError error = error_in(launch(stream, config_of({1}, {512}), kernel<nothing>));
  EXPECT_EQ(finding(error),
            (Finding{Errc::kernel_threads_exceeded, Stage::validation, 512, 256, Axis::none}));
  EXPECT_THAT(message(error), ::testing::EndsWith("\n  try block<256> and recompute the grid with "
                                                  "cover(n, block<256>)"));
}

TEST_F(Launch, CooperativeGridsMustBeResidentAtOnce) {
  become(limits::sm_80);  // 4 multiprocessors of 2048 threads
  const auto of = [](std::uint32_t blocks) {
    return LaunchConfig{GridDim::from_vendor(VendorDims{blocks}), block<256>, cooperative};
  };
  EXPECT_TRUE(launch(stream, of(32), kernel<nothing>).has_value());
  EXPECT_EQ(finding(error_in(launch(stream, of(33), kernel<nothing>))),
            (Finding{Errc::cooperative_too_large, Stage::validation, 33, 32, Axis::none}));
  // A block of 65 threads has the place of three warps: 21 on a multiprocessor.
  const auto of_65 = [](std::uint32_t blocks) {
    return LaunchConfig{GridDim::from_vendor(VendorDims{blocks}), block<65>, cooperative};
  };
  EXPECT_TRUE(launch(stream, of_65(84), kernel<nothing>).has_value());
  EXPECT_EQ(finding(error_in(launch(stream, of_65(85), kernel<nothing>))),
            (Finding{Errc::cooperative_too_large, Stage::validation, 85, 84, Axis::none}));
}

TEST_F(Launch, ClustersAreForDevicesThatHaveThem) {
  const LaunchConfig pairs{grid<8>, block<32>, cluster<2>};
  EXPECT_EQ(finding(error_in(launch(stream, pairs, kernel<nothing>))),
            (Finding{Errc::cluster_unsupported, Stage::validation, 2, 0, Axis::none}));
  become(limits::sm_90);
  EXPECT_TRUE(launch(stream, pairs, kernel<nothing>).has_value());
  const LaunchConfig large{grid<16>, block<32>, non_portable_cluster<16>};
  EXPECT_TRUE(launch(stream, large, kernel<nothing>).has_value());
}

// With SafeGrid the grid may be small and the size large.
TEST_F(Launch, TheKernelsIndexMustReachEveryElement) {
  const auto strided = [](std::uint64_t n) {
    return SafeGrid<>::grid_stride(n, block<256>, max_blocks(1)).value();
  };
  const std::uint64_t most = std::uint64_t{1} << 31;
  constexpr auto walks = kernel<nothing, grid_stride_kernel>;
  EXPECT_TRUE(launch(stream, strided(most), walks).has_value());
  EXPECT_EQ(finding(error_in(launch(stream, strided(most + 1), walks))),
            (Finding{Errc::index_overflow, Stage::validation, most + 1, most, Axis::none}));
}

// Of several problems both name the same.
TEST_F(Launch, NamesWhatValidateNames) {
  const auto expect_same = [&](const auto& config, auto of) {
    const auto launched = launch(stream, config, of);
    const auto valid = validate(config, of, device_limits(DeviceId(0)).value());
    ASSERT_FALSE(launched.has_value() || valid.has_value());
    EXPECT_EQ(launched.error().code, valid.error().code);
    EXPECT_EQ(launched.error().value, valid.error().value);
  };
  const auto far =
      SafeGrid<>::grid_stride(std::uint64_t{3'000'000'000}, block<64>, max_blocks(8)).value();
  constexpr auto strides = kernel<nothing, grid_stride_kernel>;
  expect_same(LaunchConfig(far, cluster<2>), strides);
  expect_same(LaunchConfig(far, cooperative), kernel<nothing, grid_stride_kernel, portable>);
  expect_same(LaunchConfig(far, shared(Bytes(1 << 20))), strides);
  expect_same(LaunchConfig(far, cluster<2>, shared(Bytes(1 << 20))), strides);
  expect_same(LaunchConfig(far, shared(Bytes(100'000))),
              kernel<nothing, grid_stride_kernel, portable>);
}

TEST_F(Launch, ADriverThatCannotTellWhatIsResidentIsTheError) {
  become(limits::sm_90);
  const auto refused_if = [&](Call call, const auto& config) {
    host::fail_next(call, 1, HostStatus::invalid_value);
    const LaunchError error = error_in(launch(stream, config, kernel<nothing>));
    EXPECT_EQ(error.code, Errc::runtime_failed);
    EXPECT_EQ(error.stage, Stage::validation);
    EXPECT_EQ(error.raw, raw(HostStatus::invalid_value));
    EXPECT_EQ(error.device, 0);
    EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
  };
  refused_if(call_of<&host_backend::resident_blocks>,
             LaunchConfig{grid<8>, block<32>, cooperative});
  refused_if(call_of<&host_backend::max_cluster_blocks>,
             LaunchConfig{grid<16>, block<32>, non_portable_cluster<16>});
  refused_if(call_of<&host_backend::raise_dynamic_shared>,
             configure(grid<8>, block<32>, cooperative, shared(Bytes(100000))));
}

TEST_F(Launch, TheStreamsDeviceMustBeCurrent) {
  host::set_device_count(2);
  auto guard = DeviceGuard::create(DeviceId(1));
  ASSERT_TRUE(guard.has_value());
  const auto refused = launch(stream, config_of({1}, {32}), kernel<nothing>);
  const unsigned line = __LINE__ - 1;
  const LaunchError error = error_in(refused);
  EXPECT_EQ(finding(error),
            (Finding{Errc::stream_wrong_device, Stage::validation, 1, 0, Axis::none}));
  EXPECT_EQ(error.device, 0);
  EXPECT_EQ(
      message(error),
      "Kernel 'nothing' not launched: the stream belongs to device 0, but device 1 is current; "
      "make device 0 current with DeviceGuard" +
          launch_line("grid=(1,1,1), block=(32,1,1), shared=0 bytes", "launch_test.cpp", line));
}

// The runtime would take it for the default stream.
TEST_F(Launch, AStreamThatWasMovedFromIsRefused) {
  Stream first = Stream::create().value();
  const Stream second = std::move(first);
  // NOLINTNEXTLINE(bugprone-use-after-move): on purpose
  const auto refused = launch(first, SafeGrid<>::cover(32, block<32>), kernel<nothing>);
  const unsigned line = __LINE__ - 1;
  const LaunchError error = error_in(refused);
  EXPECT_EQ(finding(error), (Finding{Errc::stream_null, Stage::validation, 0, 0, Axis::none}));
  EXPECT_EQ(message(error),
            "Kernel 'nothing' not launched: this Stream was moved from or closed; use the one that "
            "it was moved to\n  grid=(1,1,1), block=(32,1,1), shared=0 bytes, at launch_test.cpp:" +
                std::to_string(line));
  EXPECT_TRUE(launch(second, SafeGrid<>::cover(32, block<32>), kernel<nothing>).has_value());
}

TEST_F(Launch, AFailedConfigurationComesOutWithTheKernelsName) {
  const auto config = configure(SafeGrid<>::cover(-1, block<256>, NoOption{}, NoOption{}, app));
  const LaunchError error = error_in(launch(stream, config, kernel<nothing>));
  EXPECT_EQ(finding(error), (Finding{Errc::size_negative, Stage::construction, 1, 0, Axis::none}));
  EXPECT_EQ(text(error.kernel), "nothing");
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_TRUE(is_app(error.site)) << "where the grid was made, not where it was launched";
  EXPECT_EQ(message(error),
            "Kernel 'nothing' not launched: the size is -1; a size must be at least 0\n"
            "  at app.cpp:7");
  EXPECT_EQ(error_in(launch<off>(stream, config, kernel<nothing>)).code, Errc::size_negative)
      << "no level loses it";
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

TEST_F(Launch, WhatConfigureFindsHasTheLaunchsLine) {
  const auto config = configure(grid<1>, block<32>, shared<float>(-3));
  const LaunchError error = error_in(launch(stream, config, kernel<nothing>));
  EXPECT_EQ(error.site.line, static_cast<unsigned>(__LINE__ - 1));
  EXPECT_EQ(
      message(error),
      "Kernel 'nothing' not launched: shared memory for -3 elements; a count must be at least 0" +
          launch_line("grid=(1,1,1), block=(32,1,1), shared=-3 elements of 4 bytes",
                      "launch_test.cpp", error.site.line));
}

TEST_F(Launch, AConfigurationThatWasNeverCheckedIsCheckedHere) {
  const LaunchConfig negative{grid<1>, block<32>, shared<float>(-3)};
  const LaunchError refused = error_in(launch<full>(stream, negative, kernel<nothing>));
  EXPECT_EQ(refused.code, Errc::shared_negative);
  EXPECT_EQ(text(refused.kernel), "nothing");
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

// A runtime takes the nearest priority of its range instead, without an error.
TEST_F(Launch, APriorityThatWasNeverCheckedIsCheckedHere) {
  const LaunchConfig urgent{grid<1>, block<32>, priority(1)};
  const LaunchConfig beyond{grid<1>, block<32>, priority(2)};
  EXPECT_TRUE(launch<full>(stream, urgent, kernel<nothing>).has_value());
  const LaunchError refused = error_in(launch<full>(stream, beyond, kernel<nothing>));
  EXPECT_EQ(finding(refused),
            (Finding{Errc::priority_range, Stage::construction, 2, 1, Axis::none}));
  EXPECT_EQ(text(refused.kernel), "nothing");
  EXPECT_TRUE(launch<off>(stream, beyond, kernel<nothing>).has_value());
}

TEST_F(Launch, ANegativeValueForAnUnsignedParameterIsRefused) {
  unsigned* const out = device_array<unsigned>(1);
  *out = 0;
  const LaunchConfig one{grid<1>, block<1>};
  const auto refused = launch<full>(stream, one, kernel<takes_unsigned>, 1.0F, -5, trust(out));
  const unsigned line = __LINE__ - 1;
  const LaunchError error = error_in(refused);
  EXPECT_EQ(finding(error),
            (Finding{Errc::argument_negative, Stage::validation, 5, 0, Axis::none}));
  EXPECT_EQ(error.argument(), 2U);
  EXPECT_EQ(
      message(error),
      "Kernel 'takes_unsigned' not launched: argument 2 is -5, but the parameter is unsigned" +
          launch_line("grid=(1,1,1), block=(1,1,1), shared=0 bytes", "launch_test.cpp", line));
  EXPECT_EQ(error_in(launch<full>(stream, one, kernel<takes_unsigned>, 1.0F, -5, trust(out))).code,
            Errc::argument_negative);
  ASSERT_TRUE(launch<off>(stream, one, kernel<takes_unsigned>, 1.0F, 5, trust(out)).has_value());
  wait();
  EXPECT_EQ(*out, 5U);
}

enum Offset : int { back = -1, forth = 1 };
enum Tiny { minus = -3, plus = 3 };
WARPSAFE_KERNEL void takes_size(std::size_t n, unsigned* out) { *out = static_cast<unsigned>(n); }
WARPSAFE_KERNEL void takes_optional(std::optional<unsigned> n, unsigned* out) { *out = *n; }

TEST_F(Launch, ANegativeEnumerationOrNumberForAnOptionalIsRefusedToo) {
  unsigned* const out = device_array<unsigned>(1);
  const LaunchConfig one{grid<1>, block<1>};
  const auto negative = [](const result<void>& launched) {
    const LaunchError error = error_in(launched);
    return error.code == Errc::argument_negative ? error.value : 0;
  };
  EXPECT_EQ(negative(launch(stream, one, kernel<takes_size>, back, trust(out))), 1U);
  EXPECT_EQ(negative(launch(stream, one, kernel<takes_size>, minus, trust(out))), 3U);
  EXPECT_EQ(negative(launch(stream, one, kernel<takes_optional>, -5, trust(out))), 5U);
  EXPECT_EQ(negative(launch(stream, one, kernel<takes_optional>, back, trust(out))), 1U);
  ASSERT_TRUE(launch(stream, one, kernel<takes_size>, plus, trust(out)).has_value());
  wait();
  EXPECT_EQ(*out, 3U);
  ASSERT_TRUE(launch(stream, one, kernel<takes_optional>, 5, trust(out)).has_value());
  wait();
  EXPECT_EQ(*out, 5U);
}

TEST_F(Launch, HostMemoryIsRefusedByTheNumberOfItsArgument) {
  float on_the_stack = 1;
  float* const device = device_array<float>(1);
  const LaunchConfig one{grid<1>, block<1>};
  const float* const host_memory = &on_the_stack;
  const auto refused =
      launch<full>(stream, one, kernel<axpy>, 1.0F, trust(host_memory), trust(device), 0);
  const unsigned line = __LINE__ - 1;
  const LaunchError error = error_in(refused);
  EXPECT_EQ(error.code, Errc::argument_host_pointer);
  EXPECT_EQ(error.argument(), 2U);
  EXPECT_EQ(
      message(error),
      "Kernel 'axpy' not launched: argument 2 is host memory, which the device cannot read; "
      "pass a device buffer's view, or pinned or managed memory" +
          launch_line("grid=(1,1,1), block=(1,1,1), shared=0 bytes", "launch_test.cpp", line));
  void* pinned = nullptr;
  ASSERT_EQ(host_backend::host_allocate(pinned, sizeof(float)), 0);
  const auto* const readable = static_cast<const float*>(pinned);
  EXPECT_TRUE(
      launch<full>(stream, one, kernel<axpy>, 1.0F, trust(readable), trust(device), 0).has_value());
  wait();
  EXPECT_EQ(host_backend::host_deallocate(pinned), 0);
}

// Without checks, the runtime refuses impossible launches, and the message is complete.

TEST_F(Launch, WithoutChecksAnImpossibleSizeIsRefusedByTheRuntime) {
  const auto config = configure<off>(SafeGrid<>::cover<off>(-1, block<256>));
  const auto refused = launch<off>(stream, config, kernel<nothing>);
  const unsigned line = __LINE__ - 1;
  const LaunchError error = error_in(refused);
  EXPECT_EQ(error.code, Errc::launch_refused);
  EXPECT_EQ(error.stage, Stage::launch);
  EXPECT_EQ(error.raw, raw(HostStatus::invalid_configuration));
  EXPECT_EQ(text(error.raw_name), "hostErrorInvalidConfiguration");
  EXPECT_EQ(text(error.kernel), "nothing");
  EXPECT_THAT(error.grid, ::testing::ElementsAre(0, 1, 1));
  EXPECT_THAT(error.block, ::testing::ElementsAre(256, 1, 1));
  EXPECT_EQ(error.stream, stream.native());
  EXPECT_EQ(error.site.line, line);
  EXPECT_EQ(message(error),
            "Kernel 'nothing' launch failed: hostErrorInvalidConfiguration (grid=(0,1,1), "
            "block=(256,1,1))\n  at launch_test.cpp:" +
                std::to_string(line));
}

TEST_F(Launch, WithoutChecksEveryImpossibleSizeIsRefused) {
  const auto refused = [&](const auto& grid) {
    return error_in(launch<off>(stream, configure<off>(grid), kernel<nothing>)).code;
  };
  EXPECT_EQ(refused(SafeGrid<>::cover<off>(0, block<256>)), Errc::launch_refused);
  EXPECT_EQ(refused(SafeGrid<>::cover<off>((std::uint64_t{1} << 32) + 1, block<1>)),
            Errc::launch_refused);
  EXPECT_EQ(refused(SafeGrid<>::cover<off>(extent{rows{70000}, cols{1}}, block<32>)),
            Errc::launch_refused);
  EXPECT_EQ(refused(SafeGrid<>::cover_exact<off>(1000, block<256>)), Errc::launch_refused);
  EXPECT_EQ(refused(SafeGrid<>::cover_or_empty<off>(-1, block<256>)), Errc::launch_refused);
  EXPECT_EQ(error_in(launch<off>(stream,
                                 configure<off>(
                                     SafeGrid<>::grid_stride<off>(100, block<32>, max_blocks(0))),
                                 kernel<nothing, grid_stride_kernel>))
                .code,
            Errc::launch_refused);
}

TEST_F(Launch, WithoutChecksAWrongAmountOfSharedMemoryIsRefused) {
  const auto config = configure<off>(grid<1>, block<32>, shared<float>(-3));
  const LaunchError error = error_in(launch<off>(stream, config, kernel<nothing>));
  EXPECT_EQ(error.stage, Stage::launch);
  EXPECT_EQ(error.raw, raw(HostStatus::invalid_value));
  EXPECT_EQ(error.dynamic_shared, ~std::uint64_t{0});
  EXPECT_EQ(text(error.kernel), "nothing");
}

TEST_F(Launch, WithoutChecksARuntimesRefusalHasNoInventedNumbers) {
  KernelLimits of_kernel;
  of_kernel.max_threads_per_block = 256;
  ASSERT_TRUE(host::set_kernel_limits(0, kernel<nothing>.entry().function, of_kernel));
  const auto refused = launch<off>(stream, config_of({1}, {512}), kernel<nothing>);
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_EQ(said(refused),
            "Kernel 'nothing' launch failed: hostErrorLaunchOutOfResources (grid=(1,1,1), "
            "block=(512,1,1))\n  more threads per block than the kernel allows\n"
            "  at launch_test.cpp:" +
                line);
}

// Any status of the runtime.

TEST_F(Launch, EveryStatusOfTheRuntimeComesOutWhole) {
  const LaunchConfig config{grid<5, 6, 7>, block<8, 4, 2>, shared<char>(100)};
  for (const host::StatusRow& row : host::status_table::rows) {
    if (row.status == HostStatus::success) continue;
    host::fail_next(call_of<&host_backend::launch>, 1, row.status);
    const LaunchError error = error_in(launch(stream, config, kernel<nothing>));
    const unsigned line = __LINE__ - 1;
    EXPECT_EQ(error.code, row.code == Errc::runtime_failed     ? Errc::launch_refused
                          : row.code == Errc::execution_failed ? Errc::pending_error
                                                               : row.code);
    EXPECT_EQ(error.stage, Stage::launch);
    EXPECT_EQ(error.severity, row.severity);
    EXPECT_EQ(error.raw, raw(row.status));
    EXPECT_EQ(text(error.raw_name), text(row.name));
    EXPECT_EQ(text(error.raw_text), text(row.text));
    EXPECT_EQ(error.vendor, Vendor::host);
    EXPECT_EQ(text(error.kernel), "nothing");
    EXPECT_THAT(error.grid, ::testing::ElementsAre(5, 6, 7));
    EXPECT_THAT(error.block, ::testing::ElementsAre(8, 4, 2));
    EXPECT_EQ(error.dynamic_shared, 100U);
    EXPECT_EQ(error.device, 0);
    EXPECT_EQ(error.stream, stream.native());
    EXPECT_EQ(error.site.line, line);
    EXPECT_THAT(message(error),
                ::testing::StartsWith("Kernel 'nothing' launch failed: " + text(row.name) +
                                      " (grid=(5,6,7), block=(8,4,2))\n"));
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>),
            std::size(host::status_table::rows) - 1);
}

TEST_F(Launch, WhatTheDriverCannotBeAskedIsReportedBeforeTheLaunch) {
  for (const Call call : {call_of<&host_backend::current_device>, call_of<&host_backend::limits_of>,
                          call_of<&host_backend::attributes_of>}) {
    host::fail_next(call, 1, HostStatus::initialization_error);
    const auto refused = launch(stream, config_of({1}, {32}), kernel<nothing>);
    const unsigned line = __LINE__ - 1;
    const LaunchError error = error_in(refused);
    EXPECT_EQ(error.code, Errc::runtime_failed);
    EXPECT_EQ(error.stage, Stage::validation);
    EXPECT_EQ(error.raw, raw(HostStatus::initialization_error));
    EXPECT_EQ(
        message(error),
        "Kernel 'nothing' not launched: the process was forked after the host backend was "
        "first used" +
            launch_line("grid=(1,1,1), block=(32,1,1), shared=0 bytes", "launch_test.cpp", line));
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

TEST_F(Launch, ARefusedOptInIsTheLaunchsOwnError) {
  become(limits::sm_90);
  host::fail_next(call_of<&host_backend::raise_dynamic_shared>, 1, HostStatus::invalid_value);
  const auto config = configure(grid<1>, block<32>, shared(Bytes(100000)));
  const LaunchError error = error_in(launch(stream, config, kernel<nothing>));
  EXPECT_EQ(error.code, Errc::launch_refused);
  EXPECT_EQ(error.stage, Stage::launch);
  EXPECT_EQ(error.dynamic_shared, 100000U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::launch>), 0U);
}

TEST_F(Launch, AFaultSurfacesAtTheNextWaitAndTheContextIsLost) {
  host::fault_in_kernel(1, HostStatus::illegal_address);
  ASSERT_TRUE(launch(stream, config_of({1}, {32}), kernel<nothing>).has_value());
  const auto waited = stream.synchronize();
  const unsigned line = __LINE__ - 1;
  const std::uint64_t suspect = debug::Journal::get().last();
  const std::uint64_t lost =
      suspect > debug::Journal::capacity ? suspect - debug::Journal::capacity : 0;
  const LaunchError error = error_in(waited);
  EXPECT_EQ(error.code, Errc::execution_failed);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(error.severity, Severity::context_lost);
  EXPECT_FALSE(error.recoverable());
  EXPECT_EQ(
      message(error),
      "Device synchronization failed: an illegal memory access was encountered\n"
      "  at launch_test.cpp:" +
          std::to_string(line) +
          "\n  the device's context is lost: every later call of this process fails; restart the "
          "process\n  suspect: 1 launch of device 0 not known to have ended\n    #" +
          std::to_string(suspect) +
          " 'nothing', grid=(1,1,1), block=(32,1,1), shared=0 bytes, stream " +
          address(stream.native()) + ", at launch_test.cpp:" + std::to_string(line - 1) +
          (lost == 0 ? ""
                     : "\n  the journal holds the last 1024 launches: " + std::to_string(lost) +
                           " older ones were not checked"));
  const LaunchError later = error_in(launch(stream, config_of({1}, {32}), kernel<nothing>));
  EXPECT_EQ(later.code, Errc::pending_error);
  EXPECT_EQ(later.severity, Severity::context_lost);
  const LaunchError unchecked =
      error_in(launch<off>(stream, config_of({1}, {32}), kernel<nothing>));
  EXPECT_EQ(unchecked.code, Errc::pending_error);
  EXPECT_EQ(unchecked.stage, Stage::launch);
  EXPECT_THAT(message(unchecked),
              ::testing::HasSubstr("launch failed: hostErrorIllegalAddress (grid=(1,1,1), "
                                   "block=(32,1,1))\n  an error was pending before this call: an "
                                   "illegal memory access was encountered"));
}

WARPSAFE_KERNEL void half_of_them_wait() {
  if (thread_in_block().x % 2 == 0) sync_block();
}

TEST_F(Launch, ADivergentBarrierIsReportedInTheRuntimesWords) {
  ASSERT_TRUE(launch(stream, config_of({1}, {32}), kernel<half_of_them_wait>).has_value());
  const LaunchError error = error_in(stream.synchronize());
  EXPECT_EQ(error.code, Errc::barrier_divergence);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_THAT(message(error), ::testing::HasSubstr(text(error.raw_text)));
  EXPECT_THAT(message(error), ::testing::Not(::testing::HasSubstr("0 of 0")));
}

// The runtime's last error belongs to the program: the library does not clear or overwrite it.

TEST_F(Launch, TheLastErrorIsLeftAsItWas) {
  unsigned* const counter = device_array<unsigned>(1);
  unsigned on_the_stack = 0;
  host::plant_last_error(HostStatus::invalid_pitch);
  const auto expect_untouched = [](const char* after) {
    EXPECT_EQ(host::take_last_error(), HostStatus::invalid_pitch) << after;
    host::plant_last_error(HostStatus::invalid_pitch);
  };
  const LaunchConfig config{grid<1>, block<32>};
  EXPECT_TRUE(launch<full>(stream, config, kernel<count_threads>, trust(counter)).has_value());
  expect_untouched("a launch");
  EXPECT_TRUE(launch<off>(stream, config, kernel<count_threads>, trust(counter)).has_value());
  expect_untouched("an unchecked launch");
  EXPECT_FALSE(
      launch(stream, config_of({1}, {2048}), kernel<count_threads>, trust(counter)).has_value());
  expect_untouched("a launch that our checks refuse");
  EXPECT_FALSE(launch(stream, config, kernel<count_threads>, trust(&on_the_stack)).has_value());
  expect_untouched("a launch with host memory");
  EXPECT_TRUE(
      launch(stream, configure(grid<1>, block<32>, shared<int>(3)), kernel<nothing>).has_value());
  expect_untouched("a launch with shared memory");
  EXPECT_TRUE(stream.synchronize().has_value());
  expect_untouched("a wait for a stream");
  EXPECT_TRUE(stream.ready().has_value());
  expect_untouched("a question to a stream");
  {
    auto other = Stream::create();
    ASSERT_TRUE(other.has_value());
    expect_untouched("a new stream");
    auto event = Event::create(other.value());
    ASSERT_TRUE(event.has_value());
    EXPECT_TRUE(event.value().synchronize().has_value());
    EXPECT_TRUE(event.value().ready().has_value());
    EXPECT_TRUE(warpsafe::wait(stream, event.value()).has_value());
    expect_untouched("an event");
    EXPECT_TRUE(other.value().close().has_value());
    expect_untouched("a closed stream");
  }
  EXPECT_TRUE(device_count().has_value());
  EXPECT_TRUE(current_device().has_value());
  EXPECT_TRUE(device_limits(DeviceId(0)).has_value());
  EXPECT_TRUE(DeviceGuard::create(DeviceId(0)).has_value());
  expect_untouched("questions about devices");
  EXPECT_EQ(host::take_last_error(), HostStatus::invalid_pitch);
}

}  // namespace
}  // namespace warpsafe::core_test
