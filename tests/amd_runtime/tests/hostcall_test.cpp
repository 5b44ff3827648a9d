// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Device printf and assert. For a kernel that uses them the runtime makes a buffer and starts a
// thread, which prints what the kernel's waves put there ("hostcalls"). Here a function takes the
// kernel's place and acts as its wave, by the protocol of AMD's device library
// (ROCm-Device-Libs, ockl/src/hostcall_impl.cl and services.cl). Buffer, thread and text are the
// runtime's.
#include "../agent/soft_hsa.h"
#include "runtime_kernels.hpp"
#include <warpsafe/warpsafe.hpp>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <hip/hip_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace ws = warpsafe;

template <class F>
F agent(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
}

using Word = std::uint64_t;
struct Packet {
  Word next, lanes;
  std::uint32_t service;
  std::atomic<std::uint32_t> waits;  ///< bit 0: until the host has answered
};
struct Slots {
  Word words[64][8];
};
struct Buffer {
  Packet* packets;
  Slots* slots;
  Word doorbell;
  std::atomic<Word> unused, ready;  ///< stacks of packets: an index, and a tag above the mask
  Word mask;
};

/// One request of lane 0 of a wave. @return what the host wrote into the lane's first word
Word call_host(Buffer& buffer, std::uint32_t service, const Word (&words)[8]) {
  Word taken = buffer.unused.load();
  while (!buffer.unused.compare_exchange_weak(taken, buffer.packets[taken & buffer.mask].next)) {
  }
  Packet& packet = buffer.packets[taken & buffer.mask];
  Word* const slot = buffer.slots[taken & buffer.mask].words[0];
  packet.lanes = 1;
  packet.service = service;
  packet.waits.store(1);
  std::copy(std::begin(words), std::end(words), slot);
  packet.next = buffer.ready.load();
  while (!buffer.ready.compare_exchange_weak(packet.next, taken)) {
  }
  agent<void (*)(Word, std::int64_t)>("hsa_signal_add_relaxed")(buffer.doorbell, 1);
  while ((packet.waits.load() & 1U) != 0) std::this_thread::yield();
  const Word answer = slot[0];
  Word tagged = taken + buffer.mask + 1;
  if (tagged == 0) tagged = buffer.mask + 1;
  packet.next = buffer.unused.load();
  while (!buffer.unused.compare_exchange_weak(packet.next, tagged)) {
  }
  return answer;
}

/// What printf does in device code: the format and the values, in messages of up to seven words.
/// @return as printf
int print(Buffer& buffer, bool to_stderr, const std::string& format,
          const std::vector<Word>& values) {
  constexpr std::uint32_t service_printf = 2;
  constexpr Word begins = 1, ends = 2, id_mask = ~Word{0xff};
  std::vector<Word> words(1 + (format.size() + 8) / 8);
  words[0] = to_stderr ? 1 : 0;
  std::memcpy(&words[1], format.c_str(), format.size());
  words.insert(words.end(), values.begin(), values.end());
  Word message = begins;
  for (std::size_t at = 0; at < words.size(); at += 7) {
    const std::size_t count = std::min<std::size_t>(7, words.size() - at);
    Word slot[8] = {message | (count << 5U) | (at + count == words.size() ? ends : 0)};
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(at), count, slot + 1);
    message = call_host(buffer, service_printf, slot);
    if (at + count < words.size()) message &= id_mask;
  }
  return static_cast<int>(message);
}

class Hostcall : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (dlsym(RTLD_DEFAULT, "soft_hsa_twin") == nullptr) {
      GTEST_SKIP() << "on a GPU the kernel itself prints";
    }
  }
  void expect_done(const ws::result<void>& launched) {
    ASSERT_TRUE(launched.has_value());
    ASSERT_TRUE(stream_.synchronize().has_value());
  }
  const ws::Stream stream_ = ws::Stream::create().value();
};

constexpr ws::LaunchConfig one{ws::grid<1>, ws::block<1>};
// The names that hipcc gives the kernels.
constexpr const char* prints = "_ZN8amd_test6printsEi";
constexpr const char* asserts = "_ZN8amd_test7assertsEi";
constexpr const char* nothing = "_ZN8amd_test7nothingEv";

