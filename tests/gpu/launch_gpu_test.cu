// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// On a real device, CUDA returns the same error for many mistakes; the library reports each with
// name, number and limit. Compares with the driver's own verdict. Also tests what only a device
// shows.

#include "gpu.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/launch/check.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ws = warpsafe;

namespace {

WARPSAFE_KERNEL void store_one(int* out) { *out = 1; }
WARPSAFE_KERNEL WARPSAFE_LAUNCH_BOUNDS(256, 1) void bounded(int* out) { *out = 1; }
WARPSAFE_KERNEL void use_dynamic(int* out, int last) {
  int* shared = ws::dynamic_shared<int>();
  shared[last] = 7;
  ws::sync_block();
  *out = shared[last];
}
WARPSAFE_KERNEL void with_static_shared(int* out, int last) {
  int* fixed = ws::shared_array<int, 1500>([] {});  // 6000 bytes
  int* dynamic = ws::dynamic_shared<int>();
  fixed[threadIdx.x] = 1;
  dynamic[last] = 2;
  ws::sync_block();
  *out = fixed[0] + dynamic[last];
}
struct Span {
  int first;
  long count;
};
/// Private members are examined by their layout under g++, and one by one under clang++.
class Scale {
 public:
  constexpr Scale(double by, int plus) : by_(by), plus_(plus) {}
  __host__ __device__ constexpr int of(int value) const {
    return static_cast<int>(by_ * value) + plus_;
  }

 private:
  double by_;
  int plus_;
};
WARPSAFE_KERNEL void sum_of(Span span, Scale scale, int* out) {
  *out = scale.of(span.first + static_cast<int>(span.count));
}
WARPSAFE_KERNEL void read_far(int* out) { *out = *(out + (std::size_t{1} << 40)); }

class LaunchOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    WARPSAFE_TEST_NEEDS_GPU();
    static_cast<void>(cudaGetLastError());  // another test's
    stream = ws::Stream::create().value();
    out = ws::DeviceBuffer<int>::create(*stream, 1).value();
    device = ws::device_limits(stream->device()).value();
  }
  void TearDown() override {
    // No test leaves an error behind, and the library clears none.
    if (stream) EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  }
  template <class K>
  void expect_refused(K kernel, dim3 grid, dim3 block, std::size_t bytes, ws::Errc code,
                      const std::string& words) {
    const auto ours = ws::check(kernel, grid, block, bytes, stream->native());
    ASSERT_FALSE(ours.has_value()) << words;
    EXPECT_EQ(ours.error().code, code);
    const std::string text = ws::message(ours.error());
    EXPECT_NE(text.find(words), std::string::npos) << text;
    // The driver refuses it too, in fewer words.
    int* pointer = out->view().pointer().get();
    void* args[] = {&pointer, &zero};
    const cudaError_t theirs =
        cudaLaunchKernel(K::entry().function, grid, block, args, bytes, stream->native());
    EXPECT_NE(theirs, cudaSuccess) << text;
    std::printf("  driver: %-28s warpsafe: %s\n", cudaGetErrorName(theirs), text.c_str());
    static_cast<void>(cudaGetLastError());
  }

  int zero = 0;
  std::optional<ws::Stream> stream;
  std::optional<ws::DeviceBuffer<int>> out;
  ws::DeviceLimits device;
};

