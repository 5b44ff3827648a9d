// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/core/detail/pretty_name.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// A call of the host backend: the name of the backend's member. There is no list of the
/// calls, so a new member needs nothing here. `call_of<&host_backend::launch>` is the call of a
/// member.
class Call {
 public:
  constexpr Call() noexcept = default;
  constexpr explicit Call(Name member) noexcept {
    for (std::size_t i = 0; i < member.size && i + 1 < sizeof text_; ++i) text_[i] = member.data[i];
  }
  [[nodiscard]] constexpr const char* name() const noexcept { return text_; }
  friend constexpr bool operator==(const Call& a, const Call& b) noexcept = default;

 private:
  // A copy, because dlclose may unload the member with its name. A longer name is cut.
  char text_[32] = {};
};

/// The last component of a member's name.
[[nodiscard]] constexpr Name member_name(Name qualified) noexcept {
  std::size_t begin = qualified.size;
  while (begin != 0 && qualified.data[begin - 1] != ':') --begin;
  return {qualified.data + begin, qualified.size - begin};
}

template <auto Member>
inline constexpr Call call_of{member_name(warpsafe::detail::name_of<Member>)};

/// Counts calls and injects the failures that a test asked for. Not thread-safe; its owner locks.
class CallBook {
 public:
  struct Count {
    Call call;
    std::uint64_t made;
  };

  CallBook() { counts_.reserve(64); }
  /// Counts one call. Returns the status that it must fail with, or 0.
  [[nodiscard]] int enter(const Call& call) {
    Count* count = nullptr;
    for (Count& each : counts_) {
      if (each.call == call) count = &each;
    }
    if (count == nullptr) count = &counts_.push_back({call, 0});
    ++count->made;
    return due(call);
  }
  /// The status that the kernel being launched must fail with when it runs, or 0.
  [[nodiscard]] int kernel_fault() { return due(running_kernel); }

  void fail_next(const Call& call, unsigned nth, HostStatus status) {
    faults_.push_back({call, nth, raw(status)});
  }
  void fail_kernel(unsigned nth, HostStatus status) { fail_next(running_kernel, nth, status); }
  [[nodiscard]] std::uint64_t made(const Call& call) const noexcept {
    for (const Count& count : counts_) {
      if (count.call == call) return count.made;
    }
    return 0;
  }
  /// Every call that was made, in the order of the first calls.
  [[nodiscard]] const Array<Count>& counts() const noexcept { return counts_; }

 private:
  struct Fault {
    Call call;
    unsigned calls_left;
    int status;
  };
  static constexpr Call running_kernel{Name::of("a running kernel")};  // no member's name

  [[nodiscard]] int due(const Call& call) {
    int status = 0;
    faults_.erase_if([&](Fault& fault) {
      const bool is_due = fault.call == call && --fault.calls_left == 0;
      if (is_due && status == 0) status = fault.status;
      return is_due;
    });
    return status;
  }

  Array<Count> counts_;
  Array<Fault> faults_;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