void set_twin(const char* kernel, SoftHsaTwin twin, void* data) {
  agent<void (*)(const char*, SoftHsaTwin, void*)>("soft_hsa_twin")(kernel, twin, data);
}

TEST_F(Hostcall, TheRuntimesThreadPrintsWhatAKernelPrints) {
  int printed = 0;
  set_twin(
      prints,
      [](const SoftHsaDispatch* d, void* data) {
        ASSERT_NE(d->hostcall, nullptr);
        int number = 0;
        std::memcpy(&number, d->kernarg, sizeof number);
        *static_cast<int*>(data) =
            print(*static_cast<Buffer*>(d->hostcall), false,
                  "number %d of a long format, in several messages, with %.2f %%\n",
                  {static_cast<Word>(number), std::bit_cast<Word>(1.5)});
      },
      &printed);
  testing::internal::CaptureStdout();
  expect_done(ws::launch(stream_, one, ws::kernel<amd_test::prints>, 7));
  expect_done(ws::launch(stream_, one, ws::kernel<amd_test::prints>, 8));
  std::fflush(stdout);
  const std::string expected = "number 7 of a long format, in several messages, with 1.50 %\n";
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            expected + "number 8 of a long format, in several messages, with 1.50 %\n");
  EXPECT_EQ(printed, static_cast<int>(expected.size()));
  set_twin(prints, nullptr, nullptr);
}

TEST_F(Hostcall, TheQueuesOfSeveralStreamsPrint) {
  int release = 0;
  ASSERT_EQ(hipRuntimeGetVersion(&release), hipSuccess);
  if (release < 50700000) {
    GTEST_SKIP()
        << "5.2.3 makes a signal for each queue, and its thread waits for the newest alone";
  }
  std::atomic<int> waves = 0;
  set_twin(
      prints,
      [](const SoftHsaDispatch* d, void* data) {
        Word wave = 0;  // a text among the values
        std::memcpy(&wave, "wave\n", 5);
        for (int i = 0; i < 100; ++i) {
          if (print(*static_cast<Buffer*>(d->hostcall), false, "%s", {wave}) == 5) {
            ++*static_cast<std::atomic<int>*>(data);
          }
        }
      },
      &waves);
  testing::internal::CaptureStdout();
  std::vector<ws::Stream> streams;
  for (int i = 0; i < 4; ++i) streams.push_back(ws::Stream::create().value());
  for (const ws::Stream& stream : streams) {
    ASSERT_TRUE(ws::launch(stream, one, ws::kernel<amd_test::prints>, 1).has_value());
  }
  for (const ws::Stream& stream : streams) ASSERT_TRUE(stream.synchronize().has_value());
  std::fflush(stdout);
  std::string expected;
  for (int i = 0; i < 400; ++i) expected += "wave\n";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
  EXPECT_EQ(waves, 400);
  set_twin(prints, nullptr, nullptr);
}

TEST_F(Hostcall, AFailedAssertIsPrintedAndEndsTheProcess) {
  EXPECT_EXIT(
      {
        set_twin(
            asserts,
            [](const SoftHsaDispatch* d, void*) {
              print(*static_cast<Buffer*>(d->hostcall), true, "Assertion `number == 5' failed.\n",
                    {});
              agent<void (*)(int)>("soft_hsa_fault_next")(SOFT_HSA_ABORT);
            },
            nullptr);
        static_cast<void>(ws::launch(stream_, one, ws::kernel<amd_test::asserts>, 4));
        pause();
      },
      testing::KilledBySignal(SIGABRT), "Assertion `number == 5' failed");
}

TEST_F(Hostcall, AKernelWithoutPrintfHasNoBuffer) {
  void* found = this;
  set_twin(
      nothing,
      [](const SoftHsaDispatch* d, void* data) { *static_cast<void**>(data) = d->hostcall; },
      &found);
  expect_done(ws::launch(stream_, one, ws::kernel<amd_test::nothing>));
  EXPECT_EQ(found, nullptr);
  set_twin(nothing, nullptr, nullptr);
}

}  // namespace
