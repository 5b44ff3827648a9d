// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// A launch that gives bytes as a number of elements, in a program that does not include
// <warpsafe/debug.hpp>.

#include <warpsafe/host.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

/// One thread of the block writes.
template <class T>
WARPSAFE_FN void set(T& element) {
  if (warpsafe::thread_in_block().x == 0) element = 1;
}
#line 17 "/home/me/src/reverse.cpp"
WARPSAFE_KERNEL void reverse(unsigned count) { set(warpsafe::dynamic_shared<float>(count)[0]); }
WARPSAFE_KERNEL void scan(unsigned count) { set(warpsafe::dynamic_shared<double>(count)[0]); }
WARPSAFE_KERNEL void use_all(unsigned count) {
  for (unsigned i = 0; i < 4 * count; ++i) set(warpsafe::dynamic_shared<int>(count)[i]);
}
WARPSAFE_KERNEL void of_bytes(unsigned count) { set(warpsafe::dynamic_shared<char>(count)[0]); }
#line 28 "shared_bytes_test.cpp"

namespace warpsafe::core_test {
namespace {

/// What is on standard error after a launch with `given` bytes of dynamic shared memory.
template <class K, class Shared>
std::string said_by(K of, unsigned count, Shared given) {
  const Stream stream = Stream::create().value();
  testing::internal::CaptureStderr();
  const auto launched = launch(stream, LaunchConfig{grid<2>, block<32>, given}, of, count);
  const bool ended = launched.has_value() && stream.synchronize().has_value();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(ended);
  return text;
}

TEST(SharedBytes, AreToldOnceForEachKernel) {
  EXPECT_EQ(said_by(kernel<reverse>, 256, shared<float>(256 * sizeof(float))),
            "warpsafe: the launch of 'reverse' gives 4096 bytes of dynamic shared memory, 4 times "
            "the 1024 bytes that the kernel asks for at reverse.cpp:17; shared<T>(count) takes the "
            "number of elements: write shared<T>(256)\n");
  EXPECT_EQ(
      said_by(kernel<scan>, 8, shared<double>(8 * sizeof(double))),
      "warpsafe: the launch of 'scan' gives 512 bytes of dynamic shared memory, 8 times the "
      "64 bytes that the kernel asks for at reverse.cpp:18; shared<T>(count) takes the number "
      "of elements: write shared<T>(8)\n");
  EXPECT_EQ(said_by(kernel<reverse>, 128, shared<float>(128 * sizeof(float))), "");
  EXPECT_EQ(said_by(kernel<scan>, 8, shared<double>(8 * sizeof(double))), "");
}

TEST(SharedBytes, ARightLaunchIsSilent) {
  EXPECT_EQ(said_by(kernel<reverse>, 100, shared<float>(100)), "");
  EXPECT_EQ(said_by(kernel<reverse>, 100, shared<float>(300)), "") << "more, but not this mistake";
  EXPECT_EQ(said_by(kernel<reverse>, 1, shared<float>(4)), "") << "a call that declares no size";
  EXPECT_EQ(said_by(kernel<use_all>, 8, shared<int>(32)), "") << "the kernel uses all of it";
  EXPECT_EQ(said_by(kernel<of_bytes>, 64, shared<char>(64)), "");
}

}  // namespace
}  // namespace warpsafe::core_test
