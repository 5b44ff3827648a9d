// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "data_fixture.hpp"
#include <warpsafe/args/align.hpp>
#include <warpsafe/graph/capture.hpp>
#include <warpsafe/kernel_api.hpp>
#include <warpsafe/launch/launch.hpp>
#include <warpsafe/memory/buffer.hpp>
#include <warpsafe/memory/copy.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/memory/pinned_buffer.hpp>
#include <warpsafe/memory/pitched_buffer.hpp>

#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

using BufferTest = DataTest;

WARPSAFE_KERNEL void copy_ints(const int* from, int* to) {
  const auto i = thread_index().x;
  to[i] = from[i];
}
template <class P>
WARPSAFE_KERNEL void take(P) {}
constexpr LaunchConfig three{grid<1>, block<3>};

static_assert(!std::is_copy_constructible_v<DeviceBuffer<int>> &&
              !std::is_copy_assignable_v<DeviceBuffer<int>> &&
              !std::is_default_constructible_v<DeviceBuffer<int>>);
static_assert(!std::is_constructible_v<basic_stream_hold<host_backend>, Stream>,
              "a buffer on a temporary stream");

TEST_F(BufferTest, HoldsAsManyElementsAsAsked) {
  const std::uint64_t free_before = memory_info(DeviceId(0)).value().free;
  const auto made = DeviceBuffer<double>::create(stream, 12);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made.value().size(), 12U);
  EXPECT_FALSE(made.value().empty());
  EXPECT_EQ(made.value().view().size(), 12U);
  EXPECT_EQ(made.value().stream(), stream.ref());
  EXPECT_EQ(memory_info(DeviceId(0)).value().free, free_before - 12 * sizeof(double));
}

TEST_F(BufferTest, OfNothingAsksForNoMemory) {
  auto empty = DeviceBuffer<int>::create(stream, 0).value();
  EXPECT_TRUE(empty.empty());
  EXPECT_TRUE(empty.zero(stream).has_value());
  EXPECT_TRUE(copy_and_wait(stream, from(std::vector<int>{}), to(empty)).has_value());
  EXPECT_TRUE(launch(stream, three, kernel<take<DeviceSpan<int>>>, empty.view()).has_value());
  EXPECT_TRUE(read(empty).empty());
  EXPECT_TRUE(empty.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::allocate>), 0U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 0U);
}

TEST_F(BufferTest, ASizeThatIsNoneIsAnErrorWithItsNumbers) {
  const auto negative = DeviceBuffer<int>::create(stream, -3);
  EXPECT_EQ(finding(error_in(negative)),
            (Finding{Errc::size_negative, Stage::construction, 3, sizeof(int), Axis::none}));
  const auto huge = DeviceBuffer<double>::create(stream, std::uint64_t{1} << 62U);
  EXPECT_EQ(error_in(huge).code, Errc::bytes_overflow);
}

TEST_F(BufferTest, OutOfMemorySaysWhoHasIt) {
  host::set_device_count(2);
  ASSERT_TRUE(host::set_memory(1, 1000));
  const Stream other = Stream::create(DeviceId(1)).value();
  const auto some = DeviceBuffer<char>::create(other, 300).value();
  const auto more = DeviceBuffer<double>::create(other, 100, app);
  EXPECT_EQ(
      said(more),
      "allocate device memory failed: out of memory: 800 bytes requested, 700 of 1000 bytes free "
      "on the device; this program's buffers hold 300 bytes (hostErrorMemoryAllocation, 2)\n"
      "  at app.cpp:7");
  EXPECT_EQ(error_in(more).device, 1);
  EXPECT_EQ(error_in(more).free_bytes(), 700U);
  EXPECT_TRUE(DeviceBuffer<char>::create(other, 700).has_value()) << "all that is left";
}

TEST_F(BufferTest, OutOfMemoryIsToldOfTheStreamsDeviceNotOfTheCurrentOne) {
  host::set_device_count(2);
  ASSERT_TRUE(host::set_memory(0, 5000));
  ASSERT_TRUE(host::set_memory(1, 100));
  const Stream other = Stream::create(DeviceId(1)).value();
  const LaunchError error = error_in(DeviceBuffer<char>::create(other, 400));
  EXPECT_EQ(error.limit, 100U);
  EXPECT_EQ(error.device, 1);
  EXPECT_EQ(current_device().value(), DeviceId(0));
}

