// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Compares validation with the driver in both directions: each must accept and reject the same
// launches. Random configurations, most of them at a limit or next to it, against the launch of an
// empty kernel.

#include "gpu.hpp"
#include "wanted.hpp"
#include <warpsafe/error/message.hpp>
#include <warpsafe/launch/occupancy.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <string>

namespace ws = warpsafe;

namespace {

WARPSAFE_KERNEL void plain(int* sink) {
  if (sink != nullptr) *sink = 1;
}
WARPSAFE_KERNEL WARPSAFE_LAUNCH_BOUNDS(256, 1) void bounded(int* sink) {
  if (sink != nullptr) *sink = 1;
}
WARPSAFE_KERNEL void with_static_shared(int* sink) {
  int* shared = ws::shared_array<int, 10240>([] {});  // 40 KiB
  shared[threadIdx.x] = static_cast<int>(threadIdx.x);
  ws::sync_block();
  if (sink != nullptr) *sink = shared[(threadIdx.x + 1) % blockDim.x];
}
// Uses so many live values that fewer than 1024 threads fit into the register file.
WARPSAFE_KERNEL void many_registers(int* sink) {
  if (sink == nullptr) return;
  int values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = sink[i * 32 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 96; ++i) sink[i * 64 + threadIdx.x] = values[(i * 7 + 5) % 96] * values[i];
}

struct Subject {
  const char* name;
  ws::KernelEntry entry;
  ws::KernelLimits limits;
};

template <class K>
Subject subject_of(const ws::Stream& stream, K kernel, const char* name,
                   const ws::DeviceLimits& device) {
  Subject subject{name, K::entry(), ws::kernel_limits(stream, kernel).value()};
  // `launch` raises the attribute up to the device's limit; here it is raised once for all.
  EXPECT_EQ(ws::default_backend::raise_dynamic_shared(
                subject.entry, device.shared_per_block_optin - subject.limits.static_shared),
            0);
  return subject;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <std::size_t N>
  std::uint32_t pick(const std::uint32_t (&values)[N]) {
    return values[below(N)];
  }

 private:
  std::mt19937_64 engine_;
};

// Mostly small numbers, so that an accepted grid runs for microseconds, and each limit with its
// neighbours.
std::uint32_t axis_of_grid(Random& random, int axis, bool big) {
  constexpr std::uint32_t small[] = {1, 2, 3, 4, 5, 8, 16, 17};
  constexpr std::uint32_t edges[] = {0, 65534, 65535, 65536, 70000};
  constexpr std::uint32_t x_edges[] = {0, 65535, 65536, 2147483648U, 4294967295U};
  if (!big) return random.one_in(40) ? 0 : random.pick(small);
  return axis == 0 ? random.pick(x_edges) : random.pick(edges);
}

ws::LaunchShape random_shape(Random& random, const Subject& subject,
                             const ws::DeviceLimits& device) {
  ws::LaunchShape shape;
  const int big_axis = random.one_in(4) ? static_cast<int>(random.below(3)) : -1;
  for (int axis = 0; axis < 3; ++axis)
    shape.grid[axis] = axis_of_grid(random, axis, axis == big_axis);
  constexpr std::uint32_t x[] = {1,   31,  32,  33,  64,   128,  255, 256,
                                 257, 512, 640, 768, 1023, 1024, 1025};
  constexpr std::uint32_t y[] = {1, 1, 1, 1, 2, 4, 8, 16, 31, 32, 33, 1024, 1025};
  constexpr std::uint32_t z[] = {1, 1, 1, 1, 1, 2, 4, 63, 64, 65, 128};
  shape.block[0] = random.one_in(60) ? 0 : random.pick(x);
  shape.block[1] = random.one_in(60) ? 0 : random.pick(y);
  shape.block[2] = random.one_in(60) ? 0 : random.pick(z);
  if (random.one_in(200)) shape.block[0] = 65536;
  const std::uint64_t room = device.shared_per_block_optin - subject.limits.static_shared;
  const std::uint64_t shared[] = {0,
                                  0,
                                  0,
                                  1024,
                                  48 * 1024,
                                  49152,
                                  49153,
                                  room - 1,
                                  room,
                                  room + 1,
                                  room + 512,
                                  std::uint64_t{1} << 31,
                                  random.below(room + 4096)};
  shape.dynamic_shared = shared[random.below(sizeof shared / sizeof *shared)];
  if (random.one_in(4)) {
    constexpr std::uint32_t sizes[] = {1, 1, 2, 2, 3, 4, 8, 9, 16, 17};
    shape.has_cluster = true;
    shape.cluster[0] = random.pick(sizes);
    shape.cluster[1] = random.one_in(3) ? random.pick(sizes) : 1;
    shape.cluster[2] = random.one_in(6) ? 2 : 1;
  } else if (random.one_in(5)) {
    shape.cooperative = true;
    constexpr std::uint32_t grids[] = {1, 100, 131, 132, 133, 264, 1056, 2112, 2113, 4224, 5000};
    shape.grid[0] = random.pick(grids);
    shape.grid[1] = 1;
    shape.grid[2] = 1;
  }
  return shape;
}

std::string describe(const Subject& subject, const ws::LaunchShape& shape) {
  std::ostringstream out;
  const auto three = [&out](const char* name, const std::uint32_t(&axes)[3]) {
    out << ' ' << name << "=(" << axes[0] << ',' << axes[1] << ',' << axes[2] << ')';
  };
  out << subject.name;
  three("grid", shape.grid);
  three("block", shape.block);
  out << " shared=" << shape.dynamic_shared;
  if (shape.has_cluster) three("cluster", shape.cluster);
  if (shape.cooperative) out << " cooperative";
  return out.str();
}

// The driver queries of `launch` besides the cached limits.
ws::KernelLimits limits_for(const Subject& subject, const ws::LaunchShape& shape,
                            const ws::DeviceLimits& device) {
  ws::KernelLimits limits = subject.limits;
  if (shape.cooperative) {
    int each = 0;
    if (ws::default_backend::resident_blocks(subject.entry,
                                             static_cast<std::uint32_t>(shape.threads_per_block()),
                                             shape.dynamic_shared, each) == 0) {
      limits.resident_blocks = static_cast<std::uint32_t>(each) * device.multiprocessors;
    }
    static_cast<void>(cudaGetLastError());
  }
  return limits;
}

TEST(Differential, ValidationAgreesWithTheDriverInBothDirections) {
  WARPSAFE_TEST_NEEDS_GPU();
  const ws::Stream stream = ws::Stream::create().value();
  const ws::DeviceLimits device = ws::device_limits(stream.device()).value();
  const Subject subjects[] = {
      subject_of(stream, ws::kernel<plain>, "plain", device),
      subject_of(stream, ws::kernel<bounded>, "bounded", device),
      subject_of(stream, ws::kernel<with_static_shared>, "with_static_shared", device),
      subject_of(stream, ws::kernel<many_registers>, "many_registers", device),
  };
  const std::uint64_t configurations = wanted("WS_TEST_CONFIGURATIONS", 200000);
  // A tool that slows each block does not finish a grid of millions.
  const std::uint64_t most_blocks = wanted("WS_TEST_BLOCKS", ~std::uint64_t{0});
  Random random(20261120);
  std::map<std::string, std::uint64_t> verdicts;
  std::uint64_t accepted = 0;
  std::uint64_t differences = 0;
  for (std::uint64_t i = 0; i < configurations; ++i) {
    const Subject& subject = subjects[random.below(4)];
    const ws::LaunchShape shape = random_shape(random, subject, device);
    if (shape.blocks() > most_blocks) continue;
    ws::LaunchError error;
    const bool ours = ws::detail::validate_numbers(
        shape, ws::KernelNeeds{}, limits_for(subject, shape, device), device, error);
    int* sink = nullptr;
    void* args[] = {&sink};
    const int theirs = ws::default_backend::launch(subject.entry, shape, args, stream.native());
    static_cast<void>(cudaGetLastError());
    accepted += theirs == 0 ? 1 : 0;
    const ws::Name name = ws::default_backend::error_name(theirs);
    const std::string answer(name.data, name.size);
    verdicts[std::string(ours ? "accepted" : ws::describe(error.code)) + " / " + answer]++;
    if (ours != (theirs == 0) && ++differences <= 20) {
      ADD_FAILURE() << describe(subject, shape)
                    << "\n  ours: " << (ours ? "accepted" : ws::message(error))
                    << "\n  driver: " << answer;
    }
    if (i % 1000 == 0) ASSERT_TRUE(stream.synchronize().has_value());
  }
  ASSERT_TRUE(stream.synchronize().has_value());
  EXPECT_EQ(differences, 0U);
  EXPECT_GT(accepted, configurations / 20) << "too few accepted ones to mean anything";
  for (const auto& [verdict, count] : verdicts)
    std::printf("%10llu  %s\n", static_cast<unsigned long long>(count), verdict.c_str());
  RecordProperty("configurations", static_cast<int>(configurations));
}

WARPSAFE_KERNEL void count_items(unsigned* seen, std::size_t n) {
  const std::size_t i = ws::thread_index().x;
  if (i < n) ws::atomic_add(&seen[i], 1U);
}
WARPSAFE_KERNEL void count_strided(unsigned* seen, std::size_t n) {
  for (const auto i : ws::grid_stride(n)) ws::atomic_add(&seen[i], 1U);
}
WARPSAFE_KERNEL void count_2d(unsigned* seen, ws::extent<2> size) {
  const ws::Index3 index = ws::thread_index();
  if (size.contains(index)) ws::atomic_add(&seen[size.offset(index)], 1U);
}

void expect_each_once(const std::vector<unsigned>& seen) {
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], 1U) << "item " << i;
}

