// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "scripted_runtime.hpp"
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>
#include <warpsafe/memory/synchronize.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Which calls of the runtime copies make, on which device, and what they do when a call fails.

namespace warpsafe::core_test {
namespace {

struct CopyCalls : ScriptedTest {
  using Rows = detail::CopyRows;
  using Ref = basic_stream_ref<ScriptedRuntime>;
  using Memory = detail::DeviceMemory<ScriptedRuntime>;
  template <class T>
  using Buffer = basic_device_buffer<ScriptedRuntime, T>;
  template <class T>
  using Pinned = basic_pinned_buffer<ScriptedRuntime, T>;
  template <class T>
  using Pitched = basic_pitched_buffer<ScriptedRuntime, T>;

  static constexpr auto full = CheckLevel::full;
  const Ref stream = Runtime::stream(1);

  static Rows flat(std::uintptr_t memory, int device, std::size_t size = 12) {
    return Rows::flat(Runtime::handle<char*>(memory), size, device);
  }
  /// Two rows of 3 bytes.
  static Rows matrix(std::uintptr_t memory, int device) {
    return {Runtime::handle<void*>(memory), 5, 3, 2, true, device, 6};
  }
  static void capture(std::uintptr_t stream) {
    script.capturing.insert(Runtime::handle<void*>(stream));
  }
  template <class T = int>
  static Buffer<T> buffer(std::size_t size, std::uintptr_t stream = 1, int device = 0) {
    auto made = Buffer<T>::create(basic_stream_hold(Runtime::stream(stream, device)), size).value();
    static_cast<void>(script.taken());
    return made;
  }
};

// A stream of device 3 copies between devices 0, 1 and 2; -1: host memory or unknown.
TEST_F(CopyCalls, AreMadeOnTheDeviceOfTheMemory) {
  const struct {
    int to, from;
    CopyKind kind;
    int on;
    bool peers;
  } rows[] = {
      {1, 2, CopyKind::device_to_device, 1, true},   {0, 2, CopyKind::device_to_device, 0, true},
      {2, 0, CopyKind::device_to_device, 2, true},   {1, 1, CopyKind::device_to_device, 1, false},
      {0, 0, CopyKind::device_to_device, 0, false},  {-1, 1, CopyKind::device_to_device, 3, false},
      {1, -1, CopyKind::device_to_device, 3, false}, {-1, -1, CopyKind::device_to_device, 3, false},
      {-1, 0, CopyKind::device_to_host, 0, false},   {-1, 2, CopyKind::device_to_host, 2, false},
      {0, -1, CopyKind::host_to_device, 0, false},   {2, -1, CopyKind::host_to_device, 2, false},
      {-1, -1, CopyKind::device_to_host, 3, false},
  };
  for (const auto& [to, from, kind, on, peers] : rows) {
    script.device = 9;
    EXPECT_EQ(detail::submit_copy(flat(5, to), flat(6, from), kind, Runtime::stream(1, 3)), 0);
    const std::string call =
        peers ? "copy_peer 5 " + std::to_string(to) + " 6 " + std::to_string(from) + " 12 1"
              : "copy 5 6 12 1";
    EXPECT_EQ(script.taken(), (Calls{"set_device " + std::to_string(on), call, "set_device 9"}))
        << to << ' ' << from;
  }
}

// The handle 1, here shown as 0, is the legacy default stream of the device that is current.
TEST_F(CopyCalls, OfAFarDefaultStreamRunOnThatOfTheMemoryBetweenTwoPoints) {
  const auto legacy = detail::StreamAccess::make<ScriptedRuntime>(reinterpret_cast<void*>(1), 0);
  const auto copied = [&] {
    script.device = 0;
    return detail::submit_copy(flat(5, 3), flat(6, -1), CopyKind::host_to_device, legacy);
  };
  EXPECT_EQ(copied(), 0);
  EXPECT_EQ(script.taken(), (Calls{"event_record 1 0", "set_device 3", "stream_wait 0 1",
                                   "set_device 0", "set_device 3", "copy 5 6 12 0", "set_device 0",
                                   "set_device 3", "event_record 2 0", "set_device 0",
                                   "stream_wait 0 2", "event_destroy 2", "event_destroy 1"}));
  for (const char* const call : {"event_record", "stream_wait"}) {
    script.fails = {{call, 4}};
    EXPECT_EQ(copied(), 4) << call;
    EXPECT_THAT(script.taken(), ::testing::Not(::testing::Contains("copy 5 6 12 0"))) << call;
  }
  script.fails = {{"copy", 4}};
  EXPECT_EQ(copied(), 4);
  EXPECT_THAT(script.taken(), ::testing::Not(::testing::Contains("stream_synchronize 0")));
  script.fails = {};
  for (const char* const call : {"event_record", "stream_wait"}) {
    script.fails_later = {{call, 4}};
    EXPECT_EQ(copied(), 4) << call;
    EXPECT_THAT(script.taken(), ::testing::Contains("stream_synchronize 0 ~"))
        << "the caller may free the memory";
    script.fails = {};
  }
}

TEST_F(CopyCalls, OfRowsWithoutAccessMoveEachRow) {
  const Rows to = matrix(5, 0), from = matrix(6, 1);
  const auto copied = [&] {
    return detail::submit_copy(to, from, CopyKind::device_to_device, stream);
  };
  EXPECT_EQ(copied(), 0);
  EXPECT_EQ(script.taken(), (Calls{"copy_peer 5 0 6 1 3 1", "copy_peer 5 0 6 1 3 1"}));
  script.fails = {{"copy_peer", 4}};
  EXPECT_EQ(copied(), 4);
  EXPECT_EQ(script.taken().size(), 1U);
  script.access = true;
  EXPECT_EQ(copied(), 0);
  EXPECT_EQ(script.taken(), Calls{"copy_2d 5 5 6 5 3 2 1"});
}

// A program that copies in a capture must not begin to fail with its first element.
TEST_F(CopyCalls, OfNothingAreRefusedAsThoseOfElementsAre) {
  const Rows none = flat(5, 0, 0);
  const auto copied = [&] {
    return detail::copy_blocking<full>(none, none, CopyKind::host_to_device, stream, app);
  };
  EXPECT_TRUE(copied().has_value());
  EXPECT_EQ(script.taken(), Calls{});
  capture(1);
  EXPECT_EQ(error_in(copied()).code, Errc::stream_capturing);
}

TEST_F(CopyCalls, ThatBlockWaitForTheirEnd) {
  for (const auto kind : {CopyKind::host_to_device, CopyKind::device_to_host}) {
    const char* const operation =
        kind == CopyKind::host_to_device ? "copy to device" : "copy to host";
    const auto copied = [&](Ref on) {
      return detail::copy_blocking<full>(flat(5, 0), flat(6, -1), kind, on, app);
    };
    EXPECT_TRUE(copied(stream).has_value());
    EXPECT_EQ(script.taken(), (Calls{"copy 5 6 12 1", "stream_synchronize 1 ~"}));
    script.fails = {{"copy", 1}};
    LaunchError error = error_in(copied(stream));
    EXPECT_EQ(error.code, Errc::runtime_failed);
    EXPECT_EQ(text(error.operation), operation);
    EXPECT_TRUE(is_app(error.site));
    script.fails = {};
    capture(1);
    error = error_in(copied(stream));
    EXPECT_EQ(error.code, Errc::stream_capturing);
    EXPECT_EQ(text(error.operation), operation);
    capture(0);
    EXPECT_EQ(error_in(copied(Runtime::stream(0))).code, Errc::stream_null)
        << "whatever captures the default stream";
    script.capturing = {};
    static_cast<void>(script.taken());
    EXPECT_EQ(
        error_in(detail::copy_blocking<full>(flat(5, 0), flat(6, -1, 11), kind, stream, app)).code,
        Errc::size_mismatch);
    EXPECT_EQ(script.taken(), Calls{});
  }
}

TEST_F(CopyCalls, WhoseWaitFailsAreAUseOfTheBuffer) {
  const std::vector<int> values(3);
  std::vector<int> target(3);
  const auto from_host = [&](Buffer<int>& memory) {
    return copy_and_wait(stream, warpsafe::from(values), to(memory)).has_value();
  };
  const auto to_host = [&](Buffer<int>& memory) {
    return copy_and_wait(stream, warpsafe::from(memory), to(target)).has_value();
  };
  const auto to_vector = [&](Buffer<int>& memory) {
    return memory.to_host(stream).get().has_value();
  };
  const std::function<bool(Buffer<int>&)> copies[] = {from_host, to_host, to_vector};
  for (const auto& copied : copies) {
    Buffer<int> memory = buffer<int>(3, 2);
    script.fails = {{"stream_synchronize", 8}};
    EXPECT_FALSE(copied(memory));
    script.fails = {};
    static_cast<void>(script.taken());
    EXPECT_TRUE(memory.close().has_value());
    EXPECT_THAT(script.taken(), ::testing::Contains(::testing::StartsWith("stream_wait 2 ")))
        << "the free does not wait for the copy";
  }
}

TEST_F(CopyCalls, BetweenDevicesAreNotForACapture) {
  capture(1);
  const struct {
    int to, from;
    bool refused;
  } rows[] = {{0, 1, true},    {1, 0, true},   {2, 1, true},   {0, 0, false},
              {-1, -1, false}, {-1, 0, false}, {0, -1, false}, {1, 1, false}};
  for (const auto& [to, from, refused] : rows) {
    const result<void> copied =
        detail::copy_on_device<full, ScriptedRuntime>(stream, flat(5, to), flat(6, from), app);
    EXPECT_EQ(copied.has_value(), !refused) << to << ' ' << from;
    if (refused) {
      EXPECT_EQ(error_in(copied).code, Errc::stream_capturing);
      EXPECT_EQ(text(error_in(copied).operation), "copy between devices");
    }
  }
}

TEST_F(CopyCalls, OnTheDeviceNameTheirErrors) {
  const auto copied = [&](Ref on, const Rows& to, const Rows& from) {
    return error_in(detail::copy_on_device<full, ScriptedRuntime>(on, to, from, app));
  };
  EXPECT_EQ(copied(stream, flat(5, 0), flat(6, 0, 11)).code, Errc::size_mismatch);
  EXPECT_EQ(copied(Runtime::stream(0), flat(5, 0), flat(6, 0)).code, Errc::stream_null);
  LaunchError error = copied(stream, flat(5, 0), flat(5, 0));
  EXPECT_EQ(finding(error), (Finding{Errc::copy_overlaps, Stage::construction, 0, 12, Axis::none}));
  EXPECT_EQ(text(error.operation), "copy on the device");
  script.fails = {{"copy", 1}};
  error = copied(stream, flat(5, 0), flat(6, 0));
  EXPECT_EQ(text(error.operation), "copy on the device");
  EXPECT_TRUE(is_app(error.site));
}

// Both buffers and both views, each of another stream; the first that cannot be recorded is told.
TEST_F(CopyCalls, RecordAUseOfBothSides) {
  Buffer<int> to = buffer(3, 2), from = buffer(3, 3);
  EXPECT_TRUE(copy(stream, warpsafe::to(to), warpsafe::from(from)).has_value());
  EXPECT_EQ(script.taken(), (Calls{"copy 1 2 12 1", "event_record 1 1", "event_record 2 1"}));
  EXPECT_TRUE(copy(stream, warpsafe::to(to.view()), warpsafe::from(from.view())).has_value());
  EXPECT_EQ(script.taken(), (Calls{"copy 1 2 12 1", "event_record 1 1", "event_record 2 1"}));
  script.fails = {{"event_record", 1}};
  LaunchError error = error_in(copy(stream, warpsafe::to(to), warpsafe::from(from)));
  EXPECT_EQ(text(error.operation), "event record");
  EXPECT_EQ(script.taken(), (Calls{"copy 1 2 12 1", "event_record 1 1", "stream_synchronize 1 ~",
                                   "event_record 2 1", "stream_synchronize 1 ~"}));
  script.fails = {};
  script.fails_later = {{"event_record", 1}};
  EXPECT_FALSE(copy(stream, warpsafe::to(to), warpsafe::from(from)).has_value());
  script.fails = {};
  script.fails_later = {{"event_record", 1}};
  EXPECT_FALSE(copy(stream, warpsafe::to(to.view()), warpsafe::from(from.view())).has_value());
}

/// Sees what a test prints to standard error.
template <class Use>
std::string printed(const Use& use) {
  ::testing::internal::CaptureStderr();
  use();
  return ::testing::internal::GetCapturedStderr();
}

struct PendingCalls : CopyCalls {
  Buffer<int> device = buffer(3, 2);
  static Pinned<int> target() {
    auto made = Pinned<int>::create(3).value();
    static_cast<void>(script.taken());
    return made;
  }
  [[nodiscard]] auto read_on(Ref on) const {
    return copy(on, warpsafe::to(target()), warpsafe::from(device));
  }
};

TEST_F(PendingCalls, RecordAUseAndEndWithAnEvent) {
  {
    auto token = read_on(stream);
    EXPECT_EQ(script.taken(), (Calls{"copy 2 1 12 1", "event_record 1 1", "event_record 2 1"}));
    EXPECT_EQ(std::move(token).get().value().size(), 3U);
    EXPECT_EQ(script.taken(), (Calls{"event_synchronize 2 ~", "host_deallocate 2 ~"}));
  }
  EXPECT_EQ(script.taken(), Calls{"event_destroy 2"});
  auto of_view = copy(stream, warpsafe::to(target()), warpsafe::from(device.view()));
  EXPECT_EQ(script.taken(), (Calls{"copy 3 1 12 1", "event_record 1 1", "event_record 3 1"}));
  EXPECT_TRUE(std::move(of_view).get().has_value());
  auto back = copy(stream, warpsafe::to(device), warpsafe::from(target()));
  EXPECT_EQ(script.taken(), (Calls{"copy 1 4 12 1", "event_record 1 1", "event_record 4 1"}));
  EXPECT_TRUE(std::move(back).get().has_value());
}

TEST_F(PendingCalls, DroppedWaitAndSaySo) {
  EXPECT_NE(printed([&] { const auto token = read_on(stream); }), "");
  EXPECT_EQ(script.taken(),
            (Calls{"copy 2 1 12 1", "event_record 1 1", "event_record 2 1", "event_synchronize 2 ~",
                   "event_destroy 2", "host_deallocate 2 ~"}));
}

TEST_F(PendingCalls, WithoutARecordOfTheirUseWaitAndHaveItsError) {
  for (const bool view : {false, true}) {
    std::string error;
    EXPECT_EQ(printed([&] {
                script.fails = {};
                auto first = read_on(stream);
                EXPECT_TRUE(std::move(first).get().has_value());
                static_cast<void>(script.taken());
                script.fails = {{"event_record", 1}};
                auto token =
                    view ? copy(stream, warpsafe::to(target()), warpsafe::from(device.view()))
                         : read_on(stream);
                error = text(error_in(std::move(token).get()).operation);
              }),
              "")
        << "nobody has dropped it";
    EXPECT_EQ(error, "event record");
    EXPECT_THAT(script.taken(), ::testing::Contains("stream_synchronize 1 ~").Times(2));
  }
  // The event at the end can be recorded.
  struct Refusing : detail::MemoryOwner {
    Refusing() {
      add_use = [](MemoryOwner&, void*, int, unsigned long) noexcept { return 1; };
      vendor = static_cast<unsigned char>(Vendor::host);
    }
  } owner;
  Rows rows = flat(5, 0, 3);
  rows.owner = &owner;
  std::vector<char> host(3);
  const Rows to = Rows::flat(host.data(), 3);
  static_cast<void>(script.taken());
  script.fails = {};
  EXPECT_EQ(
      printed([&] {
        auto token = detail::copy_pending<full, ScriptedRuntime>(stream, to, std::move(host), rows,
                                                                 true, app);
        EXPECT_THAT(script.taken(), ::testing::Contains(::testing::StartsWith("event_synchronize")))
            << "it has ended";
        EXPECT_EQ(text(error_in(std::move(token).get()).operation), "event record");
      }),
      "");
}

TEST_F(PendingCalls, WithoutAnEventWaitForTheStreamOnce) {
  EXPECT_EQ(printed([&] {
              script.fails = {{"event_create", 1}};
              auto token = copy(Runtime::stream(2), warpsafe::to(target()), warpsafe::from(device));
              EXPECT_EQ(script.taken(),
                        (Calls{"copy 2 1 12 2", "stream_synchronize 2 ~", "host_deallocate 2 ~"}));
              EXPECT_EQ(text(error_in(std::move(token).get()).operation), "event record");
            }),
            "");
  EXPECT_EQ(script.taken(), Calls{});
}

TEST_F(PendingCalls, ThatCannotBeWaitedForNameTheirDevice) {
  const Buffer<int> there = buffer(3, 1, 3);
  auto token = copy(Runtime::stream(1, 3), warpsafe::to(target()), warpsafe::from(there));
  script.fails = {{"event_synchronize", 1}};
  const LaunchError error = error_in(std::move(token).get(app));
  EXPECT_EQ(error.device, 3);
  EXPECT_EQ(error.stage, Stage::completion);
  EXPECT_EQ(text(error.operation), "event synchronize");
}

TEST_F(PendingCalls, OfOtherStreamsAreWaitedForUntilOneFails) {
  auto first = copy(Runtime::stream(2, 3), warpsafe::to(target()), warpsafe::from(device));
  auto second = copy(Runtime::stream(3, 4), warpsafe::to(target()), warpsafe::from(device));
  static_cast<void>(script.taken());
  script.fails = {{"event_synchronize", 1}};
  EXPECT_NE(printed([&] {
              const LaunchError error =
                  error_in(synchronize(stream, std::move(first), std::move(second)));
              EXPECT_EQ(error.device, 3) << "the first";
              EXPECT_EQ(script.taken().size(), 2U) << "the wait for the stream, and one other";
              const auto dropped = std::move(second);  // NOLINT(bugprone-use-after-move)
            }),
            "")
      << "the second keeps its value";
}

TEST_F(PendingCalls, ATimeOutMayStopTheirWaits) {
  const WatchedWaits watched;
  auto token = read_on(stream);
  static_cast<void>(script.taken());
  EXPECT_TRUE(std::move(token).get().has_value());
  EXPECT_EQ(script.taken()[0], "waits_unless_stopped 2 0 ~");
  script.fails = {{"event_create", 1}};
  EXPECT_FALSE(
      copy(Runtime::stream(2), warpsafe::to(target()), warpsafe::from(device)).get().has_value());
  EXPECT_EQ(script.taken()[1], "waits_unless_stopped 2 0 ~");
}

TEST_F(PendingCalls, WithoutRoomForTheElementsAreRefused) {
  std::vector<int> target{1};
  EXPECT_FALSE(detail::resize(target, ~std::size_t{0}));
  EXPECT_TRUE(detail::resize(target, 3));
  EXPECT_EQ(target.size(), 3U);
  Rows rows = flat(5, 0);
  rows.size = ~std::size_t{0} / sizeof(double);  // more than a vector can have
  auto token = detail::read_back<full, ScriptedRuntime, double>(stream, rows, app);
  const LaunchError error = error_in(std::move(token).get());
  EXPECT_EQ(finding(error),
            (Finding{Errc::out_of_memory, Stage::runtime_call, rows.size * 8, 0, Axis::none}));
  EXPECT_TRUE(is_app(error.site));
  EXPECT_EQ(script.taken(), Calls{});
}

TEST_F(CopyCalls, APinnedBufferThatWasMovedHasNoMemory) {
  auto first = Pinned<int>::create(3).value();
  auto second = Pinned<int>::create(3).value();
  static_cast<void>(script.taken());
  second = std::move(first);
  EXPECT_EQ(script.taken(), Calls{"host_deallocate 2 ~"});
  // NOLINTBEGIN(bugprone-use-after-move): what is tested
  EXPECT_TRUE(detail::CopyOperand<Pinned<int>>::rows(first).has_no_memory());
  EXPECT_FALSE(detail::CopyOperand<Pinned<int>>::rows(second).has_no_memory());
  first = std::move(second);
  EXPECT_FALSE(detail::CopyOperand<Pinned<int>>::rows(first).has_no_memory());
  EXPECT_TRUE(detail::CopyOperand<Pinned<int>>::rows(second).has_no_memory());
  const Pinned<int> third = std::move(first);
  EXPECT_TRUE(detail::CopyOperand<Pinned<int>>::rows(first).has_no_memory());
  // NOLINTEND(bugprone-use-after-move)
}

TEST_F(CopyCalls, APinnedBufferIsFreedAtTheLevelOfItsAllocation) {
  {
    auto checked = Pinned<int>::create<full>(3).value();
    auto unchecked = Pinned<int>::create<CheckLevel::off>(3).value();
    static_cast<void>(script.taken());
    checked = std::move(unchecked);
    EXPECT_THAT(script.taken(), ::testing::Contains("host_deallocate 1 ~"));
  }
  EXPECT_EQ(script.taken(), Calls{"host_deallocate 2"}) << "without a capture";
}

TEST_F(CopyCalls, AMatrixHasRowsOfWholeAlignments) {
  const struct {
    std::uint64_t cols, rows, bytes;
  } sizes[] = {{1, 1, 256}, {255, 2, 512}, {256, 2, 512}, {257, 2, 1024}, {512, 1, 512}};
  for (const auto& [cols, rows, bytes] : sizes) {
    const auto made = Pitched<char>::create(basic_stream_hold(stream),
                                            extent{warpsafe::rows{rows}, warpsafe::cols{cols}});
    EXPECT_THAT(script.taken(), ::testing::Contains("allocate " + std::to_string(bytes) + " 1 ~"));
    EXPECT_EQ(made.value().rows(), rows);
  }
  static_cast<void>(script.taken());
  for (const auto& [cols, rows] : {std::pair<int, int>{0, 3}, {3, 0}, {0, 0}}) {
    auto made = Pitched<char>::create(basic_stream_hold(stream),
                                      extent{warpsafe::rows{rows}, warpsafe::cols{cols}})
                    .value();
    EXPECT_TRUE(copy_and_wait(stream, from(std::vector<char>{}), to(made)).has_value());
    EXPECT_EQ(script.taken(), Calls{});
  }
}

TEST_F(CopyCalls, ABufferWithoutElementsIsWrittenWithoutACall) {
  Buffer<int> none = buffer(0);
  EXPECT_TRUE(copy_and_wait(stream, from(std::vector<int>{}), to(none)).has_value());
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_TRUE(none.close().has_value());
  EXPECT_EQ(error_in(copy_and_wait(stream, from(std::vector<int>{}), to(none))).code,
            Errc::memory_closed);
}

TEST_F(CopyCalls, AClosedBufferIsOfNoDevice) {
  Buffer<int> flat = buffer(3);
  auto matrix = Pitched<int>::create(basic_stream_hold(stream), extent{rows{2}, cols{2}}).value();
  EXPECT_EQ(flat.view().device(), 0);
  EXPECT_EQ(matrix.view().device(), 0);
  EXPECT_TRUE(flat.close().has_value());
  EXPECT_TRUE(matrix.close().has_value());
  EXPECT_EQ(flat.view().device(), -1);
  EXPECT_EQ(matrix.view().device(), -1);
  EXPECT_EQ(error_in(copy_and_wait(stream, from(std::vector<int>{}), to(matrix))).code,
            Errc::memory_closed);
}

TEST_F(CopyCalls, AFillIsRefusedOfMemoryThatTheDeviceCannotAccess) {
  Buffer<int> own = buffer(3);
  Buffer<int> far = buffer(3, 2, 1);
  Buffer<int> empty = buffer(0);
  auto matrix = Pitched<char>::create(basic_stream_hold(stream), extent{rows{2}, cols{3}}).value();
  static_cast<void>(script.taken());
  const auto filled = [](auto& memory, Ref on) {
    return memory.template fill_bytes<full>(on, std::byte{7}, app);
  };
  EXPECT_TRUE(filled(own, stream).has_value());
  EXPECT_EQ(script.taken(), Calls{"fill 1 7 12 1"});
  EXPECT_TRUE(filled(matrix, stream).has_value());
  EXPECT_EQ(script.taken(), Calls{"fill 3 7 259 1"}) << "up to the last row's last element";
  EXPECT_EQ(error_in(filled(far, stream)).code, Errc::memory_wrong_device);
  EXPECT_EQ(script.taken(), Calls{});
  script.access = true;
  EXPECT_TRUE(filled(far, stream).has_value());
  EXPECT_THAT(script.taken(), ::testing::Contains("fill 2 7 12 1"));
  EXPECT_TRUE(filled(empty, stream).has_value());
  EXPECT_EQ(script.taken(), Calls{});
  EXPECT_EQ(error_in(filled(own, Runtime::stream(0))).code, Errc::stream_null);
  script.fails = {{"fill", 1}};
  EXPECT_EQ(text(error_in(filled(own, stream)).operation), "fill device memory");
  EXPECT_TRUE(own.close().has_value());
  EXPECT_EQ(error_in(filled(own, Runtime::stream(0))).code, Errc::memory_closed);
}

TEST_F(CopyCalls, ABufferThatWasAssignedFromIsEmpty) {
  Buffer<int> first = buffer(3), second = buffer(2);
  first = std::move(second);
  EXPECT_EQ(first.size(), 2U);
  // NOLINTBEGIN(bugprone-use-after-move): what is tested
  EXPECT_EQ(second.size(), 0U);
  auto pinned = Pinned<int>::create(3).value(), other = Pinned<int>::create(2).value();
  EXPECT_FALSE(pinned.empty());
  pinned = std::move(other);
  EXPECT_EQ(pinned.size(), 2U);
  EXPECT_TRUE(other.empty());
  auto matrix = Pitched<int>::create(basic_stream_hold(stream), extent{rows{2}, cols{3}}).value();
  auto taken = Pitched<int>::create(basic_stream_hold(stream), extent{rows{4}, cols{5}}).value();
  matrix = std::move(taken);
  EXPECT_EQ(matrix.rows() * 10 + matrix.cols(), 45U);
  EXPECT_EQ(taken.rows() + taken.cols(), 0U);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_F(PendingCalls, AfterAFaultFreeTheirMemoryAndAfterAnUnknownErrorDoNot) {
  const struct {
    host::HostStatus status;
    bool freed;
  } waits[] = {{host::HostStatus::illegal_address, true}, {host::HostStatus::unknown, false}};
  for (const auto& [status, freed] : waits) {
    {
      auto token = read_on(stream);
      static_cast<void>(script.taken());
      script.fails = {{"event_synchronize", host::raw(status)}};
      EXPECT_FALSE(std::move(token).get().has_value());
      script.fails = {};
    }
    EXPECT_EQ(::testing::Value(script.taken(),
                               ::testing::Contains(::testing::StartsWith("host_deallocate"))),
              freed);
  }
}

TEST_F(PendingCalls, TheReportOfADroppedOneNamesItsLineIfItIsKnown) {
  EXPECT_THAT(printed([] { detail::report_drop(app, nullptr); }),
              ::testing::HasSubstr("made at /home/me/src/app.cpp:7;"));
  EXPECT_THAT(printed([] { detail::report_drop({}, nullptr); }),
              ::testing::HasSubstr("made at ?:0;"));
}

}  // namespace
}  // namespace warpsafe::core_test
