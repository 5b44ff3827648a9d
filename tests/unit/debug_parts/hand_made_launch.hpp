// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "core_test.hpp"
#include "log_fixture.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/debug/data/detail/inspect.hpp>
#include <warpsafe/debug/journal/suspects.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// A launch, its arguments and its runtime, made by hand.

namespace warpsafe::core_test {

/// The runtime: its memory is the test's.
struct DataRuntime {
  int copies = 1000;  ///< that work
  int waits = 1000;   ///< that work
  int capturing_status = 0;
  bool capturing = false;
  int kind_status = 0;
  MemoryKind kind = MemoryKind::unregistered;
  std::vector<std::string> calls;
};
inline DataRuntime data;
inline constexpr detail::WaitCalls data_waits{
    Name::of("stream synchronize"),
    Vendor::amd,
    34,
    [](void*) noexcept { return data.waits-- > 0 ? 0 : 8; },
    [](void*) noexcept { return 0; },
    [](void*) noexcept { return true; }};
inline constexpr detail::BackendCalls data_calls{
    .name = Name::of("test"),
    .vendor = Vendor::amd,
    .peek_last_error = nullptr,
    .error_name = [](int) noexcept { return Name{}; },
    .error_text = nullptr,
    .stream_capturing =
        [](void*, bool& capturing) noexcept {
          capturing = data.capturing;
          return data.capturing_status;
        },
    .stream_wait = &data_waits,
    .error =
        [](int status, Name operation, call_site site, Stage stage, int) noexcept {
          LaunchError error = LaunchError::make(Errc::execution_failed, stage, site);
          error.raw = status;
          error.operation = operation;
          return error;
        },
    .limits_of = nullptr,
    .floor = nullptr,
    .device_name = nullptr,
    .copy =
        [](void* to, const void* from, std::size_t bytes, CopyKind kind, void*) noexcept {
          if (data.copies-- <= 0) return 9;
          data.calls.push_back((kind == CopyKind::device_to_host ? "out " : "in ") +
                               std::to_string(bytes));
          std::memcpy(to, from, bytes);
          return 0;
        },
    .pointer_kind =
        [](const void*, MemoryKind& kind, int&) noexcept {
          kind = data.kind;
          return data.kind_status;
        },
    .profile = nullptr};

/// A launch of a kernel with some parameters.
struct HandMadeLaunch {
  std::vector<ParameterInfo> parameters;
  std::vector<void*> values;
  std::vector<detail::ArgumentMemory> memory;
  std::vector<detail::ElementInfo> elements;
  KernelEntry entry{};
  LaunchShape shape;
  const detail::HostReference* reference = nullptr;

  /// A pointer to bytes of device memory.
  void reaches(const void* begin, std::uint64_t bytes, bool writes = true,
               detail::ElementInfo element = {ElementType::uint8, 1}) {
    parameters.push_back({8, 8, true, writes, element.type});
    values.push_back(nullptr);
    memory.push_back({begin, bytes});
    elements.push_back(element);
  }
  /// A parameter that is no pointer.
  void holds(void* value, std::uint32_t bytes, ElementType type) {
    parameters.push_back({bytes, 8, false, false, type});
    values.push_back(value);
    memory.push_back({nullptr, 0});
    elements.push_back({type, bytes});
  }
  [[nodiscard]] detail::LaunchArguments arguments() {
    entry.parameters = parameters.data();
    entry.parameter_count = static_cast<std::uint32_t>(parameters.size());
    return {entry,         shape,           nullptr,   values.data(),
            memory.data(), elements.data(), reference, data_calls};
  }
};
inline LaunchRecord record_named(const char* kernel) {
  LaunchRecord record{};
  record.sequence = 12;
  record.kernel = Name::of(kernel);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    record.grid[axis] = axis + 1;
    record.block[axis] = axis + 4;
  }
  record.dynamic_shared = 99;
  record.stream = reinterpret_cast<const void*>(std::uintptr_t{0x990});
  record.device = 41;
  record.vendor = Vendor::amd;
  return record;
}

struct LaunchData : ::testing::Test, LogSinkTest {
  LaunchData() : folder("launch_data_test." + std::to_string(::getpid())) {
    data = {};
    debug::detail::ensure_started();
    for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<unsigned char>(i);
  }
  ~LaunchData() override {
    static_cast<void>(debug::detail::take_inspection());
    debug::set_trace(nullptr);
    debug::mark_device_idle(Vendor::amd, 41);
    std::filesystem::remove_all(folder);
  }
  LaunchData(const LaunchData&) = delete;
  LaunchData& operator=(const LaunchData&) = delete;

  [[nodiscard]] static std::string text_in(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string folder;
  std::array<unsigned char, 64> device{};
  HandMadeLaunch launch;
  LaunchRecord record = record_named("axpy");
  LaunchError error = LaunchError::make(Errc{}, Stage{});
};

}  // namespace warpsafe::core_test