TEST(Differential, EachItemOfAnAcceptedLaunchRunsExactlyOnce) {
  WARPSAFE_TEST_NEEDS_GPU();
  const ws::Stream stream = ws::Stream::create().value();
  for (const std::size_t n : {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257},
                              std::size_t{100000}, std::size_t{16777216}, std::size_t{16777217}}) {
    auto seen = ws::DeviceBuffer<unsigned>::create(stream, n).value();
    ASSERT_TRUE(seen.zero(stream).has_value());
    ASSERT_TRUE(ws::launch(stream, ws::configure(ws::SafeGrid<>::cover(n, ws::block<256>)),
                           ws::kernel<count_items>, seen.view(), n)
                    .has_value());
    expect_each_once(seen.to_host(stream).get().value());
    ASSERT_TRUE(seen.zero(stream).has_value());
    const auto most =
        ws::max_resident_blocks(stream, ws::kernel<count_strided>, ws::block<256>).value();
    ASSERT_TRUE(ws::launch(stream,
                           ws::configure(ws::SafeGrid<>::grid_stride(n, ws::block<256>, most)),
                           ws::kernel<count_strided, ws::grid_stride_kernel>, seen.view(), n)
                    .has_value());
    expect_each_once(seen.to_host(stream).get().value());
  }
  for (const int rows : {1, 15, 16, 17, 1000}) {
    for (const int cols : {1, 15, 16, 17, 3000}) {
      const ws::extent size{ws::rows{rows}, ws::cols{cols}};
      const std::size_t n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
      auto seen = ws::DeviceBuffer<unsigned>::create(stream, n).value();
      ASSERT_TRUE(seen.zero(stream).has_value());
      ASSERT_TRUE(ws::launch(stream, ws::configure(ws::SafeGrid<>::cover(size, ws::block<16, 16>)),
                             ws::kernel<count_2d>, seen.view(), size)
                      .has_value());
      expect_each_once(seen.to_host(stream).get().value());
    }
  }
}

}  // namespace
