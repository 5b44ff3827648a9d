// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/detail/text.hpp>
#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/journal.hpp>
#include <warpsafe/debug/journal/journal_reader.hpp>
#include <warpsafe/debug/journal/launch_text.hpp>
#include <warpsafe/error/error.hpp>

#include <cstddef>
#include <cstdint>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// The latest faults, each with its suspects: the launches of the device that were not known to
/// have ended when the fault was noticed. They are kept apart from the journal, where further
/// launches would overwrite them. A device whose context is lost keeps its first incident, because
/// every later error of that device means the same fault.
///
/// A launch is missing from the list only if unchecked code made it or if it is older than the
/// journal. Thread-safe. Takes a lock, but only when an error occurs.
class Incidents {
 public:
  /// How many incidents are kept. The oldest ones of devices that still work are dropped first.
  static constexpr std::size_t capacity = 4;

  /// Records the suspects of a fault on a device (-1: any device of the vendor). Returns the number
  /// of the incident, at least 1. If the context was lost earlier and still reports the same
  /// status, returns the number of the earlier incident.
  std::uint64_t add(const LaunchError& error, std::int32_t device) noexcept {
    const Vendor vendor = error.vendor;
    const bool context_lost = error.severity == Severity::context_lost;
    const warpsafe::detail::Locked lock(lock_);
    Incident* chosen = incidents_;
    for (Incident& one : incidents_) {
      if (context_lost && one.lost && one.raw == error.raw && one.vendor == vendor &&
          (one.device == device || one.device < 0 || device < 0) &&
          Completion::get().succeeded_at(vendor, one.device) <= one.noticed_at) {
        return one.number;
      }
      if ((chosen->lost && !one.lost) ||
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
    return last_;
  }

  /// Copies the suspects of an incident into `records`, newest launch first, at most `most`.
  /// Returns how many there are; 0 also for an incident that is no longer kept.
  std::size_t copy(std::uint64_t number, LaunchRecord* records, std::size_t most) noexcept {
    std::size_t count = 0;
    const warpsafe::detail::Locked lock(lock_);
    if (const Incident* const found = find(number)) {
      count = found->count;
      for (std::size_t i = 0; i < count && i < most; ++i) records[i] = found->suspects[i];
    }
    return count;
  }

  /// Writes the end of an error's text.
  void put(warpsafe::detail::TextBuffer& out, const LaunchError& error) noexcept {
    const warpsafe::detail::Locked lock(lock_);
    const Incident* const found = find(error.incident);
    if (found == nullptr) {
      out << "\n  its suspects were discarded to make room for newer faults";
    } else if (found->count == 0) {
      out << "\n  no suspects: every launch of checked code had ended, and no wait had reported a fault; "
             "look at what else uses the device, and for an earlier write that was found late";
    } else {
      out << "\n  " << (found->count == 1 ? "suspect: " : "suspects: ") << found->count
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
        out << "\n    and " << found->count - shown << " older ones (debug::suspects)";
      }
      if (found->count > 1) {
        out << "\n  set WARPSAFE_SYNC=all to find the failing launch: every launch then waits for "
               "its kernel";
      }
    }
    if (found != nullptr && found->overwritten != 0) {
      out << "\n  the journal holds the last " << std::uint64_t{Journal::capacity}
          << " launches: " << found->overwritten << " older ones were not checked";
    }
  }

  /// The one instance of the process.
  [[nodiscard]] static Incidents& get() noexcept { return instance; }

 private:
  /// How many suspects an error's text lists.
  static constexpr std::size_t shown = 16;

  struct Incident {
    std::uint64_t number;
    std::uint64_t noticed_at;
    std::uint64_t overwritten;
    std::uint64_t count;
    std::int32_t raw;
    std::int32_t device;
    Vendor vendor;
    bool lost;
    /// All that the journal may hold. A faulty launch stops those behind it, so it is often the
    /// oldest that has not ended, and a shorter list would lose it. The room is static: pages of it
    /// that no incident has filled take no memory.
    LaunchRecord suspects[Journal::capacity];
  };

  [[nodiscard]] Incident* find(std::uint64_t number) noexcept {
    for (Incident& one : incidents_) {
      if (number != 0 && one.number == number) return &one;
    }
    return nullptr;
  }

  /// Collects the unfinished launches in the journal, newest first.
  static std::size_t collect(Vendor vendor, std::int32_t device, LaunchRecord* found) noexcept {
    return read_journal(found, [&](const LaunchRecord& record) {
      return record.vendor == vendor && (device < 0 || record.device == device) &&
             is_in_flight(record);
    });
  }

  // No initialisers, because static storage is zero; see LaunchRecord.
  std::uint64_t last_;
  warpsafe::detail::ProcessLock lock_;
  Incident incidents_[capacity];

  [[gnu::visibility("default")]] static Incidents instance;
};

inline Incidents Incidents::instance;

/// Tells the debug tools that all work of a device has ended and that its context is intact. Call
/// it after a synchronisation of your own (cudaDeviceSynchronize) or after a reset of the device.
/// Earlier launches are no suspects afterwards.
inline void mark_device_idle(Vendor vendor, std::int32_t device) noexcept {
  Completion& completion = Completion::get();
  completion.device_waited(vendor, device, completion.begin_wait());
}

/// Copies the launches that may have caused `error` into `records`, newest first, at most `most`.
/// Returns how many there are. 0 if the error is no fault of running work, or in a program without
/// checks.
[[nodiscard]] inline std::size_t suspects(const LaunchError& error, LaunchRecord* records,
                                          std::size_t most) noexcept {
  return error.incident == 0 ? 0 : Incidents::get().copy(error.incident, records, most);
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
