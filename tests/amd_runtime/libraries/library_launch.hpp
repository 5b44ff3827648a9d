// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../agent/soft_hsa.h"
#include <warpsafe/error/message.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/warpsafe.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

// Shared by the tests here: calls of AMD's own libraries through bound handles, over AMD's runtime.
// CMake compiles those of the libraries that are installed.

namespace ws = warpsafe;
using namespace std::chrono_literals;

using HipStream = ws::basic_stream<ws::hip_backend>;
template <class T>
using Buffer = ws::basic_device_buffer<ws::hip_backend, T>;

/// Device 1, and two streams there.
class LibraryOverAmd : public testing::Test {
 protected:
  template <class T>
  Buffer<T> buffer(std::size_t size) const {
    auto made = Buffer<T>::create(stream_, size).value();
    EXPECT_TRUE(made.zero(stream_).has_value());
    return made;
  }
  /// Makes `call` twice, the second time while the device does nothing. The work waits on the
  /// stream `on`, and not on `idle`. Its launches arrive at device 1, with a kernel of each of
  /// these names (words in the mangled name) and with `memory` as an argument. On a GPU only the
  /// calls are made.
  template <class Call>
  void expect_launch(const HipStream& on, const HipStream& idle, Call call,
                     const std::vector<std::string>& kernels, const void* memory) {
    expect_success(call());  // the first may load code or make handles, and wait for the device
    ASSERT_TRUE(on.synchronize().has_value() && idle.synchronize().has_value());
    const auto hold = function<void(int)>("soft_hsa_hold");
    if (hold == nullptr) GTEST_SKIP() << "the packets can be read on the software agent alone";
    const auto count = function<std::uint64_t()>("soft_hsa_dispatches");
    const std::uint64_t before = count();
    hold(1);
    // A call that waits for the device does not hang the test.
    std::jthread release([hold](const std::stop_token& ended) {
      for (int i = 0; i < 100 && !ended.stop_requested(); ++i) std::this_thread::sleep_for(100ms);
      if (!ended.stop_requested()) hold(0);
    });
    const auto called = call();
    const auto waits = on.ready();
    const auto free = idle.ready();
    release.request_stop();
    hold(0);
    expect_success(called);
    EXPECT_FALSE(waits.value()) << "nothing was submitted to the handle's stream";
    EXPECT_TRUE(free.value()) << "something was submitted to another stream";
    ASSERT_TRUE(on.synchronize().has_value());

    const auto dispatch = function<int(std::uint64_t, SoftHsaDispatch*)>("soft_hsa_dispatch");
    std::string names;
    bool has_memory = false;
    for (std::uint64_t number = before + 1; number <= count(); ++number) {
      SoftHsaDispatch packet{};
      ASSERT_EQ(dispatch(number, &packet), 1);
      names += std::string(packet.kernel) + "\n";
      EXPECT_EQ(packet.device, 1) << packet.kernel;
      EXPECT_GT(packet.grid[0] * packet.block[0], 0U) << packet.kernel;
      has_memory = has_memory || has_argument(packet, memory);
    }
    for (const std::string& kernel : kernels) EXPECT_THAT(names, testing::HasSubstr(kernel));
    EXPECT_TRUE(has_memory) << names << "no launch has the buffer's address as an argument";
  }
  template <class Result>
  static void expect_success(const Result& result) {
    EXPECT_TRUE(result.has_value()) << (result.has_value() ? "" : ws::message(result.error()));
  }

  const ws::DeviceGuard guard_ = ws::DeviceGuard::create(ws::DeviceId(1)).value();
  const HipStream stream_ = HipStream::create(ws::DeviceId(1)).value();
  const HipStream other_ = HipStream::create(ws::DeviceId(1)).value();

 private:
  /// A function of the software agent; null on a GPU.
  template <class Function>
  static Function* function(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  }
  static bool has_argument(const SoftHsaDispatch& packet, const void* memory) {
    const auto* const arguments = static_cast<const std::byte*>(packet.kernarg);
    for (std::size_t at = 0; at + sizeof memory <= packet.kernarg_bytes;
         at += 4) {  // some are packed
      if (std::memcmp(arguments + at, &memory, sizeof memory) == 0) return true;
    }
    return false;
  }
};
