// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "scripted_runtime.hpp"
#include <warpsafe/core/limits_table.hpp>
#include <warpsafe/launch/detail/checked_launch.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Arguments of a launch whose facts are made by hand, and a runtime that notes the launch.

namespace warpsafe::core_test {

/// A runtime that notes each launch, and what the launch told the race detector.
struct NotedRuntime : ScriptedRuntime {
  static inline const std::uint64_t* windows = nullptr;
  static inline std::string place;
  static int launch(const KernelEntry&, const LaunchShape& shape, void** values,
                    native_stream stream) noexcept {
    windows = host::caller().windows;
    place = text(host::caller().kernel);
    return script.call("launch", shape.grid[0], *static_cast<int*>(values[0]), stream);
  }
  static int limits_of(int, DeviceLimits& limits) noexcept {
    limits = limits::sm_90;
    return 0;
  }
  static int attributes_of(const KernelEntry&, KernelLimits&) noexcept {
    return script.call("attributes_of");
  }
  static int raise_dynamic_shared(const KernelEntry&, std::uint64_t bytes) noexcept {
    return script.call("raise_dynamic_shared", bytes);
  }
};

/// Facts of an argument that is passed in place: `size` bytes without memory behind them.
constexpr detail::ArgumentFacts plain_facts(std::uint32_t size) {
  detail::ArgumentFacts facts{};
  facts.size = facts.alignment = size;
  return facts;
}
/// Facts of a view: an address and the owner behind it.
struct OwnedArgument {
  const void* begin;
  std::uint64_t count;
  detail::MemoryOwner* owner;
};
constexpr detail::ArgumentFacts view_facts() {
  detail::ArgumentFacts facts = plain_facts(8);
  facts.has_owner = facts.reaches_memory = true;
  facts.source = [](const void* argument) noexcept -> detail::ArgumentSource {
    const auto& given = *static_cast<const OwnedArgument*>(argument);
    return {given.owner, given.count};
  };
  return facts;
}

/// The arguments of one launch.
class Arguments {
 public:
  void add(const detail::ArgumentFacts& facts, const void* value) {
    facts_.push_back(&facts);
    values_.push_back(const_cast<void*>(value));
  }
  /// Room for the values, their parameters' addresses and the parameters.
  [[nodiscard]] detail::ArgumentWords words(std::size_t offset = 0) {
    checked_.clear();
    bool all_in_place = true;
    for (std::uint32_t i = 0; i < facts_.size(); ++i) {
      if (facts_[i]->checks.has_size || facts_[i]->checks.any()) checked_.push_back(i);
      all_in_place &= facts_[i]->convert == nullptr;
    }
    types_ = {facts_.data(),
              checked_.data(),
              static_cast<std::uint32_t>(facts_.size()),
              static_cast<std::uint32_t>(checked_.size()),
              true,
              all_in_place};
    void** const begin = room_.data() + offset;
    for (std::size_t i = 0; i < values_.size(); ++i) begin[i] = values_[i];
    return {types_, begin};
  }
  /// After `words`.
  [[nodiscard]] void** room() { return room_.data(); }

 private:
  std::vector<const detail::ArgumentFacts*> facts_;
  std::vector<std::uint32_t> checked_;
  std::vector<void*> values_;
  std::array<void*, 512> room_{};
  detail::ArgumentTypes types_{};
};

class LaunchArgumentsTest : public ScriptedTest {
 protected:
  using Driver = NotedRuntime;
  LaunchArgumentsTest() { Driver::windows = nullptr; }

  static detail::Located<Driver> at(std::uintptr_t stream = 1, int device = 2) {
    return {detail::StreamAccess::make<Driver>(Driver::handle<void*>(stream), device,
                                               detail::StreamNumber(stream)),
            app};
  }
  /// An owner of memory of a device that a stream frees. Its uses are noted.
  static detail::MemoryOwner owner_on(std::uintptr_t stream, int device = 2) {
    detail::MemoryOwner owner;
    owner.freed_on = stream;
    owner.of_device = device;
    owner.vendor = static_cast<unsigned char>(Driver::vendor);
    owner.start = Driver::handle<void*>(90);
    owner.add_use = [](detail::MemoryOwner& self, void* by, int device_of_use,
                       unsigned long) noexcept {
      return script.call("use", self.freed_on, by, device_of_use);
    };
    return owner;
  }
  static LaunchShape shape(std::uint64_t bytes = 0) {
    LaunchShape made;
    for (int axis = 0; axis < 3; ++axis) made.grid[axis] = made.block[axis] = 1;
    made.grid[0] = 7;
    made.dynamic_shared = bytes;
    return made;
  }

  LaunchError error = LaunchError::make(Errc{}, Stage{});
};

}  // namespace warpsafe::core_test
