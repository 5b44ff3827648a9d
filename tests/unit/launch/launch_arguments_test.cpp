// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// What a launch does with its arguments, whose facts are made by hand.

#include "hand_made_arguments.hpp"
#include <warpsafe/kernel/reference.hpp>
#include <warpsafe/launch/detail/watched_launch.hpp>
#include <warpsafe/warpsafe.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::core_test {
namespace {

TEST_F(LaunchArgumentsTest, AConvertedArgumentLiesAtItsAlignment) {
  detail::ArgumentFacts byte = plain_facts(1);
  byte.convert = [](const void* from, void* to) noexcept {
    *static_cast<unsigned char*>(to) = static_cast<unsigned char>(*static_cast<const int*>(from));
  };
  detail::ArgumentFacts wide = plain_facts(8);
  wide.convert = [](const void* from, void* to) noexcept {
    const std::int64_t value = *static_cast<const int*>(from);
    std::memcpy(to, &value, sizeof value);
  };
  detail::ArgumentFacts block = plain_facts(64);
  block.convert = [](const void* from, void* to) noexcept {
    std::memset(to, *static_cast<const int*>(from), 64);
  };
  const detail::ArgumentFacts direct = plain_facts(4);
  const int values[] = {1, 2, 3, 4, 5, 6};
  const detail::ArgumentFacts* const facts[] = {&byte, &wide, &byte, &block, &direct, &wide};
  Arguments all;
  for (std::size_t i = 0; i < std::size(values); ++i) all.add(*facts[i], &values[i]);
  for (std::size_t offset = 0; offset < 8; ++offset) {
    detail::ArgumentWords words = all.words(offset);
    EXPECT_EQ(words.values()[1], &values[1]) << "before it is prepared";
    words.prepare();
    void* const* const made = words.values();
    EXPECT_EQ(*static_cast<unsigned char*>(made[0]), 1);
    std::int64_t number = 0;
    std::memcpy(&number, made[1], sizeof number);
    EXPECT_EQ(number, 2);
    EXPECT_EQ(*static_cast<unsigned char*>(made[2]), 3);
    EXPECT_EQ(static_cast<unsigned char*>(made[3])[0], 4);
    EXPECT_EQ(static_cast<unsigned char*>(made[3])[63], 4);
    EXPECT_EQ(made[4], &values[4]) << "in place";
    std::memcpy(&number, made[5], sizeof number);
    EXPECT_EQ(number, 6);
    for (std::size_t i = 0; i < std::size(values); ++i) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(made[i]) % facts[i]->alignment, 0U) << i;
      EXPECT_EQ(words.argument(i), &values[i]);
    }
  }
}

TEST_F(LaunchArgumentsTest, ElementsAreTheirTypeAndSize) {
  struct Declared;
  using Function = void();
  const auto expect = [](detail::ElementInfo (*of)() noexcept, ElementType type,
                         std::uint32_t bytes) {
    EXPECT_EQ(of().type, type);
    EXPECT_EQ(of().bytes, bytes);
  };
  expect(&detail::element_info<const double>, element_type<double>, 8);
  expect(&detail::element_info<unsigned char>, element_type<unsigned char>, 1);
  expect(&detail::element_info<void>, ElementType::bytes, 1);
  expect(&detail::element_info<Declared>, ElementType::bytes, 1);
  expect(&detail::element_info<Function>, ElementType::bytes, 1);
}

WARPSAFE_KERNEL void noted(int) {}
void same_on_host(int) {}

TEST_F(LaunchArgumentsTest, AReferenceIsTheOneThatTheKernelDeclares) {
  constexpr auto compared = kernel<noted, reference<same_on_host>>;
  constexpr auto alone = kernel<noted>;
  const auto of_compared = &detail::reference_of<decltype(compared)::declaration>;
  const auto of_alone = &detail::reference_of<decltype(alone)::declaration>;
  ASSERT_NE(of_compared(), nullptr);
  EXPECT_EQ(of_compared(), decltype(compared)::declaration::host_reference);
  EXPECT_EQ(of_alone(), nullptr);
}

TEST_F(LaunchArgumentsTest, TheRaceDetectorLearnsTheBytesOfUpToSixtyFourParameters) {
  const detail::ArgumentFacts facts = view_facts();
  const detail::ArgumentFacts number = plain_facts(4);
  const OwnedArgument given{&given, 5, nullptr};
  const OwnedArgument endless{&given, detail::unknown_extent, nullptr};
  std::vector<ParameterInfo> parameters(65, ParameterInfo{8, 8, true, true});
  std::vector<detail::ElementInfo> elements(65, detail::ElementInfo{ElementType::bytes, 4});
  parameters[2].writes = false;
  Arguments all;
  for (int i = 0; i < 63; ++i) all.add(facts, i == 3 ? &endless : &given);
  all.add(number, &given);
  const KernelEntry its_entry{nullptr, nullptr, parameters.data(), 65};
  const detail::LaunchWindows<Driver> known_windows(its_entry, elements.data(), all.words());
  const std::uint64_t* const windows = known_windows.first();
  ASSERT_NE(windows, nullptr);
  for (std::size_t i = 0; i < 64; ++i) {
    const bool known = i != 2 && i != 3 && i != 63;
    EXPECT_EQ(windows[i], known ? 20 : detail::unknown_extent) << i;
  }
  all.add(facts, &given);
  const detail::LaunchWindows<Driver> too_many(its_entry, elements.data(), all.words());
  EXPECT_EQ(too_many.first(), nullptr) << "of more parameters it learns nothing";
}