TEST_F(BufferTest, GivesBackWhatItWasGiven) {
  auto buffer = filled(counting(1000));
  EXPECT_EQ(read(buffer), counting(1000));
  ASSERT_TRUE(copy_and_wait(stream, from(counting(1000, 7)), to(buffer)).has_value());
  EXPECT_EQ(read(buffer), counting(1000, 7));
  EXPECT_EQ(finding(error_in(copy_and_wait(stream, from(counting(3)), to(buffer)))),
            (Finding{Errc::size_mismatch, Stage::construction, 3, 1000, Axis::none}));
}

TEST_F(BufferTest, FillsAreOfBytes) {
  auto buffer = filled(counting(4));
  ASSERT_TRUE(buffer.fill_bytes(stream, std::byte{0x11}).has_value());
  EXPECT_EQ(read(buffer), std::vector<int>(4, 0x11111111));
  ASSERT_TRUE(buffer.zero(stream).has_value());
  EXPECT_EQ(read(buffer), std::vector<int>(4, 0));
}

TEST_F(BufferTest, ATableHasNoAddressesOfTheHost) {
  std::vector<float> on_host(4);
  auto there = DeviceBuffer<float>::create(stream, 4).value();
  float* const known = there.view().pointer().get();
  const std::vector<float*> wrong{known, nullptr, on_host.data()};
  const auto refused = DeviceBuffer<float*>::from(stream, wrong, app);
  EXPECT_EQ(error_in(refused).code, Errc::argument_host_pointer);
  EXPECT_EQ(error_in(refused).value, 2U);
  EXPECT_EQ(said(refused),
            "copy to device not called: element 2 of the table points to host memory, which the "
            "device cannot read; store the device's addresses: view().pointer().get()\n"
            "  at app.cpp:7");
  auto table = DeviceBuffer<float*>::create(stream, 3).value();
  EXPECT_EQ(error_in(copy_and_wait(stream, from(wrong), to(table))).code,
            Errc::argument_host_pointer);
  auto matrix = PitchedBuffer<float*>::create(stream, extent{rows{1}, cols{3}}).value();
  EXPECT_EQ(error_in(copy_and_wait(stream, from(wrong), to(matrix))).code,
            Errc::argument_host_pointer);
  auto pinned = PinnedBuffer<float*>::create(3).value();
  for (float*& each : pinned.span()) each = on_host.data();
  EXPECT_EQ(error_in(copy(stream, from(std::move(pinned)), to(table)).get()).code,
            Errc::argument_host_pointer);
  EXPECT_TRUE(copy_and_wait<CheckLevel::off>(stream, from(wrong), to(table)).has_value())
      << "only checked builds ask";
}

}  // namespace
}  // namespace warpsafe::core_test
namespace marked {
struct Node {
  const float* values;
  std::uintptr_t job;
};
}  // namespace marked
template <>
inline constexpr bool warpsafe::is_device_copyable<marked::Node> = true;
namespace warpsafe::core_test {
namespace {

struct Pixel {
  int red, green;
  double depth;
};

TEST_F(BufferTest, AStructureThatDeclaresItsAddressesIsCopied) {
  auto there = DeviceBuffer<float>::create(stream, 4).value();
  const float* const known = there.view().pointer().get();
  int job = 7;
  const std::vector<marked::Node> marked{{known, reinterpret_cast<std::uintptr_t>(&job)}};
  EXPECT_TRUE(DeviceBuffer<marked::Node>::from(stream, marked).has_value());
  // A number that is an address by chance.
  EXPECT_TRUE(DeviceBuffer<Pixel>::from(stream, std::vector<Pixel>{{1, 32767, 0.5}}).has_value());
}

TEST_F(BufferTest, ATableHasAddressesThatTheDeviceCanRead) {
  auto there = DeviceBuffer<float>::create(stream, 4).value();
  auto pinned = PinnedBuffer<float>::create(4).value();
  float* const known = there.view().pointer().get();
  // One that marks a free place, the begin and the end of a range, one inside of it.
  const std::vector<float*> table{nullptr,   reinterpret_cast<float*>(1), known, known + 4,
                                  known + 2, pinned.span().data()};
  EXPECT_TRUE(DeviceBuffer<float*>::from(stream, table).has_value());
  EXPECT_TRUE(DeviceBuffer<void (*)()>::from(stream, std::vector<void (*)()>{+[] {}}).has_value());
  int job = 7;  // not read by a kernel
  const std::vector<std::uintptr_t> keys{reinterpret_cast<std::uintptr_t>(&job)};
  EXPECT_TRUE(DeviceBuffer<std::uintptr_t>::from(stream, keys).has_value());
}

TEST_F(BufferTest, MovesItsMemoryAlong) {
  auto first = filled(counting(5));
  auto second = std::move(first);
  EXPECT_EQ(first.size(), 0U);  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_EQ(read(second), counting(5));
  second = filled(counting(6));
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 1U);
  DeviceBuffer<int>& same = second;
  second = std::move(same);
  EXPECT_EQ(read(second), counting(6)) << "to itself it changes nothing";
}

TEST_F(BufferTest, CloseTellsWhatTheRuntimeSaysAndHappensOnce) {
  auto buffer = filled(counting(5));
  int* const memory = buffer.view().pointer().get();
  host::fail_next(call_of<&host_backend::deallocate>, 1, HostStatus::invalid_value);
  EXPECT_EQ(error_in(buffer.close(app)).code, Errc::runtime_failed);
  EXPECT_TRUE(buffer.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 1U);
  EXPECT_EQ(host_backend::deallocate(memory, stream.native()), 0);
}

TEST_F(BufferTest, OutlivesItsStreamsOwner) {
  std::optional<Stream> own = Stream::create().value();
  auto buffer = DeviceBuffer<int>::from(*own, counting(5)).value();
  own.reset();
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 0U);
  EXPECT_EQ(buffer.to_host(buffer.stream()).get().value(), counting(5));
  EXPECT_TRUE(buffer.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 1U)
      << "with the last that is bound to it";
}

