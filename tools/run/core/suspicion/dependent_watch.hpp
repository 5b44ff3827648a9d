// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../report/counted.hpp"
#include "../stream/stream_place.hpp"
#include "dependent_launch.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// Finds kernels that begin before an earlier kernel of their stream has ended, never wait for it,
/// and use its memory (CUDA Programming Guide, "Programmatic Dependent Launch and
/// Synchronization"). The launch asks for programmatic stream serialization, and the kernel's
/// machine code has no wait. A kernel's wait covers the kernel launched before it; the ones before
/// that only if that kernel waits too.
///
/// Two kernels share memory if both receive the same address. A kernel begins early in practice
/// only after its predecessor's trigger. Without a trigger, a pair is suspected only if the
/// predecessor must write what the other one receives: the guide guarantees no visibility then.
/// Whatever is uncertain counts as ordered. Thread-safe.
class DependentWatch {
 public:
  /// Returns whether a launch needs to be passed to `launched`. `hazard`: it may begin early, and
  /// its code has no wait. Each launch costs time, so after the first ones they are followed only
  /// in a program that has made one of these.
  [[nodiscard]] bool wants(bool hazard) noexcept {
    if (__atomic_load_n(&seen_, __ATOMIC_RELAXED)) return true;
    if (hazard) __atomic_store_n(&seen_, true, __ATOMIC_RELAXED);
    if (__atomic_load_n(&first_, __ATOMIC_RELAXED) >= most_first) return hazard;
    __atomic_add_fetch(&first_, 1, __ATOMIC_RELAXED);
    return true;
  }

  /// Adds a successful launch, also one that is captured: the graph keeps its dependence.
  void launched(const StreamPlace& at, DependentLaunch launch) {
    const std::lock_guard lock(mutex_);
    // The legacy stream and the blocking streams wait for each other completely.
    if (at.order != StreamOrder::apart) forget_others(at);
    Chain& chain = chains_[at.key];
    chain.order = at.order;
    chain.device = at.device;
    std::vector<DependentLaunch>& before = chain.launches;
    if (!launch.dependent || before.empty()) {
      before.clear();
    } else {
      if (launch.code.has(KernelCode::is_known)) compare(at, before, launch);
      if (before.size() >= most_overlapping) before.erase(before.begin());
    }
    before.push_back(std::move(launch));
    if (chains_.size() > most_streams) chains_.clear();
  }
  /// Other work of the stream, a wait of it or for it: the next kernel begins after all before.
  void ordered(const StreamPlace& at) {
    const std::lock_guard lock(mutex_);
    chains_.erase(at.key);
    if (at.order != StreamOrder::apart) forget_others(at);
  }
  void ordered_all() {
    const std::lock_guard lock(mutex_);
    chains_.clear();
  }
  /// Calls `report(text)` for each suspicion.
  template <class Report>
  void each(const Report& report) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < found_.size() && i < most_reported; ++i) report(found_[i]);
    if (found_.size() > most_reported) {
      report("suspicion: " + counted(found_.size() - most_reported, "more kernel", "more kernels") +
             " without a wait for the kernel before");
    }
  }

 private:
  static constexpr std::size_t most_first = 4096;
  static constexpr std::size_t most_overlapping = 8;
  static constexpr std::size_t most_streams = 1024;
  static constexpr std::size_t most_reported = 10;
  struct Chain {
    StreamOrder order = StreamOrder::apart;
    std::int32_t device = 0;
    std::vector<DependentLaunch> launches{};  ///< since the last complete order, oldest first
  };
  void forget_others(const StreamPlace& at) {
    const bool legacy = at.order == StreamOrder::legacy;
    std::erase_if(chains_, [&](const auto& one) {
      const Chain& chain = one.second;
      return chain.device == at.device &&
             chain.order == (legacy ? StreamOrder::blocking : StreamOrder::legacy);
    });
  }
  /// Compares the launch with those that may not have ended when it touches its memory.
  void compare(const StreamPlace& at, const std::vector<DependentLaunch>& before,
               const DependentLaunch& launch) {
    bool waited = launch.code.has(KernelCode::waits);
    const DependentLaunch* through = nullptr;  // the launch that does not wait for `earlier`
    for (std::size_t i = before.size(); i-- != 0;) {
      const DependentLaunch& earlier = before[i];
      if (!waited && is_hazard(earlier, launch)) add(at, earlier, launch, through);
      // Does this one let `launch` begin before the one before it has ended?
      if (!earlier.dependent || !earlier.code.has(KernelCode::is_known)) return;
      const bool waits = earlier.code.has(KernelCode::waits);
      if (waits && (waited || !earlier.code.has(KernelCode::triggers_first))) return;
      if (!waits || through == nullptr) through = &earlier;
      waited = false;
    }
  }
  [[nodiscard]] static bool is_hazard(const DependentLaunch& earlier,
                                      const DependentLaunch& launch) noexcept {
    const DependentLaunch::Shared shared = earlier.shared_with(launch);
    if (shared == DependentLaunch::Shared::nothing) return false;
    if (earlier.code.has(KernelCode::triggers)) return true;
    return shared == DependentLaunch::Shared::receives && !earlier.of_library && !launch.of_library;
  }
  void add(const StreamPlace& at, const DependentLaunch& earlier, const DependentLaunch& launch,
           const DependentLaunch* through) {
    if (!known_.emplace(earlier.what.data, launch.what.data).second) return;
    const auto named = [](const DependentLaunch& one) {
      return '\'' + std::string(one.what.data, one.what.size) + '\'';
    };
    // The kernel that lacks the wait, and so has the remedy.
    const bool waits = launch.code.has(KernelCode::waits);
    const DependentLaunch& culprit = waits && through != nullptr ? *through : launch;
    std::string text = "suspicion: " + named(culprit) + " never waits for the kernel before it on ";
    char handle[32];
    std::snprintf(handle, sizeof handle, "%p", at.handle);
    text += at.order == StreamOrder::legacy ? "the legacy default stream"
                                            : "stream " + std::string(handle);
    text += ", and is launched with programmatic stream serialization: ";
    text += named(launch) + " may begin before " + named(earlier) + " has ended";
    if (&culprit == &launch && through != nullptr) {
      text += ", because " + named(*through) +
              (through->code.has(KernelCode::waits) ? " lets it begin before its own wait"
                                                    : " does not wait either");
    }
    const DependentLaunch::Shared shared = earlier.shared_with(launch);
    text += shared == DependentLaunch::Shared::receives
                ? "; the earlier one writes memory that the later one receives"
            : shared == DependentLaunch::Shared::reads_back
                ? "; the later one writes memory that the earlier one receives"
                : "; both receive the same memory, and one may write it";
    text += "; call cudaGridDependencySynchronize() in " + named(culprit) +
            " before its first access, or launch it without that attribute";
    found_.push_back(std::move(text));
  }

  bool seen_ = false;
  std::size_t first_ = 0;
  std::mutex mutex_;
  std::map<std::uint64_t, Chain> chains_;  // by the stream's key
  std::set<std::pair<const char*, const char*>> known_;
  std::vector<std::string> found_;
};

}  // namespace warpsafe::watch
