// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The whole texts of values that have many fields. print_test.cpp has the other types.

#include <warpsafe/args/align.hpp>
#include <warpsafe/handles/stream_bound.hpp>
#include <warpsafe/host.hpp>
#include <warpsafe/memory/managed_buffer.hpp>
#include <warpsafe/module.hpp>
#include <warpsafe/print.hpp>
#include <warpsafe/print/debug_records.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace warpsafe {
namespace {

/// A library whose handles are numbers, as those of cuFFT.
enum class NumberedPlan : int {};
int make_plan(NumberedPlan* plan) {
  *plan = NumberedPlan{41};
  return 0;
}
int destroy_plan(NumberedPlan) { return 0; }
std::ostream& operator<<(std::ostream& out, NumberedPlan plan) {
  return out << static_cast<int>(plan);
}
/// A library whose handles are pointers.
struct Planner {};
Planner only_planner;
int make_planner(Planner** planner) {
  *planner = &only_planner;
  return 0;
}
int destroy_planner(Planner*) { return 0; }

}  // namespace

template <>
struct handle_traits<NumberedPlan> : HandleCalls<host_backend, make_plan, destroy_plan> {
  static constexpr Name name = Name::of("plan");
};
template <>
struct handle_traits<Planner*> : HandleCalls<host_backend, make_planner, destroy_planner> {
  static constexpr Name name = Name::of("planner");
};

namespace {

using testing::PrintToString;

/// A place in memory that nobody reads.
template <class T = void>
T* somewhere(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr)
}
const call_site launched_at{"/home/me/src/main.cpp", "main", 41};

LaunchShape plain_shape() {
  LaunchShape shape;
  for (std::uint32_t i = 0; i < 3; ++i) {
    shape.grid[i] = 4 + i;
    shape.block[i] = 7 + i;
    shape.cluster[i] = 1 + i;
  }
  shape.dynamic_shared = 96;
  shape.priority = -2;
  return shape;
}

TEST(PrintText, AShapeHasTheOptionsThatItWasGiven) {
  const std::string always = "grid=(4,5,6), block=(7,8,9), shared=96 bytes";
  EXPECT_EQ(PrintToString(plain_shape()), always);
  LaunchShape every = plain_shape();
  struct Option {
    bool LaunchShape::*given;
    std::string text;
  };
  std::string all = always;
  for (const auto& [given, text] : {Option{&LaunchShape::has_cluster, ", cluster=(1,2,3)"},
                                    Option{&LaunchShape::non_portable_cluster, ", not portable"},
                                    Option{&LaunchShape::has_priority, ", priority=-2"},
                                    Option{&LaunchShape::cooperative, ", cooperative"},
                                    Option{&LaunchShape::programmatic, ", dependent_launch"}}) {
    LaunchShape shape = plain_shape();
    shape.*given = every.*given = true;
    EXPECT_EQ(PrintToString(shape), always + text);
    EXPECT_EQ(PrintToString(every), all += text);
  }
}

LaunchRecord plain_record() {
  LaunchRecord record{};
  record.sequence = 12;
  record.kernel = Name::of("scale");
  for (std::uint8_t i = 0; i < 3; ++i) {
    record.grid[i] = 4U + i;
    record.block[i] = 7U + i;
    record.cluster[i] = static_cast<std::uint8_t>(1 + i);
  }
  record.dynamic_shared = 96;
  record.stream = somewhere(0x55d0c8);
  record.device = 3;
  record.priority = -2;
  record.state = LaunchState::submitted;
  record.site = launched_at;
  return record;
}

TEST(PrintText, ARecordOfALaunchHasTheOptionsThatItWasGiven) {
  const std::string start = "#12 'scale', grid=(4,5,6), block=(7,8,9), shared=96 bytes";
  const std::string end = ", stream 0x55d0c8 of device 3, submitted, at main.cpp:41";
  EXPECT_EQ(PrintToString(plain_record()), start + end);
  LaunchRecord every = plain_record();
  struct Option {
    LaunchOption option;
    std::string text;
  };
  std::string all = start;
  for (const auto& [option, text] : {Option{LaunchOption::cluster, ", cluster=(1,2,3)"},
                                     Option{LaunchOption::non_portable_cluster, ", not portable"},
                                     Option{LaunchOption::priority, ", priority=-2"},
                                     Option{LaunchOption::cooperative, ", cooperative"},
                                     Option{LaunchOption::programmatic, ", dependent_launch"}}) {
    LaunchRecord record = plain_record();
    record.options = static_cast<std::uint8_t>(option);
    every.options = static_cast<std::uint8_t>(every.options | record.options);
    EXPECT_EQ(PrintToString(record), start + text + end);
    EXPECT_EQ(PrintToString(every), (all += text) + end);
  }
}