TEST_F(LaunchOnGpu, TellsTheNineMistakesApart) {
  expect_refused(ws::kernel<store_one>, dim3(0), dim3(32), 0, ws::Errc::grid_zero,
                 "grid.x 0 invalid");
  expect_refused(ws::kernel<store_one>, dim3(1), dim3(0), 0, ws::Errc::block_zero,
                 "block.x 0 invalid");
  expect_refused(ws::kernel<store_one>, dim3(1), dim3(2048), 0, ws::Errc::block_too_large,
                 "is 2048 threads, limit 1024");
  expect_refused(ws::kernel<store_one>, dim3(1), dim3(1, 1, 128), 0, ws::Errc::block_axis_too_large,
                 "block.z 128 invalid (limit: 1..64 of device ");
  expect_refused(ws::kernel<store_one>, dim3(1, 70000), dim3(32), 0, ws::Errc::grid_too_large,
                 "grid.y 70000 invalid (limit: 1..65535)");
  expect_refused(ws::kernel<bounded>, dim3(1), dim3(512), 0, ws::Errc::kernel_threads_exceeded,
                 "is 512 threads, limit 256");
  expect_refused(ws::kernel<use_dynamic>, dim3(1), dim3(32), 70000, ws::Errc::shared_not_opted_in,
                 "70000 bytes of dynamic shared memory, limit 49152");
  expect_refused(ws::kernel<use_dynamic>, dim3(1), dim3(32), device.shared_per_block_optin + 1,
                 ws::Errc::shared_too_large,
                 "exceeds limit " + std::to_string(device.shared_per_block_optin));
  expect_refused(ws::kernel<store_one>, dim3(3000000000U), dim3(32), 0, ws::Errc::grid_too_large,
                 "grid.x 3000000000 invalid (limit: 1..2147483647)");
}

TEST_F(LaunchOnGpu, RaisesDynamicSharedMemoryByItself) {
  const int bytes = static_cast<int>(device.shared_per_block_optin);
  const int last = bytes / 4 - 1;
  const auto config = ws::configure(ws::grid<1>, ws::block<32>, ws::shared<int>(last + 1));
  ASSERT_TRUE(ws::launch(*stream, config, ws::kernel<use_dynamic>, out->view(), last).has_value());
  EXPECT_EQ(out->to_host(*stream).get().value()[0], 7);
  // Static and dynamic together, to the last byte, and one element more.
  const int room = (bytes - 6000) / 4;
  ASSERT_TRUE(ws::launch(*stream, ws::configure(ws::grid<1>, ws::block<32>, ws::shared<int>(room)),
                         ws::kernel<with_static_shared>, out->view(), room - 1)
                  .has_value());
  EXPECT_EQ(out->to_host(*stream).get().value()[0], 3);
  const auto refused =
      ws::launch(*stream, ws::configure(ws::grid<1>, ws::block<32>, ws::shared<int>(room + 1)),
                 ws::kernel<with_static_shared>, out->view(), room);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::shared_too_large);
  std::printf("  %s\n", ws::message(refused.error()).c_str());
}

TEST_F(LaunchOnGpu, ThreadsThatRaiseAtOnceAreAllServed) {
  std::vector<std::thread> threads;
  std::vector<int> failures(16, 0);
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      const auto mine = ws::Stream::create();
      if (!mine.has_value()) {
        failures[static_cast<std::size_t>(t)] = 1000;
        return;
      }
      for (int i = 0; i < 200; ++i) {
        const int count =
            1 + (t * 3571 + i * 257) % (static_cast<int>(device.shared_per_block_optin) / 4);
        const auto launched = ws::launch(
            mine.value(), ws::configure(ws::grid<1>, ws::block<32>, ws::shared<int>(count)),
            ws::kernel<use_dynamic>, ws::trust(out->view().pointer().get()), count - 1);
        if (!launched.has_value()) ++failures[static_cast<std::size_t>(t)];
      }
      if (!mine.value().synchronize().has_value()) failures[static_cast<std::size_t>(t)] += 1000;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const int failed : failures) EXPECT_EQ(failed, 0);
}