TEST_F(LaunchArgumentsTest, TheNumberOfElementsOfASpanFollowsItsAddress) {
  const std::uint64_t span[2] = {0x1000, 5};
  const std::uint64_t address = span[0];
  detail::ArgumentFacts facts = plain_facts(8);
  facts.reaches_memory = true;
  EXPECT_EQ(detail::bytes_behind(facts, span, &address, 4), 20U) << "for a pointer parameter";
  facts.is_span = true;
  EXPECT_EQ(detail::bytes_behind(facts, nullptr, span, 4), 20U) << "for a span parameter";
}

/// What a reader of a launch's arguments has seen.
struct SeenArguments {
  std::vector<detail::ArgumentMemory> memory;
  std::vector<std::string> bytes;
  std::vector<const void*> places;
  const void* stream = nullptr;
  std::uint32_t blocks = 0;

  const detail::ArgumentTypes* types = nullptr;

  void show(const detail::ArgumentWords& words, const detail::KernelFacts& kernel) {
    types = &words.types();
    const KernelEntry its_entry{nullptr, nullptr, nullptr, 0};
    LaunchShape shape;
    shape.grid[0] = 3;
    Observer reader;
    reader.user = this;
    reader.inspect = &see;
    detail::WatchedLaunch launch{{&reader, detail::backend_calls<NotedRuntime>},
                                 shape,
                                 nullptr,
                                 nullptr,
                                 its_entry,
                                 kernel,
                                 words};
    launch.observation.record.stream = NotedRuntime::handle<void*>(8);
    LaunchError error = LaunchError::make(Errc{}, Stage{});
    EXPECT_EQ(detail::show_arguments(launch, true, error), LaunchVerdict::dispatch);
  }
  static LaunchVerdict see(void* user, const LaunchRecord&, const detail::BackendCalls&,
                           const detail::LaunchArguments& arguments, LaunchError&) noexcept {
    SeenArguments& self = *static_cast<SeenArguments*>(user);
    self.stream = arguments.stream;
    self.blocks = arguments.shape.grid[0];
    for (std::uint32_t i = 0; i < self.types->count; ++i) {
      self.memory.push_back(arguments.memory[i]);
      self.places.push_back(arguments.values[i]);
      self.bytes.emplace_back(static_cast<const char*>(arguments.values[i]),
                              self.types->facts[i]->size);
    }
    return LaunchVerdict::dispatch;
  }
};

TEST_F(LaunchArgumentsTest, AreShownWithTheMemoryBehindThemAndWithoutPadding) {
  const detail::ArgumentFacts number = plain_facts(4);
  const detail::ArgumentFacts with_memory = view_facts();
  detail::ArgumentFacts padded = plain_facts(64);
  padded.clear_padding = [](void* value) noexcept {
    std::memset(static_cast<char*>(value) + 60, 0, 4);
  };
  struct alignas(64) Block {
    char text[64];
  };
  Block first;
  Block second;
  std::memset(&first, 'a', sizeof first);
  std::memset(&second, 'b', sizeof second);
  const int seven = 7;
  const OwnedArgument given{&seven, 5, nullptr};
  const OwnedArgument none{nullptr, 5, nullptr};
  Arguments all;
  all.add(padded, &first);
  all.add(number, &seven);
  all.add(with_memory, &given);
  all.add(with_memory, &none);
  all.add(padded, &second);
  const detail::ElementInfo elements[5] = {
      {}, {}, {ElementType::bytes, 4}, {ElementType::bytes, 4}, {}};
  SeenArguments seen;
  seen.show(all.words(), {{}, elements, nullptr});
  EXPECT_EQ(seen.stream, Driver::handle<void*>(8));
  EXPECT_EQ(seen.blocks, 3U);
  ASSERT_EQ(seen.bytes.size(), 5U);
  EXPECT_EQ(seen.bytes[0], std::string(60, 'a') + std::string(4, '\0'));
  EXPECT_EQ(seen.bytes[4], std::string(60, 'b') + std::string(4, '\0'));
  EXPECT_EQ(first.text[63], 'a') << "the caller's object stays as it is";
  EXPECT_EQ(seen.places[1], &seven);
  for (const std::size_t i : {0U, 4U}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen.places[i]) % 64, 0U);
  }
  const detail::ArgumentMemory expected[] = {
      {nullptr, 0}, {nullptr, 0}, {&seven, 20}, {nullptr, 0}, {nullptr, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(seen.memory[i].begin, expected[i].begin) << i;
    EXPECT_EQ(seen.memory[i].bytes, expected[i].bytes) << i;
  }
}