TEST_F(BufferTest, AnAllocationOfAnotherDevicesStreamIsOnThatDevice) {
  host::set_device_count(2);
  const Stream other = Stream::create(DeviceId(1)).value();
  auto buffer = DeviceBuffer<int>::from(other, counting(5)).value();
  MemoryKind kind{};
  int device = -1;
  ASSERT_EQ(host_backend::pointer_kind(buffer.view().pointer().get(), kind, device), 0);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(buffer.to_host(other).get().value(), counting(5)) << "with device 0 current";
}

TEST_F(BufferTest, NothingIsLeakedIfTheCurrentDeviceCannotBeRestored) {
  host::set_device_count(2);
  const auto far = StreamRef::borrow(host::legacy_stream(), DeviceId(1)).value();
  constexpr auto set_device = host::call_of<&host_backend::set_device>;
  const auto before = host::calls_made(set_device);
  const auto made = DeviceBuffer<int>::create(far, 3).value();
  // The last of them makes device 0 current again.
  const auto calls = static_cast<unsigned>(host::calls_made(set_device) - before);
  const std::uint64_t free_before = memory_info(DeviceId(1)).value().free;
  host::fail_next(set_device, calls, HostStatus::unknown);
  EXPECT_FALSE(DeviceBuffer<int>::create(far, 3).has_value());
  ASSERT_TRUE(far.synchronize().has_value());
  EXPECT_EQ(memory_info(DeviceId(1)).value().free, free_before);
}

TEST_F(BufferTest, OfADeviceWithoutPoolsIsPlainMemory) {
  without_pools();
  host::set_device_count(1);
  without_pools();
  {
    auto buffer = filled(counting(5));
    EXPECT_EQ(read(buffer), counting(5));
    EXPECT_EQ(held_bytes(), 20U);
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::allocate>), 0U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::allocate_unordered>), 1U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate_unordered>), 1U);
  EXPECT_EQ(held_bytes(), 0U);
}

TEST_F(BufferTest, PlainMemoryIsFreedAfterTheWorkThatUsesIt) {
  without_pools();
  std::vector<int> result;
  auto out = filled(counting(3));
  {
    auto in = filled(counting(3, 40));
    hold(stream);
    ASSERT_TRUE(copy(stream, from(in), to(out)).has_value());
    open_soon();
  }
  EXPECT_TRUE(stream.ready().value()) << "the free has waited";
  EXPECT_EQ(read(out), counting(3, 40));
}

