// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Memory that is handed out again while something still uses it: the model's allocator reuses freed
// memory at once or never, by seed, as the pools of drivers and libraries may.

#include "host_record.hpp"
#include "run_fixture.hpp"
#include <warpsafe/args/trust.hpp>
#include <warpsafe/backend/host/detail/memory.hpp>
#include <warpsafe/memory.hpp>
#include <warpsafe/race/adversarial.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

// At global scope: reports are compared with the kernels' plain names.
WARPSAFE_KERNEL void scribble(float* x, unsigned n) {
  for (unsigned i = 0; i < n; ++i) x[i] = 5;
}
WARPSAFE_KERNEL void look(const float* x, float* y) { *y = *x; }

namespace warpsafe::adversarial {
namespace {

using debug::Mistake;
using testing::HasSubstr;
using Buffer = DeviceBuffer<float>;

constexpr unsigned count = 64;

[[nodiscard]] Buffer buffer(const Stream& on) { return Buffer::create(on, count).value(); }
[[nodiscard]] float* raw(Buffer& of) { return of.view().pointer().get(); }

/// The results of a program under many single seeds.
struct Seen {
  std::set<Mistake> mistakes;
  std::string texts;
  int clean = 0;
};
[[nodiscard]] Seen seeds(std::uint64_t seeds, const std::function<void()>& program) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const RaceReport report = run({1, seed}, program);
    for (const debug::Finding& finding : report.findings) {
      seen.mistakes.insert(finding.mistake);
      seen.texts += finding.text;
    }
    seen.clean += report.clean() ? 1 : 0;
  }
  return seen;
}

TEST(ReusedMemory, ComesBackAtOnceOrNotBySeed) {
  std::set<bool> reused;
  const Seen seen = seeds(40, [&] {
    const Stream stream = Stream::create().value();
    Buffer first = buffer(stream);
    const float* const old = raw(first);
    first.zero(stream).value();
    first.close().value();
    stream.synchronize().value();
    Buffer second = buffer(stream);
    reused.insert(raw(second) == old);
    float found = 0;
    copy_and_wait(stream, from(second.view().subspan(0, 1).value()), to(std::span(&found, 1)))
        .value();
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found), host::fresh_pattern)
        << "its old contents are gone";
  });
  EXPECT_EQ(reused, (std::set<bool>{false, true}));
  EXPECT_EQ(seen.mistakes, (std::set<Mistake>{Mistake::unwritten_read})) << seen.texts;
}

TEST(ReusedMemory, OnlyMemoryOfTheSameSizeAndKindComesBack) {
  const Seen seen = seeds(100, [&] {
    const Stream stream = Stream::create().value();
    Buffer first = buffer(stream);
    const float* const old = raw(first);
    first.close().value();
    stream.synchronize().value();
    Buffer larger = Buffer::create(stream, 2 * count).value();
    EXPECT_NE(raw(larger), old);
    const auto pinned = PinnedBuffer<float>::create(count).value();
    EXPECT_NE(pinned.span().data(), old);
  });
  EXPECT_EQ(seen.clean, 100) << seen.texts;
}

TEST(ReusedMemory, PinnedMemoryComesBackToo) {
  std::set<bool> reused;
  const Seen seen = seeds(40, [&] {
    const float* old = nullptr;
    {
      const auto first = PinnedBuffer<float>::create(count).value();
      old = first.span().data();
    }
    const auto second = PinnedBuffer<float>::create(count).value();
    reused.insert(second.span().data() == old);
  });
  EXPECT_EQ(reused, (std::set<bool>{false, true}));
  EXPECT_EQ(seen.clean, 40) << seen.texts;
}

// The rule that PyTorch calls record_stream: memory of stream `owner` is used on stream `user`, and
// goes back to the pool in the order of `owner`.
void used_elsewhere(bool owner_waits) {
  const Stream owner = Stream::create().value();
  const Stream user = Stream::create().value();
  Buffer x = buffer(owner);
  x.zero(owner).value();
  wait(user, owner.record().value()).value();
  launch(user, once, kernel<scribble>, trust(raw(x)), count).value();
  if (owner_waits) wait(owner, user.record().value()).value();
  x.close().value();
  // The pool gives the memory to the next buffer of the stream.
  Buffer y = buffer(owner);
  y.zero(owner).value();
  owner.synchronize().value();
  user.synchronize().value();
}

