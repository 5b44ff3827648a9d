// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>
#include <warpsafe/debug/detail/outside_captures.hpp>
#include <warpsafe/debug/journal/timeout.hpp>
#include <warpsafe/error/error.hpp>
#include <warpsafe/launch/detail/launch_arguments.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// The device memory that the arguments of one launch reach, with copies of it on the host.
/// Overlapping arguments share one copy, as they share memory on the device. Arguments count from 0
/// here.
class LaunchMemory {
 public:
  LaunchMemory(const warpsafe::detail::LaunchArguments& arguments,
               const LaunchRecord& record) noexcept
      : calls_(arguments.calls),
        stream_(arguments.stream),
        record_(record),
        count_(arguments.entry.parameter_count),
        arguments_(new (std::nothrow) Argument[count_ + 1]),
        regions_(new (std::nothrow) Region[count_ + 1]) {
    if (!valid()) return;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto& memory = arguments.memory[i];
      const bool known = memory.bytes != warpsafe::detail::unknown_extent;
      arguments_[i] = {reinterpret_cast<std::uintptr_t>(memory.begin), known ? memory.bytes : 0,
                       arguments.elements[i], arguments.entry.parameters[i].writes, none};
      if (memory.begin == nullptr || !known) continue;
      add(arguments_[i].begin, arguments_[i].begin + memory.bytes, arguments_[i].writes);
      arguments_[i].region = 0;  // set once all regions are known
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (arguments_[i].region != none) arguments_[i].region = region_of(arguments_[i]);
    }
  }
  /// False if the host has no memory for the lists.
  [[nodiscard]] bool valid() const noexcept { return arguments_ != nullptr && regions_ != nullptr; }
  [[nodiscard]] std::size_t arguments() const noexcept { return count_; }

  /// Copies all regions to the host in the stream's order, and waits. Errc::out_of_memory (of the
  /// host), ::wait_timed_out if WARPSAFE_TIMEOUT stops waits, or the runtime's error.
  [[nodiscard]] bool copy_before(LaunchError& error) noexcept {
    const detail::OutsideCaptures outside(calls_);
    // Wait first: a copy into pageable memory waits inside the runtime's call, which nothing
    // watches.
    return wait(true, error) && copy_to_host(&Region::before, false, error);
  }
  /// Waits for the launch, before its results are copied. Errors as in copy_before.
  [[nodiscard]] bool wait_for_launch(LaunchError& error) const noexcept {
    const detail::OutsideCaptures outside(calls_);
    return wait(true, error);
  }
  /// Copies to the host the regions that the kernel may have written. Errors as in copy_before.
  [[nodiscard]] bool copy_after(LaunchError& error) noexcept {
    const detail::OutsideCaptures outside(calls_);
    return copy_to_host(&Region::after, true, error);
  }
  /// Notes what `before` holds now in the regions that the kernel may write, for write_back. False
  /// if the host has no memory for it.
  [[nodiscard]] bool note_before() noexcept {
    for (std::size_t i = 0; i < regions_used_; ++i) {
      Region& region = regions_[i];
      if (!region.writes) continue;
      region.noted.reset(new (std::nothrow) unsigned char[region.size()]);
      if (region.noted == nullptr) return false;
      std::memcpy(region.noted.get(), region.before.get(), region.size());
    }
    return true;
  }
  /// Copies to the device the elements of `before` that have changed since note_before, and waits.
  /// The others may have new values of other streams there. Errors as in copy_before. @pre
  /// note_before
  [[nodiscard]] bool write_back(LaunchError& error) const noexcept {
    const detail::OutsideCaptures outside(calls_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (reaches(i) && writes(i) && !write_changes(i, error)) return false;
    }
    return wait(false, error);
  }

  /// Whether an argument reaches memory that was copied, and whether the kernel may write there.
  [[nodiscard]] bool reaches(std::size_t i) const noexcept { return arguments_[i].region != none; }
  [[nodiscard]] bool writes(std::size_t i) const noexcept { return arguments_[i].writes; }
  /// Bytes of an argument's memory; 0 if it reaches none.
  [[nodiscard]] std::uint64_t bytes(std::size_t i) const noexcept { return arguments_[i].bytes; }
  [[nodiscard]] const warpsafe::detail::ElementInfo& element(std::size_t i) const noexcept {
    return arguments_[i].element;
  }
  /// The host's copy of an argument's memory, from before or after the launch; nullptr if there is
  /// none.
  [[nodiscard]] unsigned char* before(std::size_t i) const noexcept {
    return place(i, &Region::before);
  }
  [[nodiscard]] unsigned char* after(std::size_t i) const noexcept {
    return place(i, &Region::after);
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  using Copy = std::unique_ptr<unsigned char[]>;
  struct Argument {
    std::uintptr_t begin;
    std::uint64_t bytes;
    warpsafe::detail::ElementInfo element;
    bool writes;
    std::size_t region;
  };
  struct Region {
    std::uintptr_t begin;
    std::uintptr_t end;
    bool writes;
    Copy before;
    Copy noted;
    Copy after;
    [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
  };

  /// Adds a range and merges it with the ranges that it overlaps. Adjacent ranges stay apart,
  /// because they may belong to two allocations.
  void add(std::uintptr_t begin, std::uintptr_t end, bool writes) noexcept {
    for (std::size_t i = 0; i < regions_used_;) {
      Region& region = regions_[i];
      if (end <= region.begin || region.end <= begin) {
        ++i;
        continue;
      }
      begin = begin < region.begin ? begin : region.begin;
      end = end > region.end ? end : region.end;
      writes = writes || region.writes;
      region = std::move(regions_[--regions_used_]);
    }
    regions_[regions_used_++] = {begin, end, writes, nullptr, nullptr, nullptr};
  }
  /// The region of an argument that was added.
  [[nodiscard]] std::size_t region_of(const Argument& argument) const noexcept {
    const std::uintptr_t end = argument.begin + argument.bytes;
    std::size_t i = 0;
    while (argument.begin < regions_[i].begin || regions_[i].end < end) ++i;
    return i;
  }
  [[nodiscard]] unsigned char* place(std::size_t i, Copy Region::*copy) const noexcept {
    if (arguments_[i].region == none) return nullptr;
    const Region& region = regions_[arguments_[i].region];
    const Copy& bytes = region.*copy;
    return bytes == nullptr ? nullptr : bytes.get() + (arguments_[i].begin - region.begin);
  }

  [[nodiscard]] bool write_changes(std::size_t i, LaunchError& error) const noexcept {
    const Argument& argument = arguments_[i];
    unsigned char* const now = place(i, &Region::before);
    const unsigned char* const noted = place(i, &Region::noted);
    // The largest power of 2 that divides its size, because rows may begin at no multiple of that.
    const std::size_t size = argument.element.bytes == 0 ? 1 : argument.element.bytes;
    const std::size_t element = size & (~size + 1);
    // The memory may end in a part of an element.
    const auto end_of = [&](std::size_t at) {
      return argument.bytes - at < element ? argument.bytes : at + element;
    };
    const auto changed = [&](std::size_t at) {
      return at < argument.bytes && std::memcmp(now + at, noted + at, end_of(at) - at) != 0;
    };
    for (std::size_t at = 0; at < argument.bytes;) {
      const std::size_t first = at;
      while (changed(at)) at = end_of(at);
      // Of no bytes, it does nothing.
      if (!copy(argument.begin + first, at - first, now + first, false, error)) return false;
      if (at < argument.bytes) at = end_of(at);
    }
    return true;
  }
  [[nodiscard]] bool copy_to_host(Copy Region::*copy_of, bool written_only,
                                  LaunchError& error) noexcept {
    for (std::size_t i = 0; i < regions_used_; ++i) {
      Region& region = regions_[i];
      if (written_only && !region.writes) continue;
      Copy& target = region.*copy_of;
      target.reset(new (std::nothrow) unsigned char[region.size()]);
      if (target == nullptr) {
        error = LaunchError::make(Errc::out_of_memory, Stage::runtime_call, region.size(), 0,
                                  Axis::none, record_.site);
        return false;
      }
      if (!copy(region.begin, region.size(), target.get(), true, error)) return false;
    }
    return wait(false, error);
  }
  [[nodiscard]] bool copy(std::uintptr_t begin, std::size_t size, unsigned char* host, bool to_host,
                          LaunchError& error) const noexcept {
    if (size == 0) return true;
    void* const device = reinterpret_cast<void*>(begin);
    const int status =
        calls_.copy(to_host ? host : device, to_host ? device : host, size,
                    to_host ? CopyKind::device_to_host : CopyKind::host_to_device, stream_);
    return status == 0 || failed(status, to_host ? "copy to host" : "copy to device", error);
  }
  /// `may_stop`: no copy that uses host memory is under way.
  [[nodiscard]] bool wait(bool may_stop, LaunchError& error) const noexcept {
    const int status = detail::wait_as_tool(*calls_.stream_wait, stream_,
                                            {stream_, record_.device, record_.site, may_stop});
    return status == 0 || failed(status, "stream synchronize", error);
  }
  [[nodiscard]] bool failed(int status, const char* operation, LaunchError& error) const noexcept {
    error =
        calls_.error(status, Name::of(operation), record_.site, Stage::completion, record_.device);
    error.device = record_.device;
    return false;
  }

  const warpsafe::detail::BackendCalls& calls_;
  void* stream_;
  LaunchRecord record_;
  std::size_t count_;
  std::size_t regions_used_ = 0;
  std::unique_ptr<Argument[]> arguments_;
  std::unique_ptr<Region[]> regions_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