TEST_F(BufferTest, IsFreedAfterItsUseOnAnotherStream) {
  const Stream other = Stream::create().value();
  auto target = filled(counting(3));
  {
    auto source = filled(counting(3, 40));
    hold(other);
    ASSERT_TRUE(copy(other, from(source), to(target)).has_value());
    EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), 0U);
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), 1U) << "at the source's free";
  // The source's free is in `stream` and waits there for `other`.
  EXPECT_TRUE(stays_pending(stream));
  open();
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_EQ(read(target), counting(3, 40)) << "what was freed would read as 0xfdfdfdfd";
}

TEST_F(BufferTest, IsFreedAfterAKernelThatWasMadeKnown) {
  const Stream other = Stream::create().value();
  {
    auto buffer = filled(counting(3));
    hold(other);
    ASSERT_TRUE(buffer.used_on(other).has_value());
    ASSERT_TRUE(buffer.used_on(stream).has_value()) << "its own stream needs no note";
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), 1U);
  EXPECT_TRUE(stays_pending(stream));
  open();
  EXPECT_TRUE(stream.synchronize().has_value());
}

// Arguments of a launch on another stream.

TEST_F(BufferTest, IsFreedAfterAKernelThatHasItsView) {
  const Stream other = Stream::create().value();
  std::vector<int> seen;
  auto target = DeviceBuffer<int>::create(other, 3).value();
  {
    auto source = filled(counting(3, 40));
    hold(other);
    ASSERT_TRUE(launch(other, three, kernel<copy_ints>, source.view(), target.view()).has_value());
    EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), 0U);
  }
  EXPECT_TRUE(stays_pending(stream)) << "the free waits";
  open();
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_EQ(target.to_host(other).get().value(), counting(3, 40))
      << "what was freed would read as 0xfdfdfdfd";
}

TEST_F(BufferTest, IsFreedAfterTheWorkOfAStreamThatHasEnded) {
  {
    auto buffer = filled(counting(3));
    const Stream other = Stream::create().value();
    hold(other);
    ASSERT_TRUE(launch(other, three, kernel<take<DeviceSpan<int>>>, buffer.view()).has_value());
  }
  EXPECT_TRUE(stays_pending(stream));
  open();
  EXPECT_TRUE(stream.synchronize().has_value());
}

TEST_F(BufferTest, IsFreedBeforeWorkThatAnotherStreamGetsLater) {
  const Stream other = Stream::create().value();
  auto buffer = filled(counting(3));
  ASSERT_TRUE(launch(other, three, kernel<take<DeviceSpan<int>>>, buffer.view()).has_value());
  ASSERT_TRUE(buffer.close().has_value());
  hold(other);
  EXPECT_TRUE(stream.synchronize().has_value());
  open();
}

// The stream's record would become part of the graph.
TEST_F(BufferTest, IsFreedAfterTheCaptureOfAStreamThatUsesIt) {
  const Stream other = Stream::create().value();
  auto buffer = filled(counting(3));
  ASSERT_TRUE(launch(other, three, kernel<take<DeviceSpan<int>>>, buffer.view()).has_value());
  auto capture = Capture::begin(other).value();
  ASSERT_TRUE(buffer.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 0U);
  const auto graph = std::move(capture).end().value();
  EXPECT_EQ(graph.node_count().value(), 0U);
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 1U);
}

TEST_F(BufferTest, ItsStreamDoesNotJoinACaptureOfOtherCode) {
  constexpr CheckLevel off = CheckLevel::off;
  const ForeignStream foreign;
  auto target = filled(counting(3));
  auto buffer = DeviceBuffer<int>::create<off>(stream, 3).value();
  ASSERT_EQ(host_backend::capture_begin(foreign.ref().native(), CaptureMode::relaxed), 0);
  ASSERT_TRUE(launch<off>(foreign.ref(), three, kernel<take<DeviceSpan<int>>>, buffer.view()));
  EXPECT_TRUE(buffer.close().has_value());
  EXPECT_TRUE(target.zero<off>(stream).has_value());
  host_backend::native_graph graph{};
  EXPECT_EQ(host_backend::capture_end(foreign.ref().native(), graph), 0);
  EXPECT_EQ(host_backend::graph_destroy(graph), 0);
  EXPECT_EQ(read(target), std::vector<int>(3));
}

