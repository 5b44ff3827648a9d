// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/environment.hpp>
#include <warpsafe/debug/journal/log.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace warpsafe::debug {

/// Which launches a switch means: `name,name…[:skip[:count]]`, or `all` for the names. Of the
/// launches of these kernels the first `skip` are left out, and `count` are taken, without a count
/// all that follow. Names are those of is_listed.
class LaunchFilter {
 public:
  /// Nothing is taken.
  LaunchFilter() noexcept = default;

  /// Takes what `text` says, from now on; nullptr or empty: nothing. Not while other threads
  /// launch.
  void set(const char* text) noexcept {
    std::free(names_);
    names_ = nullptr;
    skip_ = 0;
    count_ = ~std::uint64_t{0};
    __atomic_store_n(&seen_, 0, __ATOMIC_RELAXED);
    if (text == nullptr || *text == '\0') return;
    names_ = ::strdup(text);  // without memory for it, nothing is taken
    if (names_ == nullptr) return;
    std::uint64_t last = 0;
    std::uint64_t before = 0;
    if (!cut_number(last)) return;
    if (cut_number(before)) {
      skip_ = before;
      count_ = last;
    } else {
      skip_ = last;
    }
  }
  [[nodiscard]] bool on() const noexcept { return names_ != nullptr; }
  /// Whether it takes this launch of `kernel`: every launch is asked for once.
  [[nodiscard]] bool takes(const Name& kernel) noexcept {
    if (names_ == nullptr || !is_listed(kernel, names_)) return false;
    const std::uint64_t place = __atomic_fetch_add(&seen_, 1, __ATOMIC_RELAXED);
    return place >= skip_ && place - skip_ < count_;
  }

 private:
  /// Cuts ":NUMBER" off the end. A namespace's "::" is before no number.
  [[nodiscard]] bool cut_number(std::uint64_t& number) noexcept {
    char* const colon = std::strrchr(names_, ':');
    if (colon == nullptr || colon == names_ || colon[1] < '0' || colon[1] > '9') return false;
    char* end = nullptr;
    number = std::strtoull(colon + 1, &end, 10);
    if (*end != '\0') return false;
    *colon = '\0';
    return true;
  }

  char* names_ = nullptr;  // of the process's whole life, once set
  std::uint64_t skip_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace warpsafe::debug

namespace warpsafe::debug::detail {

/// Which launches' data is looked at: what WARPSAFE_REFERENCE, WARPSAFE_SHADOW and WARPSAFE_TRACE
/// ask for, until a program asks for something else (data_switches.hpp).
struct DataFilters {
  LaunchFilter reference;
  LaunchFilter shadow;
  LaunchFilter trace;
  const char* folder = "warpsafe-trace";  ///< where dumps go

  [[nodiscard]] static DataFilters& get() noexcept {
    static DataFilters read = ask();
    return read;
  }
  /// After one was turned: launches ask for their data, or do not.
  void apply() const noexcept {
    __atomic_store_n(&looks_at_data, reference.on() || shadow.on() || trace.on(), __ATOMIC_RELAXED);
  }

 private:
  [[gnu::cold]] static DataFilters ask() noexcept {
    DataFilters found;
    found.reference.set(std::getenv("WARPSAFE_REFERENCE"));
    found.shadow.set(std::getenv("WARPSAFE_SHADOW"));
    found.trace.set(std::getenv("WARPSAFE_TRACE"));
    return found;
  }
};

}  // namespace warpsafe::debug::detail