TEST(ReusedMemory, AFreeThatDoesNotWaitForAnotherStreamIsFound) {
  const RaceReport report = run(100, [] { used_elsewhere(false); });
  ASSERT_FALSE(report.clean());
  EXPECT_EQ(report.seeds_run, 1U);
  const debug::Finding& found = report.findings.front();
  EXPECT_EQ(found.mistake, Mistake::race);
  EXPECT_THAT(found.text, HasSubstr("kernel 'scribble' on stream 2, at reused_memory_test.cpp:"));
  EXPECT_THAT(found.text, HasSubstr("free of 256 bytes on stream 1, at reused_memory_test.cpp:"))
      << "the line of close()";
}

TEST(ReusedMemory, AFreeThatWaitsIsRight) {
  const RaceReport report = run(1000, [] { used_elsewhere(true); });
  EXPECT_TRUE(report.clean()) << report;
}

// A pointer that outlives its memory, in work on another stream.
void stale_pointer(bool host_waits) {
  const Stream owner = Stream::create().value();
  const Stream user = Stream::create().value();
  Buffer x = buffer(owner);
  float* const kept = raw(x);
  wait(user, owner.record().value()).value();
  if (host_waits) {
    launch(user, once, kernel<scribble>, trust(kept), count).value();
    user.synchronize().value();
  }
  x.close().value();
  owner.synchronize().value();
  Buffer y = buffer(owner);
  y.zero(owner).value();
  // Checked builds would refuse the freed pointer where they can tell; other libraries have none.
  if (!host_waits) {
    launch<CheckLevel::off>(user, once, kernel<scribble>, trust(kept), count).value();
  }
  user.synchronize().value();
  float found = 1;
  copy_and_wait(owner, from(y.view().subspan(0, 1).value()), to(std::span(&found, 1))).value();
  if (host_waits) {
    EXPECT_EQ(found, 0);
  }
}

// What a member function of a buffer submits to another stream is before the free.
TEST(ReusedMemory, AFreeWaitsForWhatAMemberFunctionSubmitted) {
  using Use = void (*)(Buffer & one, PitchedBuffer<float> & rows, const Stream& other);
  const std::vector<std::pair<const char*, Use>> uses = {
      {"zero", [](Buffer& one, auto&, const Stream& other) { one.zero(other).value(); }},
      {"fill_bytes", [](Buffer& one, auto&,
                        const Stream& other) { one.fill_bytes(other, std::byte{1}).value(); }},
      {"zero of rows", [](Buffer&, auto& rows, const Stream& other) { rows.zero(other).value(); }},
      {"fill_bytes of rows",
       [](Buffer&, auto& rows, const Stream& other) {
         rows.fill_bytes(other, std::byte{1}).value();
       }},
      {"used_on", [](Buffer& one, auto&, const Stream& other) {
         launch(other, LaunchConfig{grid<1>, block<1>}, kernel<scribble>, trust(raw(one)), count)
             .value();
         one.used_on(other).value();
       }}};
  for (const auto& [name, use] : uses) {
    const Seen seen = seeds(40, [used = use] {
      const Stream own = Stream::create().value();
      const Stream other = Stream::create().value();
      Buffer one = buffer(own);
      auto of_rows = PitchedBuffer<float>::create(own, extent{warpsafe::rows{4}, cols{16}}).value();
      wait(other, own.record().value()).value();  // for the allocations
      used(one, of_rows, other);
      one.close().value();
      of_rows.close().value();
      buffer(own).zero(own).value();
    });
    EXPECT_EQ(seen.clean, 40) << name << '\n' << seen.texts;
  }
}

TEST(ReusedMemory, AReportNamesTheFreeTheReuseAndTheAccess) {
  const Seen seen = seeds(40, [] { stale_pointer(false); });
  EXPECT_EQ(seen.clean, 0);
  // By seed: the memory is free, or it is another buffer's.
  EXPECT_EQ(seen.mistakes, (std::set<Mistake>{Mistake::race, Mistake::use_after_release}));
  EXPECT_THAT(seen.texts, HasSubstr("Use after free: the first of these frees the memory\n"));
  EXPECT_THAT(seen.texts, testing::ContainsRegex("fill of 256 bytes on stream 1, at [^\n]*\n"
                                                 "  [^\n]*kernel 'scribble' on stream 2, at "
                                                 "[^\n]*, writes 256 bytes\n"
                                                 "  bytes 0 to 255 of [^\n]*allocation of 256 "
                                                 "bytes on stream 1, at [^\n]*\n"
                                                 "  freed earlier by [^\n]*free of 256 bytes on "
                                                 "stream 1[^\n]*, and allocated again: one of the "
                                                 "two may be meant for the earlier allocation\n"));
  const Seen right = seeds(200, [] { stale_pointer(true); });
  EXPECT_EQ(right.clean, 200) << right.texts;
}