TEST(PrintText, AnAccessSaysWhichMemory) {
  EXPECT_EQ(PrintToString(MemoryAccess{0x7f52a8, 64, AccessKind::write}),
            "write of 64 bytes at 0x7f52a8");
  EXPECT_EQ(PrintToString(MemoryAccess{0x7f52a8, 64, AccessKind::read, 2, 256}),
            "read of 2 rows of 64 bytes, 256 bytes apart, at 0x7f52a8");
  EXPECT_EQ(PrintToString(
                MemoryAccess{0x7f52a8, MemoryAccess::whole_allocation, AccessKind::write, 2, 256}),
            "write of the allocation that holds 0x7f52a8");
}

TEST(PrintText, AWaitHasItsStatusAndTime) {
  const WaitRecord wait{Name::of("stream synchronize"),
                        somewhere(0x55d0c8),
                        2,
                        Vendor::host,
                        700,
                        100,
                        1300,
                        launched_at};
  EXPECT_EQ(PrintToString(wait),
            "stream synchronize, stream 0x55d0c8 of device 2: 700 after 1200 ns");
  const auto finding = debug::finding_of(debug::Mistake::failure, "It failed\n");
  EXPECT_EQ(PrintToString(finding), finding.text);
}

TEST(PrintText, OnlyNeedsThatAreDeclared) {
  const auto with = [](auto member, auto value) {
    KernelNeeds needs;
    needs.*member = value;
    return PrintToString(needs);
  };
  EXPECT_EQ(PrintToString(KernelNeeds{}), "nothing");
  EXPECT_EQ(with(&KernelNeeds::max_threads, 1U), "max_threads=1");
  EXPECT_EQ(with(&KernelNeeds::block_multiple, 1U), "block_multiple=1");
  EXPECT_EQ(with(&KernelNeeds::warp_size, 1U), "warp_size=1");
  EXPECT_EQ(with(&KernelNeeds::index_max, 1U), "index_max=1");
  EXPECT_EQ(with(&KernelNeeds::min_dynamic_shared, 1U), "min_dynamic_shared=1");
  EXPECT_EQ(with(&KernelNeeds::portable, true), "portable");
  EXPECT_EQ(PrintToString(KernelNeeds{.max_threads = 2,
                                      .block_multiple = 3,
                                      .warp_size = 4,
                                      .index_max = 5,
                                      .min_dynamic_shared = 6,
                                      .portable = true,
                                      .index_assumed = true}),
            "max_threads=2, block_multiple=3, warp_size=4, index_max=5, min_dynamic_shared=6, "
            "portable, index_assumed");
}

TEST(PrintText, AKernelsEntryAndItsParameters) {
  const KernelEntry entry{somewhere(0x55d0c8), nullptr, nullptr, 3};
  EXPECT_EQ(PrintToString(entry), "kernel entry 0x55d0c8 with 3 parameters");
  EXPECT_EQ(PrintToString(ParameterInfo{4, 2, false, true}), "4 bytes, aligned to 2");
  EXPECT_EQ(PrintToString(ParameterInfo{8, 8, true, true}),
            "8 bytes, aligned to 8, a pointer that is written through");
  EXPECT_EQ(PrintToString(ParameterInfo{8, 8, true, false}),
            "8 bytes, aligned to 8, a pointer that is read through");
}

TEST(PrintText, AKernelsLimitsOnceTheDriverWasAsked) {
  KernelLimits limits;
  limits.registers = 33;
  EXPECT_EQ(PrintToString(limits), "not known: the driver was not asked");
  limits.known = true;
  EXPECT_EQ(PrintToString(limits), "registers=33");
  limits.registers = 0;
  limits.resident_blocks = 2;
  EXPECT_EQ(PrintToString(limits), "resident_blocks=2");
}