TEST_F(BufferTest, NothingIsMadeOrCopiedOnWhatIsLeftOfAStream) {
  Stream left = Stream::create().value();
  const Stream moved = std::move(left);
  const auto made = DeviceBuffer<int>::create(left, 3);
  EXPECT_THAT(
      message(error_in(made)),
      ::testing::StartsWith("allocate device memory not called: this Stream was moved from"));
  auto from = filled(counting(3));
  auto to = filled(counting(3));
  EXPECT_EQ(error_in(to.zero(left)).code, Errc::stream_null);
  EXPECT_EQ(error_in(copy(left, warpsafe::from(from), warpsafe::to(to))).code, Errc::stream_null);
  EXPECT_EQ(error_in(to.to_host(left).get()).code, Errc::stream_null);
  EXPECT_EQ(to.to_host(moved).get().value(), counting(3));
}

TEST_F(BufferTest, EveryFormOfAViewKnowsItsBuffer) {
  const ForeignStream foreign;
  const StreamRef other = foreign.ref();
  auto buffer = filled(counting(8));
  const auto matrix = PitchedBuffer<int>::create(stream, extent{rows{2}, cols{8}}).value();
  auto managed = ManagedBuffer<int>::create(stream, 8).value();
  const auto noted = [&](const auto& argument) {
    const auto before = host::calls_made(call_of<&host_backend::event_record>);
    EXPECT_TRUE(launch(stream, three,
                       kernel<take<std::remove_cvref_t<decltype(detail::kernel_form(argument))>>>,
                       argument)
                    .has_value());
    EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), before)
        << "its own stream needs no note";
    EXPECT_TRUE(launch(other, three,
                       kernel<take<std::remove_cvref_t<decltype(detail::kernel_form(argument))>>>,
                       argument)
                    .has_value());
    return host::calls_made(call_of<&host_backend::event_record>) - before;
  };
  EXPECT_EQ(noted(buffer.view()), 1U);
  EXPECT_EQ(noted(std::as_const(buffer).view()), 1U);
  EXPECT_EQ(noted(buffer.view().subspan(2, 3).value()), 1U);
  EXPECT_EQ(noted(DeviceView<const int>(buffer.view())), 1U);
  EXPECT_EQ(noted(align<16>(buffer.view()).value()), 1U);
  EXPECT_EQ(noted(matrix.view()), 1U);
  EXPECT_EQ(noted(matrix.view().window(extent{rows{1}, cols{1}}, extent{rows{1}, cols{1}}).value()),
            1U);
  EXPECT_EQ(noted(matrix.view().row(1).value()), 1U);
  EXPECT_EQ(noted(managed.view()), 1U);
  EXPECT_EQ(noted(buffer.view().span()), 0U) << "the way out, by its name";
}

TEST_F(BufferTest, ACopyOfViewsIsKnown) {
  const Stream other = Stream::create().value();
  auto target = filled(counting(3));
  {
    auto source = filled(counting(3, 40));
    hold(other);
    ASSERT_TRUE(copy(other, from(source.view()), to(target.view())).has_value());
  }
  EXPECT_EQ(host::calls_made(call_of<&host_backend::event_record>), 1U);
  EXPECT_TRUE(stays_pending(stream));
  open();
  ASSERT_TRUE(other.synchronize().has_value());
  EXPECT_EQ(read(target), counting(3, 40));
}

TEST_F(BufferTest, AUseThatCannotBeNotedIsAnErrorOfTheLaunch) {
  const ForeignStream other;
  auto buffer = filled(counting(3));
  host::fail_next(call_of<&host_backend::event_record>, 1, HostStatus::out_of_memory);
  const auto launched = launch(other.ref(), three, kernel<take<DeviceSpan<int>>>, buffer.view());
  EXPECT_EQ(error_in(launched).stage, Stage::runtime_call);
}

TEST_F(BufferTest, ThreadsMayShareItOnStreamsOfTheirOwn) {
  auto buffer = filled(counting(3));
  const auto work = [&] {
    const Stream own = Stream::create().value();
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(
          launch(own, three, kernel<take<DeviceSpan<const int>>>, std::as_const(buffer).view())
              .has_value());
    }
    EXPECT_TRUE(own.synchronize().has_value());
  };
  std::thread one(work), two(work);
  one.join();
  two.join();
  EXPECT_TRUE(buffer.close().has_value());
}

