// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// The line of a runtime call in the trace, with its name as each compiler spells it, and the line
// of a device's limits: each from values made by hand, compared whole.

#include "core_test.hpp"
#include "hand_made_run.hpp"
#include "log_fixture.hpp"
#include <warpsafe/core/name.hpp>
#include <warpsafe/debug/detail/call_trace.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace warpsafe::core_test {
namespace {

using detail::TracedValue;
using Kind = TracedValue::Kind;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

std::string written(const TracedValue& value) {
  char room[64];
  detail::TextBuffer out(room, sizeof room);
  debug::detail::put_value(out, value);
  return room;
}

TEST(TraceValue, IsWrittenAsItsKind) {
  const char* const name = "axpy";
  EXPECT_EQ(written({Kind::number, 18446744073709551615U}), "18446744073709551615");
  EXPECT_EQ(written({Kind::negative, 3}), "-3");
  EXPECT_EQ(written({Kind::address, 0xbeef}), "0xbeef");
  EXPECT_EQ(written(detail::traced_value(name)), "\"axpy\"");
  EXPECT_EQ(written({Kind::flag, 0}), "false");
  EXPECT_EQ(written({Kind::flag, 1}), "true");
  EXPECT_EQ(written({Kind::real, 12345}), "12.345");
  EXPECT_EQ(written({Kind::real, 7}), "0.007");
  EXPECT_EQ(written({Kind::other, 7}), "...");
}

TEST(TraceName, EndsAtTheNextTemplateArgumentOutsideOfBrackets) {
  const auto call_name = &debug::detail::call_name;
  EXPECT_EQ(text(call_name("int traced() [Fn = &Calls<A, B>::copy_2d, P = <int &, int>]")),
            "copy_2d");
  EXPECT_EQ(text(call_name("[Fn = &Calls<A, B>::visit<(lambda at a.cpp:28:28)>, P = <int>]")),
            "visit");
  EXPECT_EQ(text(call_name("[with auto Fn = f(int, int)::Calls::fill; P = {void*}]")), "fill");
}

struct TraceLine : ::testing::Test, LogSinkTest {
  TraceLine() { debug::set_log_level(debug::LogLevel::trace); }
  /// The line of a call that began `ago` nanoseconds ago.
  std::string line(Name backend, std::uint64_t ago = 0, const char* spelling = "[Fn = &C::copy]") {
    messages.clear();
    const TracedValue values[] = {{Kind::number, 1}, {Kind::flag, 0}};
    debug::detail::log_call(
        {spelling, backend,
         [](int status) noexcept { return status == 0 ? Name::of("fine") : Name::of("bad"); }},
        7, values, std::size(values), debug::detail::nanoseconds_now() - ago);
    return messages.empty() ? "" : messages.back().text;
  }
};

TEST_F(TraceLine, HasTheVendorsFunctionAndMicroseconds) {
  EXPECT_THAT(line(Name::of("CUDA")), MatchesRegex("  CUDA copy\\(1, false\\) = bad, "
                                                   "[0-9]{1,6}\\.[0-9] us, by cudaMemcpyAsync"));
  EXPECT_THAT(line(Name::of("HIP")), MatchesRegex(".*\\.[0-9] us, by hipMemcpyAsync"));
  EXPECT_THAT(line(Name::of("host")), MatchesRegex(".*\\.[0-9] us"));
  EXPECT_THAT(line(Name::of("CUDA"), 0, "[Fn = &C::copy_peer]"),
              MatchesRegex(".*by cudaMemcpyPeerAsync"));
  EXPECT_THAT(line(Name::of("HIP"), 0, "[Fn = &C::copy_peer]"),
              MatchesRegex(".*by hipMemcpyAsync"));
  EXPECT_THAT(line(Name::of("CUDA"), 0, "[Fn = &C::module_names]"),
              MatchesRegex(".*by cudaLibraryEnumerateKernels"));
  EXPECT_THAT(line(Name::of("HIP"), 0, "[Fn = &C::module_names]"), MatchesRegex(".*\\.[0-9] us"));
  EXPECT_THAT(line(Name::of("CUDA"), 0, "[Fn = &C::unknown]"), MatchesRegex(".*\\.[0-9] us"));
  // An hour has ten digits in microseconds.
  EXPECT_THAT(line(Name::of("host"), std::uint64_t{3'600'000'000'000}),
              MatchesRegex(".*, 36000[0-9]{5}\\.[0-9] us"));
  std::set<char> tenths;
  for (std::uint64_t ago = 0; ago < 10'000; ago += 100) {
    const std::string text_now = line(Name::of("host"), ago);
    tenths.insert(text_now[text_now.size() - 4]);
  }
  EXPECT_GT(tenths.size(), 1U);
  debug::set_log_level(debug::LogLevel::debug);
  EXPECT_THAT(line(Name::of("host")), IsEmpty());
}

TEST(LimitsText, NamesEachLimitThatIsKnown) {
  const auto shown = [](const DeviceLimits& limits) {
    char room[1024];
    const std::size_t size = debug::format_limits(limits, room, sizeof room);
    EXPECT_EQ(size, std::string(room).size());
    return std::string(room);
  };
  DeviceLimits limits = numbered_limits();
  const std::string start =
      "Device 3 'GPU': max_threads_per_block=1010, max_block=(1020,1021,1022), "
      "max_grid=(1030,1031,1032), shared_per_block=1040, shared_per_block_optin=1050, "
      "warp_size=32, registers_per_block=65536, multiprocessors=132, "
      "max_threads_per_multiprocessor=2048, max_cluster_blocks=8, compute_major=9, "
      "compute_minor=1";
  EXPECT_EQ(shown(limits), start + ", cooperative_launch");
  limits.cooperative_launch = false;
  limits.floored = true;
  EXPECT_EQ(shown(limits),
            start + " (limits that the device does not report have their documented minimum)");
  EXPECT_EQ(shown({}), "Device -1 '': nothing");
}
TEST(LimitsText, IsCutWhereTheCallersRoomEnds) {
  char whole[1024];
  const std::size_t size = debug::format_limits(numbered_limits(), whole, sizeof whole);
  for (const std::size_t room : {std::size_t{1}, std::size_t{10}, size, size + 1, size + 2}) {
    std::vector<char> buffer(room + 1, '#');
    const std::size_t written_bytes = debug::format_limits(numbered_limits(), buffer.data(), room);
    EXPECT_EQ(written_bytes, room <= size ? room - 1 : size) << room;
    EXPECT_EQ(std::string(buffer.data()), std::string(whole, written_bytes));
    EXPECT_EQ(buffer[room], '#');
  }
}

TEST(LaunchLine, HasTheStreamAndThePlaceWhereTheyAreKnown) {
  LaunchRecord record{};
  record.sequence = 12;
  record.kernel = Name::of("axpy");
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    record.grid[axis] = axis + 1;
    record.block[axis] = axis + 4;
  }
  record.dynamic_shared = 9;
  record.stream = reinterpret_cast<const void*>(std::uintptr_t{0x70});
  const auto shown = [&](bool with_stream) {
    char room[256];
    detail::TextBuffer out(room, sizeof room);
    debug::put_listed(out, record, with_stream);
    return std::string(room);
  };
  const std::string start = "\n    #12 'axpy', grid=(1,2,3), block=(4,5,6), shared=9 bytes";
  EXPECT_EQ(shown(false), start);
  EXPECT_EQ(shown(true), start + ", stream 0x70");
  record.site = app;
  EXPECT_EQ(shown(true), start + ", stream 0x70, at app.cpp:7");
}

}  // namespace
}  // namespace warpsafe::core_test

