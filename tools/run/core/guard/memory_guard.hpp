// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../call/block_at.hpp"
#include "../place/host_stack.hpp"
#include <warpsafe/core/name.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace warpsafe::watch {

/// How a MemoryGuard reaches the memory of the current device. Those that return bool return
/// whether they succeeded.
struct GuardAccess {
  /// In the order of the stream; nullptr: at once.
  bool (*fill)(std::uintptr_t to, std::uint32_t pattern, std::size_t bytes, void* stream) noexcept;
  bool (*read)(void* to, std::uintptr_t from, std::size_t bytes) noexcept;
  bool (*finish)() noexcept;  ///< waits for the work of the device
  void (*release)(std::uintptr_t memory) noexcept;
  /// Makes a mark, which the stream reaches after its work so far.
  bool (*mark)(void* stream, void*& mark) noexcept;
  bool (*reached)(void* mark) noexcept;  ///< whether the stream has reached it
  void (*end_mark)(void* mark) noexcept;
  /// Releases memory of a pool after the mark, without a wait.
  void (*release_after)(std::uintptr_t memory, void* mark) noexcept;
};

/// What a MemoryGuard has found.
struct GuardReport {
  bool after_free = false;  ///< else past the end
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;  ///< of the allocation, as the program asked
  std::size_t first = 0;  ///< the first and the last changed byte, from the beginning
  std::size_t last = 0;
  Name made_by{};
  HostStack made_at{};
  std::vector<Name> launched{};  ///< the kernels launched since the last check

  [[nodiscard]] std::string title() const {
    return "memory guard: something wrote bytes " + std::to_string(first) + " to " +
           std::to_string(last) + " of an allocation of " + std::to_string(bytes) + " bytes" +
           (after_free ? ", after its free" : "");
  }
};

/// Bytes of a copy to the host that still have the pattern of new memory.
struct UnwrittenBytes {
  std::size_t count = 0;  ///< 0: none
  std::size_t first = 0;  ///< from the beginning of the allocation
  std::size_t bytes = 0;  ///< of the allocation, as the program asked
  HostStack made_at{};
};

/// Guards allocations with a zone behind their end, whose pattern is checked at waits and at the
/// free. Freed memory is kept for a while with another pattern, which is checked before it is
/// given back. New memory has a pattern that is a NaN as float and as double. Thread-safe.
class MemoryGuard {
 public:
  static constexpr std::uint32_t fresh = 0xFFFAFAFA;
  static constexpr std::uint32_t freed_memory = 0xFFFDFDFD;
  static constexpr std::uint32_t zone_pattern = 0xFCFCFCFC;
  /// A driver gives memory in multiples of this.
  static constexpr std::size_t unit = 512;

  /// Guards one allocation in `every`; 0: none.
  MemoryGuard(std::uint64_t every, GuardAccess access) : every_(every), access_(access) {}
  [[nodiscard]] bool on() const noexcept { return every_ != 0; }

