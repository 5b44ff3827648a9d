// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/debug/journal/detail/completion.hpp>
#include <warpsafe/debug/journal/journal.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// Copies the launches in the journal for which `wanted(record)` is true into `found`, newest
/// first, each with its present state. `found` needs room for Journal::capacity records. Returns
/// how many there are. Thread-safe, and never blocks a launch: it leaves out one that is being
/// written.
template <class Wanted>
std::size_t read_journal(LaunchRecord* found, const Wanted& wanted) noexcept {
  const Journal& journal = Journal::get();
  std::size_t count = 0;
  const std::uint64_t last = journal.last();
  for (std::size_t back = 0; back < Journal::capacity; ++back) {
    LaunchRecord record{};
    std::uint64_t submitted_at = 0;
    const std::size_t place = (last + Journal::capacity - back) % Journal::capacity;
    if (!journal.read(place, record, submitted_at)) continue;
    if (record.state == LaunchState::submitted &&
        Completion::get().is_complete(record, submitted_at)) {
      record.state = LaunchState::complete;
    }
    if (!wanted(record)) continue;
    // Places are in order, except for a launch that was overtaken by a whole round.
    std::size_t at = count++;
    while (at > 0 && found[at - 1].sequence < record.sequence) {
      found[at] = found[at - 1];
      --at;
    }
    found[at] = record;
  }
  return count;
}

/// Whether a launch may still run, or wait to run.
[[nodiscard]] inline bool is_in_flight(const LaunchRecord& record) noexcept {
  return record.state == LaunchState::started || record.state == LaunchState::submitted;
}

/// A copy of the journal at one moment: the last launches of the process, oldest first. Empty
/// without checks, or if there is no memory for the copy.
class JournalReader {
 public:
  /// Copies all launches in the journal.
  JournalReader() noexcept : JournalReader([](const LaunchRecord&) { return true; }) {}
  /// Copies the launches for which `wanted(record)` is true.
  template <class Wanted>
  explicit JournalReader(const Wanted& wanted) noexcept
      : records_(new (std::nothrow) LaunchRecord[Journal::capacity]),
        overwritten_(Journal::get().overwritten()) {
    if (records_ == nullptr) return;
    size_ = read_journal(records_, wanted);
    for (std::size_t i = 0; i < size_ / 2; ++i) {
      const LaunchRecord newer = records_[i];
      records_[i] = records_[size_ - 1 - i];
      records_[size_ - 1 - i] = newer;
    }
  }
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;
  ~JournalReader() { delete[] records_; }

  [[nodiscard]] const LaunchRecord* begin() const noexcept { return records_; }
  [[nodiscard]] const LaunchRecord* end() const noexcept { return records_ + size_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const LaunchRecord& operator[](std::size_t i) const noexcept { return records_[i]; }
  /// How many older launches of the process the journal no longer held.
  [[nodiscard]] std::uint64_t overwritten() const noexcept { return overwritten_; }

 private:
  LaunchRecord* records_;
  std::uint64_t overwritten_;
  std::size_t size_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