TEST_F(BufferTest, KeepsTheStreamThatItWasGivenByReference) {
  std::optional<Stream> local(Stream::create().value());
  const StreamRef by_reference = local->ref();
  auto buffer = DeviceBuffer<int>::create(by_reference, 3).value();
  local.reset();
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 0U)
      << "the buffer is bound to it";
  EXPECT_TRUE(buffer.zero(buffer.stream()).has_value());
  EXPECT_TRUE(buffer.close().has_value());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::stream_destroy>), 1U);
}

TEST_F(BufferTest, AHoldKeepsTheMemoryAndNotTheBuffer) {
  MemoryHold hold;
  {
    const auto buffer = filled(counting(3));
    EXPECT_TRUE(hold.empty());
    hold = buffer.keep();
  }
  EXPECT_FALSE(hold.empty());
  EXPECT_EQ(host::calls_made(call_of<&host_backend::deallocate>), 0U);
  EXPECT_EQ(held_bytes(), 12U);
  MemoryHold copied = hold;
  hold = {};
  EXPECT_EQ(held_bytes(), 12U);
  copied = {};
  EXPECT_EQ(held_bytes(), 0U);
}

TEST_F(BufferTest, AViewThatOutlivesItsBufferIsRefused) {
  auto buffer = filled(counting(3));
  auto other = filled(counting(3));
  const auto foreign = Stream::create().value();
  const auto view = buffer.view();
  const auto part = view.subspan(1, 2).value();
  buffer = filled(counting(3000));  // grows; the old memory is freed
  const auto expect_refused = [&](const auto& outcome, std::uint64_t argument) {
    const LaunchError error = error_in(outcome);
    EXPECT_EQ(error.code, Errc::memory_closed);
    EXPECT_EQ(error.extra, argument);
  };
  for (const Stream* on : {static_cast<const Stream*>(&stream), &foreign}) {
    expect_refused(launch(*on, three, kernel<copy_ints>, other.view(), view), 2);
    expect_refused(launch(*on, three, kernel<take<DeviceSpan<int>>>, part), 1);
    expect_refused(copy(*on, from(other), to(view)), 0);
    expect_refused(copy(*on, from(view), to(other)), 0);
  }
  auto matrix = PitchedBuffer<int>::create(stream, extent{rows{2}, cols{3}}).value();
  const auto old = matrix.view();
  ASSERT_TRUE(matrix.close().has_value());
  expect_refused(launch(stream, three, kernel<take<PitchedSpan<int>>>, old), 1);
  std::vector<int> values(6);
  expect_refused(copy_and_wait(stream, from(old), to(values)), 0);
}

TEST_F(BufferTest, AViewOfABufferMadeWithoutChecksIsRefusedToo) {
  const auto foreign = Stream::create().value();
  auto buffer = DeviceBuffer<int>::create<CheckLevel::off>(stream, 3).value();
  const auto view = buffer.view();
  ASSERT_TRUE(buffer.close().has_value());
  // Storage that was given back would be used again here.
  const auto next = DeviceBuffer<int>::create<CheckLevel::off>(stream, 3).value();
  for (const Stream* on : {static_cast<const Stream*>(&stream), &foreign}) {
    const LaunchError error = error_in(launch(*on, three, kernel<take<int*>>, view));
    EXPECT_EQ(error.code, Errc::memory_closed);
    EXPECT_EQ(error.extra, 1U);
  }
}

TEST_F(BufferTest, AViewIsGoodAsLongAsSomethingHoldsTheMemory) {
  auto buffer = filled(counting(3));
  const auto view = buffer.view();
  auto moved = std::move(buffer);
  EXPECT_TRUE(launch(stream, three, kernel<take<int*>>, view).has_value());
  const auto hold = moved.keep();
  ASSERT_TRUE(moved.close().has_value());
  EXPECT_TRUE(launch(stream, three, kernel<take<int*>>, view).has_value());
}