  /// Returns the size of the zone that the next allocation of `bytes` bytes needs; 0: not guarded.
  [[nodiscard]] std::size_t next_zone(std::size_t bytes) noexcept {
    if (every_ == 0 || bytes == 0 || bytes > most_bytes) return 0;
    const std::uint64_t number = __atomic_fetch_add(&allocations_, 1, __ATOMIC_RELAXED);
    return number % every_ != 0 ? 0 : unit + (unit - bytes % unit) % unit;
  }
  /// The memory has a zone of `zone` bytes behind it. `stream`: it comes from a pool, and exists in
  /// the order of that stream. May throw std::bad_alloc.
  void allocated(std::uintptr_t begin, std::size_t bytes, std::size_t zone, std::int32_t device,
                 Name made_by, const HostStack& made_at, void* stream = nullptr) {
    const std::lock_guard lock(mutex_);
    void* filled = nullptr;
    if (!access_.fill(begin, fresh, bytes, stream) ||
        !access_.fill(begin + bytes, zone_pattern, zone, stream) ||
        (stream != nullptr && !access_.mark(stream, filled))) {
      return;
    }
    live_[begin] = {bytes, zone, device, made_by, made_at, stream != nullptr, filled};
  }
  /// A context has ended, and its marks with it. Other memory may get the same addresses.
  void forget() {
    const std::lock_guard lock(mutex_);
    live_.clear();
    kept_.clear();
    kept_bytes_ = 0;
  }
  /// Memory of the guard is gone, or its addresses belong to other memory of the program: what the
  /// guard knows of that range no longer holds.
  void forget(std::uintptr_t begin, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto at = first_block_behind(live_, begin, with_zone);
    while (at != live_.end() && at->first < begin + bytes) at = remove(at);
  }
  /// Returns the size of the zone behind the memory that has this address; 0: it has none.
  [[nodiscard]] std::size_t zone_of(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const auto at = block_at(live_, address, with_zone);
    return at == live_.end() ? 0 : at->second.zone;
  }
  /// Returns which of the `bytes` bytes at `copied`, which were copied from device memory at
  /// `from`, nobody has written. Looks at aligned words only.
  [[nodiscard]] UnwrittenBytes unwritten(std::uintptr_t from, const void* copied,
                                         std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    UnwrittenBytes found;
    const auto at = block_at(live_, from);
    if (at == live_.end()) return found;
    const auto& [begin, one] = *at;
    const std::size_t offset = from - begin;
    if (bytes > one.bytes - offset) return found;
    const auto* const data = static_cast<const unsigned char*>(copied);
    for (std::size_t i = (4 - offset % 4) % 4; i + 4 <= bytes; i += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, data + i, sizeof word);
      if (word != fresh) continue;
      if (found.count == 0) found.first = offset + i;
      found.count += sizeof word;
    }
    found.bytes = one.bytes;
    found.made_at = one.made_at;
    return found;
  }
  /// Call for each launch.
  void launched(Name kernel) {
    const std::lock_guard lock(mutex_);
    for (const Name& one : launched_) {
      if (one.data == kernel.data) return;
    }
    if (launched_.size() < most_launched) launched_.push_back(kernel);
  }

  /// Call after a wait: looks at some zones of the device, in turn. May throw std::bad_alloc.
  [[nodiscard]] std::vector<GuardReport> look(std::int32_t device, bool all = false) {
    const std::lock_guard lock(mutex_);
    std::vector<GuardReport> found;
    auto next = live_.upper_bound(looked_at_);
    const std::size_t most = all ? live_.size() : std::min(live_.size(), most_looked_at);
    for (std::size_t i = 0; i < most; ++i, ++next) {
      if (next == live_.end()) next = live_.begin();
      looked_at_ = next->first;
      if (next->second.device == device && is_filled(next->second)) {
        look_at_zone(next->first, next->second, found);
      }
    }
    // Not all were looked at: an earlier launch may be the one.
    if (most == live_.size() || launched_.size() == most_launched) launched_.clear();
    return found;
  }
  /// The program frees memory. Returns whether the guard keeps it, and the driver must not free it.
  /// Waits for the current `device`, as the driver may; memory of another device is not kept,
  /// because its work may still use it. May throw std::bad_alloc.
  [[nodiscard]] bool freed(std::uintptr_t begin, std::int32_t device,
                           std::vector<GuardReport>& found) {
    {
      const std::lock_guard lock(mutex_);
      if (find_on(begin, device) == live_.end()) return false;
    }
    // Without the lock: the device's work may need launches of other threads to end.
    const bool reachable = access_.finish();
    GiveBack given(access_);
    const std::lock_guard lock(mutex_);
    const auto at = find_on(begin, device);
    if (at == live_.end()) return false;
    if (reachable && is_filled(at->second)) look_at_zone(begin, at->second, found);
    const Guarded one = at->second;
    remove(at);
    if (!reachable || one.bytes > most_kept_bytes ||
        !access_.fill(begin, freed_memory, one.bytes, nullptr)) {
      return false;
    }
    keep(begin, one, nullptr, found, given);
    return true;
  }
  /// Whether the memory is a pool's, and guarded.
  [[nodiscard]] bool is_of_pool(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    const auto at = live_.find(begin);
    return at != live_.end() && at->second.of_pool;
  }
  /// The program frees memory in the order of a stream. Returns whether the guard keeps it. Does
  /// not wait. May throw std::bad_alloc.
  [[nodiscard]] bool freed_in_order(std::uintptr_t begin, std::int32_t device, void* stream,
                                    std::vector<GuardReport>& found) {
    GiveBack given(access_);
    const std::lock_guard lock(mutex_);
    // The stream's device may not reach memory of another one.
    const auto at = find_on(begin, device);
    if (at == live_.end()) return false;
    const bool keeps = at->second.of_pool && at->second.bytes <= most_kept_bytes &&
                       access_.fill(begin, freed_memory, at->second.bytes, stream);
    void* mark = nullptr;
    if (!access_.mark(stream, mark)) {
      remove(at);
      return false;
    }
    if (access_.reached(mark) && is_filled(at->second)) look_at_zone(begin, at->second, found);
    const Guarded one = at->second;
    remove(at);
    if (keeps) {
      keep(begin, one, mark, found, given);
    } else {
      end(mark);
    }
    return keeps;
  }
  /// Checks the freed memory that is still kept. May throw std::bad_alloc.
  void look_at_kept(std::vector<GuardReport>& found) {
    const std::lock_guard lock(mutex_);
    for (Kept& one : kept_) {
      if (has_reached(one.freed)) look_at_freed(one, found);
    }
  }
  /// Returns all freed memory to the driver, for a program that needs it. May throw std::bad_alloc.
  void release_all(std::vector<GuardReport>& found) {
    GiveBack given(access_);
    const std::lock_guard lock(mutex_);
    while (release_oldest(false, found, given)) continue;
  }
  /// Whether the program frees memory that it has freed already.
  [[nodiscard]] bool is_kept(std::uintptr_t begin) {
    const std::lock_guard lock(mutex_);
    return std::any_of(kept_.begin(), kept_.end(),
                       [&](const Kept& one) { return one.begin == begin; });
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 40U;
  static constexpr std::size_t most_looked_at = 64;
  static constexpr std::size_t most_launched = 8;
  static constexpr std::size_t most_kept = 256;
  static constexpr std::size_t most_kept_bytes = std::size_t{16} << 20U;
  static constexpr std::size_t most_all_kept_bytes = std::size_t{64} << 20U;
  struct Guarded {
    std::size_t bytes = 0;
    std::size_t zone = 0;
    std::int32_t device = 0;
    Name made_by{};
    HostStack made_at{};
    bool of_pool = false;
    void* filled = nullptr;  ///< the patterns are there after this mark; nullptr: they are there
  };
  /// Memory that is given back to the driver at the end of the scope, where no lock is held: the
  /// driver may wait for the device.
  class GiveBack {
   public:
    explicit GiveBack(const GuardAccess& access) : access_(access) {}
    ~GiveBack() {
      for (const auto& [begin, mark] : all_) {
        if (mark == nullptr) {
          access_.release(begin);
        } else {
          access_.release_after(begin, mark);
          access_.end_mark(mark);
        }
      }
    }
    GiveBack(const GiveBack&) = delete;
    GiveBack& operator=(const GiveBack&) = delete;
    /// After the mark, if there is one. May throw std::bad_alloc.
    void add(std::uintptr_t begin, void* mark) { all_.emplace_back(begin, mark); }

   private:
    const GuardAccess& access_;
    std::vector<std::pair<std::uintptr_t, void*>> all_;
  };
  struct Kept {
    std::uintptr_t begin;
    Guarded was;
    void* freed;  ///< the pattern is there after this mark; nullptr: it is there
  };
  [[nodiscard]] static std::size_t with_zone(const Guarded& one) noexcept {
    return one.bytes + one.zone;
  }

  void end(void*& mark) noexcept {
    if (mark != nullptr) access_.end_mark(std::exchange(mark, nullptr));
  }
  /// Whether there is nothing left to wait for.
  [[nodiscard]] bool has_reached(void*& mark) noexcept {
    if (mark != nullptr && !access_.reached(mark)) return false;
    end(mark);
    return true;
  }
  [[nodiscard]] bool is_filled(Guarded& one) noexcept { return has_reached(one.filled); }
  std::map<std::uintptr_t, Guarded>::iterator remove(
      std::map<std::uintptr_t, Guarded>::iterator at) noexcept {
    end(at->second.filled);
    return live_.erase(at);
  }
  /// Returns the memory if it is of the device, else the end. Forgets memory of another device.
  [[nodiscard]] std::map<std::uintptr_t, Guarded>::iterator find_on(std::uintptr_t begin,
                                                                    std::int32_t device) noexcept {
    const auto at = live_.find(begin);
    if (at == live_.end() || at->second.device == device) return at;
    remove(at);
    return live_.end();
  }
  void keep(std::uintptr_t begin, const Guarded& one, void* freed, std::vector<GuardReport>& found,
            GiveBack& given) {
    kept_.push_back({begin, one, freed});
    kept_.back().was.filled = nullptr;
    kept_bytes_ += one.bytes;
    // A pool's free does not wait, so it leaves memory for which the driver would wait.
    while ((kept_.size() > most_kept || kept_bytes_ > most_all_kept_bytes) &&
           release_oldest(one.of_pool, found, given)) {
      continue;
    }
  }
  /// Appends a report if the `bytes` bytes at `from` differ from the pattern.
  void compare(std::uintptr_t begin, const Guarded& one, std::size_t offset, std::size_t bytes,
               std::uint32_t pattern, bool after_free, std::vector<GuardReport>& found) {
    read_.resize(bytes);
    if (!access_.read(read_.data(), begin + offset, bytes)) return;
    const auto differs = [&](std::size_t i) {
      return read_[i] != static_cast<unsigned char>(pattern >> (i % 4 * 8));
    };
    std::size_t first = 0;
    while (first < bytes && !differs(first)) ++first;
    if (first == bytes) return;
    std::size_t last = bytes - 1;
    while (!differs(last)) --last;
    found.push_back({after_free, begin, one.bytes, offset + first, offset + last, one.made_by,
                     one.made_at, launched_});
  }
  void look_at_zone(std::uintptr_t begin, const Guarded& one, std::vector<GuardReport>& found) {
    const std::size_t before = found.size();
    compare(begin, one, one.bytes, one.zone, zone_pattern, false, found);
    // Each write is reported once.
    if (found.size() != before) access_.fill(begin + one.bytes, zone_pattern, one.zone, nullptr);
  }
  /// Returns whether there was some. `of_pools`: only memory of pools.
  bool release_oldest(bool of_pools, std::vector<GuardReport>& found, GiveBack& given) {
    const auto at = std::find_if(kept_.begin(), kept_.end(),
                                 [&](const Kept& one) { return !of_pools || one.was.of_pool; });
    if (at == kept_.end()) return false;
    const Kept one = *at;
    kept_.erase(at);
    kept_bytes_ -= one.was.bytes;
    if (one.freed == nullptr || access_.reached(one.freed)) look_at_freed(one, found);
    given.add(one.begin, one.freed);
    return true;
  }
  void look_at_freed(const Kept& one, std::vector<GuardReport>& found) {
    compare(one.begin, one.was, 0, one.was.bytes / 4 * 4, freed_memory, true, found);
    look_at_zone(one.begin, one.was, found);
  }

  std::uint64_t every_;
  GuardAccess access_;
  std::uint64_t allocations_ = 0;
  std::mutex mutex_;
  std::map<std::uintptr_t, Guarded> live_;
  std::uintptr_t looked_at_ = 0;
  std::deque<Kept> kept_;
  std::size_t kept_bytes_ = 0;
  std::vector<Name> launched_;
  std::vector<unsigned char> read_;
};

}  // namespace warpsafe::watch