TEST_F(LaunchArgumentsTest, MemoryOfAnotherStreamOrDeviceIsForeign) {
  detail::MemoryOwner own = owner_on(1);
  detail::MemoryOwner of_other_stream = owner_on(3);
  detail::MemoryOwner of_other_device = owner_on(1, 4);
  detail::MemoryOwner freed = owner_on(3, detail::memory_was_freed);
  const detail::ArgumentFacts facts = view_facts();
  const detail::ArgumentFacts number = plain_facts(8);
  const struct {
    detail::MemoryOwner* owner;
    bool accessible, foreign, fine;
  } cases[] = {{nullptr, true, false, true},           {&own, true, false, true},
               {&of_other_stream, true, true, true},   {&of_other_device, true, true, true},
               {&of_other_device, false, true, false}, {&freed, true, true, false}};
  for (const auto& one : cases) {
    script.access = one.accessible;
    if (one.owner != nullptr) one.owner->accessed_from = 0;
    const OwnedArgument given{nullptr, 5, one.owner};
    Arguments all;
    all.add(number, &given);
    all.add(facts, &given);
    detail::ArgumentWords words = all.words();
    bool foreign = true;
    error = LaunchError::make(Errc{}, Stage{});
    EXPECT_EQ(detail::check_owners(at(), words, foreign, error), one.fine);
    EXPECT_EQ(foreign, one.foreign);
    EXPECT_EQ(error.argument(), one.fine ? 0U : 2U);
    foreign = false;
    EXPECT_TRUE(detail::check_owners(at(), words, foreign, error)) << "no argument has an owner";
    EXPECT_FALSE(foreign);
    Arguments alone;
    alone.add(facts, &given);
    foreign = true;
    EXPECT_EQ(detail::check_owners(at(), alone.words(), foreign, error), one.fine);
    EXPECT_EQ(foreign, one.foreign);
  }
}

TEST_F(LaunchArgumentsTest, EachUseOfAnotherStreamsMemoryIsRecorded) {
  detail::MemoryOwner own = owner_on(1);
  detail::MemoryOwner third = owner_on(3);
  detail::MemoryOwner fourth = owner_on(4);
  const detail::ArgumentFacts facts = view_facts();
  const detail::ArgumentFacts number = plain_facts(8);
  const OwnedArgument given[] = {
      {nullptr, 1, nullptr}, {nullptr, 1, &third}, {nullptr, 1, &own}, {nullptr, 1, &fourth}};
  Arguments all;
  all.add(facts, &given[1]);
  all.add(number, &given[1]);
  all.add(facts, &given[0]);
  all.add(facts, &given[2]);
  all.add(facts, &given[3]);
  EXPECT_TRUE(detail::record_owners(at(), all.words(), error));
  EXPECT_EQ(script.taken(), (Calls{"use 3 1 2", "use 4 1 2"}));
  script.fails["use"] = 1;
  EXPECT_FALSE(detail::record_owners(at(), all.words(), error));
  EXPECT_EQ(script.taken(), (Calls{"use 3 1 2", "use 4 1 2"})) << "the launch uses both";
  EXPECT_EQ(error.raw, 1);
  EXPECT_EQ(text(error.operation), "event record");
  EXPECT_TRUE(is_app(error.site));
}

TEST_F(LaunchArgumentsTest, AnEmptyViewForAPointerIsRefusedByItsNumber) {
  detail::ArgumentFacts sized = view_facts();
  sized.checks.has_size = true;
  detail::ArgumentFacts number = plain_facts(4);
  number.checks.signed_bytes = 4;
  const detail::ArgumentFacts unchecked = plain_facts(8);
  const int minus = -5;
  const int plus = 5;
  const OwnedArgument empty{nullptr, 0, nullptr};
  const OwnedArgument full_view{nullptr, 1, nullptr};
  const auto checked =
      [&](const std::vector<std::pair<const detail::ArgumentFacts*, const void*>>& arguments) {
        Arguments all;
        for (const auto& [facts, value] : arguments) all.add(*facts, value);
        error = LaunchError::make(Errc{}, Stage{});
        const bool fine = detail::check_values(at(), all.words(), error);
        EXPECT_EQ(fine, error.code == Errc{});
        return finding(error);
      };
  const Finding fine{Errc{}, Stage{}, 0, 0, Axis::none};
  EXPECT_EQ(checked({{&sized, &full_view}, {&unchecked, &empty}, {&number, &plus}}), fine);
  EXPECT_EQ(checked({{&number, &plus}, {&sized, &full_view}, {&sized, &empty}}),
            (Finding{Errc::argument_empty, Stage::validation, 0, 0, Axis::none}));
  EXPECT_EQ(error.argument(), 3U);
  EXPECT_EQ(checked({{&sized, &empty}}).code, Errc::argument_empty);
  EXPECT_EQ(error.argument(), 1U);
  EXPECT_EQ(checked({{&sized, &full_view}, {&number, &minus}}),
            (Finding{Errc::argument_negative, Stage::validation, 5, 0, Axis::none}));
  EXPECT_EQ(error.argument(), 2U);
}

}  // namespace
}  // namespace warpsafe::core_test