TEST_F(BufferTest, ManyFreedBuffersAreToldFromLivingOnes) {
  auto living = filled(counting(3));
  for (int i = 0; i < 1000; ++i) {
    auto gone = filled(counting(3));
    const auto view = gone.view();
    ASSERT_TRUE(gone.close().has_value());
    ASSERT_EQ(error_in(launch(stream, three, kernel<take<int*>>, view)).code, Errc::memory_closed);
    ASSERT_TRUE(launch(stream, three, kernel<take<int*>>, living.view()).has_value());
  }
}

TEST_F(BufferTest, AnOldViewIsNeverTakenForThatOfALaterBuffer) {
  std::vector<DeviceBuffer<int>> old;
  std::vector<DeviceView<int>> views;
  for (int i = 0; i < 400; ++i) {
    old.push_back(filled(counting(3)));
    views.push_back(old.back().view());
  }
  old.clear();
  std::vector<DeviceBuffer<int>> later;
  for (int i = 0; i < 400; ++i) later.push_back(filled(counting(3)));
  for (const DeviceView<int>& view : views) {
    ASSERT_EQ(error_in(launch(stream, three, kernel<take<int*>>, view)).code, Errc::memory_closed);
    const auto part = view.subspan(1).value();
    ASSERT_EQ(error_in(launch(stream, three, kernel<take<int*>>, part)).code, Errc::memory_closed);
    ASSERT_EQ(error_in(copy(stream, from(later.back()), to(view))).code, Errc::memory_closed);
  }
  for (auto& buffer : later) {
    ASSERT_TRUE(launch(stream, three, kernel<take<int*>>, buffer.view()).has_value());
  }
}

TEST_F(BufferTest, AClosedOneHasNoMemoryToWorkOn) {
  const auto expect_closed = [&](DeviceBuffer<int>& buffer) {
    const auto code = [](const auto& outcome) { return error_in(outcome).code; };
    EXPECT_EQ(code(buffer.zero(stream)), Errc::memory_closed);
    EXPECT_EQ(code(buffer.fill_bytes(stream, std::byte{1})), Errc::memory_closed);
    EXPECT_EQ(code(copy_and_wait(stream, from(std::vector<int>{}), to(buffer))),
              Errc::memory_closed);
    EXPECT_EQ(code(buffer.to_host(stream).get()), Errc::memory_closed);
    const LaunchError use = error_in(buffer.used_on(stream));
    EXPECT_EQ(use.code, Errc::memory_closed);
    EXPECT_EQ(text(use.operation), "record a use");
    EXPECT_EQ(text(error_in(buffer.zero(stream)).operation), "fill device memory");
    const auto named = filled(std::vector<int>{});
    EXPECT_EQ(code(copy(stream, from(named), to(buffer))), Errc::memory_closed);
    EXPECT_TRUE(buffer.view().empty());
    EXPECT_EQ(code(launch(stream, three, kernel<take<DeviceSpan<int>>>, buffer.view())),
              Errc::memory_closed);
    EXPECT_EQ(code(launch(stream, three, kernel<take<int*>>, buffer.view())), Errc::memory_closed)
        << "an empty view is Errc::argument_empty for a pointer, but its buffer says more";
    EXPECT_EQ(code(copy(stream, from(named.view()), to(buffer.view()))), Errc::memory_closed);
    EXPECT_TRUE(launch<CheckLevel::off>(stream, three, kernel<take<DeviceSpan<int>>>, buffer.view())
                    .has_value());
    EXPECT_TRUE(buffer.close().has_value()) << "it is closed already";
  };
  auto closed = filled(counting(3));
  ASSERT_TRUE(closed.close().has_value());
  expect_closed(closed);
  auto moved = filled(counting(3));
  const auto next = std::move(moved);
  expect_closed(moved);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(read(next), counting(3));
}

TEST_F(BufferTest, AnEmptyOneIsNotClosed) {
  auto empty = DeviceBuffer<int>::create(stream, 0).value();
  const auto none = DeviceBuffer<int>::create(stream, 0).value();
  EXPECT_TRUE(empty.zero(stream).has_value());
  EXPECT_TRUE(copy_and_wait(stream, from(std::vector<int>{}), to(empty)).has_value());
  EXPECT_TRUE(empty.to_host(stream).get().value().empty());
  EXPECT_TRUE(empty.used_on(stream).has_value());
  EXPECT_TRUE(copy(stream, from(none), to(empty)).has_value());
}

}  // namespace
}  // namespace warpsafe::core_test