namespace warpsafe {
namespace {

// g++; nvcc, which leaves this to g++
static_assert(debug::detail::call_name(
                  "int warpsafe::detail::traced(P ...) [with B = warpsafe::cuda_backend; "
                  "auto Fn = warpsafe::detail::CudaCalls::event_query; P = {CUevent_st*}]") ==
              Name::of("event_query"));
static_assert(debug::detail::call_name(
                  "[with B = B; auto Fn = HipCalls<Platform<int> >::copy_2d; P = {int&}]") ==
              Name::of("copy_2d"));
static_assert(debug::detail::call_name(
                  "[with auto Fn = Calls::module_names<main()::<lambda(Name)> >; P = {int, "
                  "main()::<lambda(Name)>}]") == Name::of("module_names"));
static_assert(debug::detail::call_name("[with auto Fn = {anonymous}::Calls::fill; P = {void*}]") ==
              Name::of("fill"));
// clang++, hipcc
static_assert(debug::detail::call_name(
                  "int warpsafe::detail::traced(P...) [B = warpsafe::cuda_backend, "
                  "Fn = &warpsafe::detail::HipCalls<A, B>::copy_2d, P = <int &, int>]") ==
              Name::of("copy_2d"));
static_assert(
    debug::detail::call_name("[Fn = &Calls::module_names, P = <int, (lambda at a.cpp:28:28)>]") ==
    Name::of("module_names"));
static_assert(debug::detail::call_name(
                  "[Fn = &(anonymous namespace)::Calls::fill, P = <void *>]") == Name::of("fill"));

struct Calls {
  static int ask(int& answer) noexcept { return answer; }
  template <class Visit>
  static int visit(Visit visit) noexcept {
    return visit();
  }
};
template <class B, auto Fn>
constexpr Name name_here() noexcept {
  return debug::detail::call_name(__PRETTY_FUNCTION__);
}

TEST(CallName, IsCutOutOfThisCompilersSpelling) {
  const auto one = [] { return 1; };
  EXPECT_EQ(Calls::visit(one), 1);
  EXPECT_EQ((name_here<int, &Calls::ask>()), Name::of("ask"));
  EXPECT_EQ((name_here<int, &Calls::visit<decltype(one)>>()), Name::of("visit"));
}

}  // namespace
}  // namespace warpsafe
