// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/error/error.hpp>

#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace warpsafe::debug {

/// The faults that were noticed, each with the launches that may have caused it, as they stood at
/// that moment: the launches of the device that are not known to have ended. They are kept apart
/// from the journal, since a program that goes on launching would overwrite them there. A device
/// whose context is lost keeps its first incident: every later error of it means the same fault.
///
/// A launch is missing from the list only if it was not made through checked code, or is older than
/// what the journal holds. Thread-safe; takes a lock, on the way of an error alone.
class Incidents {
 public:
  /// How many are kept; the oldest ones of devices that still work are given up first.
  static constexpr std::size_t capacity = 4;

  /// Takes down the suspects of a fault that was just noticed on a device (-1: any device of the
  /// vendor). Returns the number of the incident, at least 1: that of an earlier one if the context
  /// was lost then, and has said the same since.
  std::uint64_t add(const LaunchError& error, std::int32_t device) noexcept {
    const Vendor vendor = error.vendor;
    const bool context_lost = error.severity == Severity::context_lost;
    lock();
    Incident* chosen = nullptr;
    for (Incident& one : incidents_) {
      if (one.number != 0 && context_lost && one.lost && one.raw == error.raw &&
          one.vendor == vendor && (one.device == device || one.device < 0 || device < 0) &&
          Completion::get().well_at(vendor, one.device) <= one.noticed_at) {
        const std::uint64_t number = one.number;
        unlock();
        return number;
      }
      if (chosen == nullptr || (one.lost ? 1 : 0) < (chosen->lost ? 1 : 0) ||
          (one.lost == chosen->lost && one.number < chosen->number)) {
        chosen = &one;
      }
    }
    chosen->number = ++last_;
    chosen->vendor = vendor;
    chosen->raw = error.raw;
    chosen->device = device;
    chosen->lost = context_lost;
    chosen->overwritten = Journal::get().overwritten();
    chosen->count = collect(vendor, device, chosen->suspects);
    chosen->noticed_at = Completion::get().begin_wait();
    const std::uint64_t number = last_;
    unlock();
    return number;
  }

  /// Copies the suspects of an incident, newest launch first, into `records`, at most `most`.
  /// Returns how many there are; 0 also for an incident that is no longer kept.
  std::size_t copy(std::uint64_t number, LaunchRecord* records, std::size_t most) noexcept {
    std::size_t count = 0;
    lock();
    if (const Incident* const found = find(number)) {
      count = found->count;
      for (std::size_t i = 0; i < count && i < most; ++i) records[i] = found->suspects[i];
    }
    unlock();
    return count;
  }

  /// The end of an error's text.
  void put(warpsafe::detail::TextBuffer& out, const LaunchError& error) noexcept {
    lock();
    const Incident* const found = find(error.incident);
    if (found == nullptr) {
      out << "\n  its suspects are no longer kept: others were noticed since";
    } else if (found->count == 0) {
      out << "\n  no suspects: every launch of checked code is known to have ended well; look at "
             "what else uses the device";
    } else {
      out << "\n  " << (found->count == 1 ? "suspect: " : "suspects: ") << count_of(*found)
          << (found->count == 1 ? " launch" : " launches") << " of ";
      if (found->device >= 0) {
        out << "device " << found->device;
      } else {
        out << "this process";
      }
      out << " not known to have ended" << (found->count == 1 ? "" : ", newest first");
      for (std::size_t i = 0; i < found->count && i < shown; ++i) {
        put_listed(out, found->suspects[i], true);
      }
      if (found->count > shown) {
        out << "\n    and " << count_of(*found) - shown << " older ones (debug::suspects)";
      }
      if (found->count > 1) {
        out << "\n  WARPSAFE_SYNC=all tells which: every launch then waits for its kernel";
      }
    }
    if (found != nullptr && found->overwritten != 0) {
      out << "\n  the journal holds the last " << std::uint64_t{Journal::capacity}
          << " launches: " << found->overwritten << " older ones are not judged";
    }
    unlock();
  }

  /// Of the process.
  [[nodiscard]] static Incidents& get() noexcept { return instance; }

 private:
  /// Suspects in an error's text.
  static constexpr std::size_t shown = 16;

  struct Incident {
    std::uint64_t number;
    std::uint64_t noticed_at;
    std::uint64_t overwritten;
    std::size_t count;
    std::int32_t raw;
    std::int32_t device;
    Vendor vendor;
    bool lost;
    LaunchRecord suspects[Journal::capacity];
  };

  [[nodiscard]] static std::uint64_t count_of(const Incident& one) noexcept { return one.count; }
  [[nodiscard]] Incident* find(std::uint64_t number) noexcept {
    for (Incident& one : incidents_) {
      if (number != 0 && one.number == number) return &one;
    }
    return nullptr;
  }

  /// The unfinished launches in the journal, newest first.
  static std::size_t collect(Vendor vendor, std::int32_t device, LaunchRecord* found) noexcept {
    return read_journal(found, [&](const LaunchRecord& record) {
      return record.vendor == vendor && (device < 0 || record.device == device) &&
             is_in_flight(record);
    });
  }

  void lock() noexcept {
    // Its holder may be stopped: on a busy machine a spin alone would burn a whole time slice.
    while (__atomic_test_and_set(&busy_, __ATOMIC_ACQUIRE)) sched_yield();
  }
  void unlock() noexcept { __atomic_clear(&busy_, __ATOMIC_RELEASE); }

  // No initialisers: static storage is zero, and see LaunchRecord.
  std::uint64_t last_;
  bool busy_;
  Incident incidents_[capacity];

  static Incidents instance;
};

inline Incidents Incidents::instance;

/// Tells the debug tools that all work of a device has ended and its context is whole: after a
/// synchronisation of your own (cudaDeviceSynchronize), or after the device was reset. What was
/// launched before is no suspect any more.
inline void mark_device_idle(Vendor vendor, std::int32_t device) noexcept {
  Completion& completion = Completion::get();
  completion.device_waited(vendor, device, completion.begin_wait());
}

/// The launches that may have caused `error`, newest first, up to `most` of them into `records`.
/// Returns how many there are. 0 for an error that is no fault of running work, or of a program
/// without checks.
[[nodiscard]] inline std::size_t suspects(const LaunchError& error, LaunchRecord* records,
                                          std::size_t most) noexcept {
  return error.incident == 0 ? 0 : Incidents::get().copy(error.incident, records, most);
}

}  // namespace warpsafe::debug