TEST_F(LaunchOnGpu, ChecksAreSafeDuringCapture) {
  ASSERT_EQ(cudaStreamBeginCapture(stream->native(), cudaStreamCaptureModeGlobal), cudaSuccess);
  const auto launched = ws::launch(*stream, ws::configure(ws::grid<1>, ws::block<32>),
                                   ws::kernel<store_one>, out->view());
  cudaGraph_t graph{};
  ASSERT_EQ(cudaStreamEndCapture(stream->native(), &graph), cudaSuccess);
  ASSERT_TRUE(launched.has_value());
  std::size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1U);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(LaunchOnGpu, APlantedLastErrorStays) {
  ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  ASSERT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  const auto config = ws::configure(ws::grid<1>, ws::block<32>);
  EXPECT_TRUE(ws::launch(*stream, config, ws::kernel<store_one>, out->view()).has_value());
  EXPECT_FALSE(ws::launch(*stream, ws::configure(ws::SafeGrid<>::cover(-1, ws::block<32>)),
                          ws::kernel<store_one>, out->view())
                   .has_value());
  EXPECT_TRUE(stream->synchronize().has_value());
  EXPECT_EQ(out->to_host(*stream).get().value()[0], 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST_F(LaunchOnGpu, StructuresArriveAsTheyWerePassed) {
  ASSERT_TRUE(ws::launch(*stream, ws::configure(ws::grid<1>, ws::block<1>), ws::kernel<sum_of>,
                         Span{3, 4}, Scale{2.0, 1}, out->view())
                  .has_value());
  EXPECT_EQ(out->to_host(*stream).get().value()[0], 15);
}

TEST_F(LaunchOnGpu, AHostPointerIsFoundBeforeTheLaunch) {
  int on_the_host = 0;
  const auto refused = ws::launch(*stream, ws::configure(ws::grid<1>, ws::block<32>),
                                  ws::kernel<store_one>, ws::trust(&on_the_host));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::argument_host_pointer);
}

#if !defined(WARPSAFE_BACKEND_HIP)  // which has no clusters: none of this compiles there
TEST_F(LaunchOnGpu, ClustersAtTheirLimits) {
  if (device.max_cluster_blocks == 0) GTEST_SKIP() << "needs a device with clusters";
  const auto view = out->view();
  EXPECT_TRUE(ws::launch(*stream, ws::configure(ws::grid<8>, ws::block<32>, ws::cluster<8>),
                         ws::kernel<store_one>, view)
                  .has_value());
  EXPECT_TRUE(ws::launch(*stream,
                         ws::configure(ws::grid<16>, ws::block<32>, ws::non_portable_cluster<16>),
                         ws::kernel<store_one>, view)
                  .has_value());
  EXPECT_TRUE(stream->synchronize().has_value());
}
#endif

TEST_F(LaunchOnGpu, CooperativeLaunchesAtTheirLimit) {
  const auto view = out->view();
  const auto most =
      ws::max_resident_blocks(*stream, ws::kernel<store_one>, ws::block<1024>).value();
  const auto grid_of = [](std::uint64_t blocks) { return ws::GridDim::from_blocks(blocks); };
  EXPECT_TRUE(
      ws::launch(*stream,
                 ws::configure(grid_of(most.count.magnitude), ws::block<1024>, ws::cooperative),
                 ws::kernel<store_one>, view)
          .has_value());
  const auto refused = ws::launch(
      *stream, ws::configure(grid_of(most.count.magnitude + 1), ws::block<1024>, ws::cooperative),
      ws::kernel<store_one>, view);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ws::Errc::cooperative_too_large);
  EXPECT_EQ(refused.error().limit, most.count.magnitude);
  std::printf("  %s\n", ws::message(refused.error()).c_str());
  EXPECT_TRUE(stream->synchronize().has_value());
}

// Last: the context does not survive it. In a child process of the test program.
TEST(LaunchOnGpuDeathTest, AFaultIsReportedAtTheSynchronisationAsALostContext) {
  WARPSAFE_TEST_NEEDS_GPU();
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const auto stream = ws::Stream::create();
        auto out = ws::DeviceBuffer<int>::create(stream.value(), 1);
        const auto launched = ws::launch(stream.value(), ws::configure(ws::grid<1>, ws::block<1>),
                                         ws::kernel<read_far>, out.value().view());
        const auto waited = stream.value().synchronize();
        const bool right = launched.has_value() && !waited.has_value() &&
                           waited.error().code == ws::Errc::execution_failed &&
                           !waited.error().recoverable();
        if (!waited.has_value()) std::fprintf(stderr, "%s\n", ws::message(waited.error()).c_str());
        const auto again = ws::launch(stream.value(), ws::configure(ws::grid<1>, ws::block<1>),
                                      ws::kernel<store_one>, out.value().view());
        if (!again.has_value()) std::fprintf(stderr, "%s\n", ws::message(again.error()).c_str());
        std::_Exit(right && !again.has_value() ? 42 : 1);
      },
      ::testing::ExitedWithCode(42), "context is lost");
}

}  // namespace