TEST(PrintText, Addresses) {
  EXPECT_EQ(PrintToString(detail::DeviceAccess::pointer(somewhere<float>(0x7f52a8))), "0x7f52a8");
  EXPECT_EQ(PrintToString(trust(somewhere<float>(0x7f52a8))), "0x7f52a8");
  EXPECT_EQ(PrintToString(trust(somewhere<float>(0x7f52a8), 10)),
            "10 elements of 4 bytes at 0x7f52a8");
  EXPECT_EQ(PrintToString(device_scalar(trust(somewhere<float>(0x7f52a8)))), "0x7f52a8");
}

TEST(PrintText, ABuffersHoldAndItsAlignedPointerHaveItsAddress) {
  const Stream stream = Stream::create().value();
  const auto buffer = DeviceBuffer<float>::create(stream, 10).value();
  EXPECT_EQ(PrintToString(buffer.keep()),
            "hold of memory at " + PrintToString(buffer.view().pointer()));
  EXPECT_EQ(PrintToString(align<16>(buffer.view()).value()),
            PrintToString(buffer.view().pointer()) + ", aligned to 16 bytes");
}

TEST(PrintText, AManagedBufferIsThereUntilItMoves) {
  auto sharing = device_limits(DeviceId(0)).value();
  sharing.concurrent_managed_access = true;
  host::set_limits(0, sharing);
  {
    const Stream stream = Stream::create().value();
    auto managed = ManagedBuffer<double>::create(stream, 20).value();
    EXPECT_THAT(PrintToString(managed),
                testing::MatchesRegex("20 elements of 8 bytes at 0x[0-9a-f]+"));
    const std::string there = PrintToString(managed);
    const auto next = std::move(managed);
    EXPECT_EQ(PrintToString(managed), "moved buffer");  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(PrintToString(next), there);
  }
  host::reset();
}

TEST(PrintText, AHandleAndItsStream) {
  const Stream stream = Stream::create().value();
  const std::string on_stream = " on " + PrintToString(stream);
  const auto plan = StreamBound<NumberedPlan>::create(stream).value();
  EXPECT_EQ(PrintToString(plan), "handle 41" + on_stream);
  const auto planner = StreamBound<Planner*>::create(stream).value();
  EXPECT_EQ(PrintToString(planner), "handle " + PrintToString(trust(&only_planner)) + on_stream);
}

WARPSAFE_KERNEL void printed_kernel(float* x) { *x = 0; }

TEST(PrintText, AModuleAndWhereItIsFrom) {
  const host::NamedKernel table[] = {host::named<printed_kernel>("printed")};
  auto module = Module::load(table).value();
  EXPECT_EQ(PrintToString(module), "module from memory");
  const auto loaded = module.kernel<void(float*)>("printed").value();
  EXPECT_EQ(PrintToString(loaded), "kernel 'printed' of a module");
  ASSERT_TRUE(module.close().has_value());
  EXPECT_EQ(PrintToString(module), "closed module");
}

enum PlainEnum { plain_first, plain_second };
enum class ScopedEnum : unsigned char { first, second };
enum class Yes : bool { no, yes };

/// What the compiler's names become at compile time, here at run time too.
TEST(PrintText, AnEnumeratorsNameHasNoScope) {
  const auto text = [](auto name) {
    const Name found = name();
    return std::string(found.data, found.size);
  };
  EXPECT_EQ(text(&detail::enumerator_of<Errc::size_zero>), "size_zero");
  EXPECT_EQ(text(&detail::enumerator_of<ScopedEnum::second>), "second");
  EXPECT_EQ(text(&detail::enumerator_of<plain_second>), "plain_second");
  EXPECT_EQ(text(&detail::enumerator_of<Yes::no>), "no");
  EXPECT_EQ(text(&detail::enumerator_of<static_cast<ScopedEnum>(77)>), "");
  EXPECT_EQ(text(&detail::enumerator_of<static_cast<Errc>(0)>), "");
  EXPECT_EQ(text(&detail::enumerator_of<9>), "");
  EXPECT_EQ(text(&detail::enumerator_of<-1>), "");
}

TEST(PrintText, AnUnknownEnumeratorHasNoName) {
  const auto text = [](auto value) {
    const Name found = detail::name_of_enumerator(value, std::make_index_sequence<2>());
    return std::string(found.data, found.size);
  };
  EXPECT_EQ(text(ScopedEnum::first), "first");
  EXPECT_EQ(text(ScopedEnum::second), "second");
  EXPECT_EQ(text(static_cast<ScopedEnum>(2)), "") << "behind the known names";
  EXPECT_EQ(text(static_cast<ScopedEnum>(255)), "");
}

}  // namespace
}  // namespace warpsafe
