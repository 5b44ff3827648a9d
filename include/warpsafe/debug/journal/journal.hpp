// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/launch_record.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug {

/// The last launches of the process, from every thread, device and backend. Lock-free: any number
/// of threads may add and read at once. A record stays readable while it is among the last
/// `capacity`, and no reader sees a torn one. Checked builds add each launch before they submit
/// it.
///
/// Each slot carries the number of its record, odd while a writer fills the slot. A writer takes a
/// number and with it a slot. It takes the next number if the slot holds a later record, or if
/// another writer still fills the slot after a whole round.
class Journal {
 public:
  /// How many records are kept. New ones overwrite the oldest.
  static constexpr std::size_t capacity = 1024;

  /// Adds a launch and returns its number. Ignores `sequence` and `state` of `record`.
  [[gnu::noinline]] std::uint64_t append(const LaunchRecord& record) noexcept {
    for (;;) {
      const std::uint64_t number = __atomic_add_fetch(&last_, 1, __ATOMIC_RELAXED);
      Slot& slot = slots_[number % capacity];
      std::uint64_t version = __atomic_load_n(&slot.version, __ATOMIC_RELAXED);
      if ((version & 1) != 0 || version > 2 * number ||
          !__atomic_compare_exchange_n(&slot.version, &version, 2 * number + 1, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        __atomic_add_fetch(&skipped_, 1, __ATOMIC_RELAXED);
        continue;
      }
      // Each store is a release: a reader that sees one of them also sees the odd version.
      // Without a loop, which takes as long as the stores.
      [&]<std::size_t... Word>(std::index_sequence<Word...>) {
        (__atomic_store_n(&slot.words[Word], word_of(record, Word + 1), __ATOMIC_RELEASE), ...);
      }
      (std::make_index_sequence<payload_words - 1>{});
      __atomic_store_n(&slot.version, 2 * number, __ATOMIC_RELEASE);
      return number;
    }
  }

  /// Marks a launch as submitted while it is still in the journal; `submitted_at` is
  /// Completion::now() after the runtime accepted it.
  void submitted(std::uint64_t number, std::uint64_t submitted_at) noexcept {
    __atomic_store_n(&slots_[number % capacity].progress, progress(number, submitted_at),
                     __ATOMIC_RELEASE);
  }
  /// Marks a launch as refused by the runtime.
  void refused(std::uint64_t number) noexcept { submitted(number, refused_mark); }

  /// Reads one place, 0 to capacity - 1. Returns false if the place is empty or being written.
  /// `submitted_at` is 0 for a launch that is not submitted yet.
  [[nodiscard]] bool read(std::size_t place, LaunchRecord& record,
                          std::uint64_t& submitted_at) const noexcept {
    const Slot& slot = slots_[place];
    const std::uint64_t version = __atomic_load_n(&slot.version, __ATOMIC_ACQUIRE);
    if (version == 0 || (version & 1) != 0) return false;
    std::uint64_t words[payload_words];
    words[0] = version / 2;
    for (std::size_t i = 1; i < payload_words; ++i) {
      words[i] = __atomic_load_n(&slot.words[i - 1], __ATOMIC_ACQUIRE);
    }
    const std::uint64_t reached = __atomic_load_n(&slot.progress, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&slot.version, __ATOMIC_RELAXED) != version) return false;
    std::memcpy(static_cast<void*>(&record), words, sizeof record);
    // A late mark of an overwritten launch leaves this launch "started", which claims too little.
    const bool ours = (reached >> time_bits) == (progress(record.sequence, 0) >> time_bits);
    submitted_at = ours ? reached & time_mask : 0;
    record.state = submitted_at == 0              ? LaunchState::started
                   : submitted_at == refused_mark ? LaunchState::refused
                                                  : LaunchState::submitted;
    return true;
  }

  /// The last number given out, and how many numbers were given out and not used.
  [[nodiscard]] std::uint64_t last() const noexcept {
    return __atomic_load_n(&last_, __ATOMIC_ACQUIRE);
  }
  [[nodiscard]] std::uint64_t skipped() const noexcept {
    return __atomic_load_n(&skipped_, __ATOMIC_ACQUIRE);
  }
  /// How many launches the journal no longer holds.
  [[nodiscard]] std::uint64_t overwritten() const noexcept {
    const std::uint64_t number = last();
    return number > capacity ? number - capacity : 0;
  }

  /// The journal of the process.
  [[nodiscard]] static Journal& get() noexcept { return instance; }

 private:
  static constexpr std::size_t payload_words = sizeof(LaunchRecord) / 8;
  static_assert(sizeof(LaunchRecord) % 8 == 0 && offsetof(LaunchRecord, sequence) == 0);
  static constexpr unsigned time_bits = 48;
  static constexpr std::uint64_t time_mask = (std::uint64_t{1} << time_bits) - 1;
  static constexpr std::uint64_t refused_mark = time_mask;

  [[nodiscard]] static std::uint64_t word_of(const LaunchRecord& record,
                                             std::size_t place) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const unsigned char*>(&record) + 8 * place, sizeof word);
    return word;
  }
  /// The time, tagged with the journal's round that the launch belongs to.
  [[nodiscard]] static constexpr std::uint64_t progress(std::uint64_t number,
                                                        std::uint64_t time) noexcept {
    return (number / capacity) << time_bits | (time & time_mask);
  }

  struct alignas(64) Slot {
    std::uint64_t version;  ///< 2 * number, odd while it is written
    std::uint64_t progress;
    std::uint64_t words[payload_words - 1];  ///< the record without its first word, the number
  };

  // No initialisers, because static storage is zero; see LaunchRecord.
  alignas(64) std::uint64_t last_;
  std::uint64_t skipped_;
  Slot slots_[capacity];

  [[gnu::visibility("default")]] static Journal instance;
};

inline Journal Journal::instance;

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::debug