TEST(ReusedMemory, AWriteBetweenTheFreeAndTheReuseIsFound) {
  const Seen seen = seeds(40, [] {
    std::span<float> old;
    {
      auto first = PinnedBuffer<float>::create(count).value();
      old = first.span();
    }
    old[3] = 1;  // the host's own code, which no detector sees
    const auto second = PinnedBuffer<float>::create(count).value();
  });
  EXPECT_EQ(seen.clean, 0);
  EXPECT_THAT(seen.texts, HasSubstr("Memory was written after it was freed\n  256 bytes"));
}

TEST(ReusedMemory, ProgramsThatWaitReuseMemoryWithoutAReport) {
  const RaceReport report = run(300, [] {
    const Stream one = Stream::create().value();
    const Stream two = Stream::create().value();
    std::vector<float> sums;
    for (int i = 0; i < 6; ++i) {
      Buffer x = buffer(one);
      Buffer y = buffer(two);
      launch(one, once, kernel<scribble>, x.view(), count).value();
      wait(two, one.record().value()).value();
      launch(two, once, kernel<look>, x.view(), y.view()).value();
      float found = 0;
      copy_and_wait(two, from(y.view().subspan(0, 1).value()), to(std::span(&found, 1))).value();
      EXPECT_EQ(found, 5);
    }
  });
  EXPECT_TRUE(report.clean()) << report;
}

// The same histories, call by call.

constexpr std::size_t owner = 1;
constexpr std::size_t user = 2;
constexpr std::size_t event = 1;

[[nodiscard]] MemoryAccess memory(AccessKind kind) { return {4096, 256, kind}; }

TEST(ReusedMemory, ARaceNamesTheFreeBeforeTheAllocation) {
  for (const bool waits : {false, true}) {
    host_record::Record record;
    record.submits(owner, {memory(AccessKind::allocate)}, 1);
    record.submits(owner, {memory(AccessKind::release)}, 2);
    record.submits(owner, {memory(AccessKind::allocate)}, 3);
    record.submits(owner, {memory(AccessKind::write)}, 4);
    if (waits) {
      record.records(event, owner, 5);
      record.waits(user, event, 6);
    }
    record.submits(user, {memory(AccessKind::write)}, 7);
    const RaceReport report = record.report();
    EXPECT_EQ(report.clean(), waits) << report;
    if (waits) continue;
    ASSERT_EQ(report.findings.size(), 1U) << report;
    EXPECT_THAT(
        report.findings.front().text,
        HasSubstr("  #4 fill of 256 bytes on stream 1, at program.cpp:4, writes 256 bytes\n"
                  "  #5 fill of 256 bytes on stream 2, at program.cpp:7, writes 256 bytes\n"
                  "  bytes 0 to 255 of #3 allocation of 256 bytes on stream 1, at program.cpp:3\n"
                  "  freed earlier by #2 free of 256 bytes on stream 1, at program.cpp:2, and "
                  "allocated again: one of the two may be meant for the earlier allocation\n"));
  }
}

TEST(ReusedMemory, ARaceAfterTheAllocationDoesNotBlameTheReuse) {
  host_record::Record record;
  record.submits(owner, {memory(AccessKind::allocate)}, 1);
  record.submits(owner, {memory(AccessKind::release)}, 2);
  record.submits(owner, {memory(AccessKind::allocate)}, 3);
  record.records(event, owner, 4);
  record.waits(user, event, 5);
  record.submits(owner, {memory(AccessKind::write)}, 6);
  record.submits(user, {memory(AccessKind::write)}, 7);
  const RaceReport report = record.report();
  ASSERT_EQ(report.findings.size(), 1U) << report;
  EXPECT_THAT(report.findings.front().text, testing::Not(HasSubstr("freed earlier")));
}

TEST(ReusedMemory, AFreeThatDoesNotWaitForTheUserIsARace) {
  for (const bool waits : {false, true}) {
    host_record::Record record;
    record.submits(owner, {memory(AccessKind::allocate)}, 1);
    record.records(event, owner, 2);
    record.waits(user, event, 3);
    record.submits(user, {memory(AccessKind::write)}, 4);
    record.records(event, user, 5);
    if (waits) record.waits(owner, event, 6);
    record.submits(owner, {memory(AccessKind::release)}, 7);
    record.submits(owner, {memory(AccessKind::allocate)}, 8);
    const RaceReport report = record.report();
    EXPECT_EQ(report.clean(), waits) << report;
    if (waits) continue;
    EXPECT_THAT(report.findings.front().text,
                HasSubstr("#6 free of 256 bytes on stream 1, at program.cpp:7, frees 256 bytes"));
  }
}

}  // namespace
}  // namespace warpsafe::adversarial
