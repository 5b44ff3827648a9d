// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/backend/host/detail/device.hpp>
#include <warpsafe/backend/host/detail/guarded_pages.hpp>
#include <warpsafe/backend/host/detail/host_status.hpp>
#include <warpsafe/backend/host/detail/sanitizers.hpp>
#include <warpsafe/backend/host/detail/threads.hpp>
#include <warpsafe/backend/kernel_entry.hpp>
#include <warpsafe/core/name.hpp>
#include <warpsafe/error/detail/kept_text.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// Memory of a device: aligned to 256 bytes like CUDA's, unless WARPSAFE_GUARD is 1. The rest of
/// 256 bytes behind it is checked at the end of its use. Then come addresses without memory, so
/// that a kernel that goes on past the end faults instead of overwriting the program.
class Storage {
 public:
  Storage() = default;
  /// Holds nothing if the system has no memory left.
  explicit Storage(std::size_t bytes) noexcept : bytes_(bytes) {
    if (bytes > SIZE_MAX / 2) return;
    if (!map(bytes) && !allocate(bytes)) return;
    fill_pattern(memory_, bytes, fresh_pattern);
    fill_pattern(memory_ + bytes, guard_bytes_, guard_pattern);
  }
  Storage(Storage&& other) noexcept { swap(other); }
  Storage& operator=(Storage&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Storage() {
    if (mapping_ != nullptr) {
      GuardedPages::give_back(mapping_, mapped_);
    } else {
      ::operator delete(memory_, alignment);
    }
  }
  [[nodiscard]] void* get() const noexcept { return memory_; }

  /// Ends the memory's use: later reads find `freed_pattern` while the storage still exists.
  void retire() noexcept { fill_pattern(memory_, bytes_, freed_pattern); }
  /// Whether something was written to the guard behind the memory since the last call.
  [[nodiscard]] bool take_overrun() noexcept {
    if (holds_pattern(memory_ + bytes_, guard_bytes_, guard_pattern)) return false;
    fill_pattern(memory_ + bytes_, guard_bytes_, guard_pattern);
    return true;
  }
  /// Whether new memory of `bytes` bytes can begin at the same address.
  [[nodiscard]] bool fits(std::size_t bytes) const noexcept {
    return mapping_ == nullptr ? bytes == bytes_ : room_of(bytes) == room_of(bytes_);
  }
  /// Makes memory that was retired new memory of `bytes` bytes. @pre they fit
  void reissue(std::size_t bytes) noexcept {
    if (mapping_ != nullptr) guard_bytes_ = room_of(bytes) - bytes;
    bytes_ = bytes;
    fill_pattern(memory_, bytes, fresh_pattern);
    fill_pattern(memory_ + bytes, guard_bytes_, guard_pattern);
  }
  /// Whether `address` is in this memory or beside it, where no other memory can be.
  [[nodiscard]] bool keeps(const void* address) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (mapping_ != nullptr) {
      const auto own = reinterpret_cast<std::uintptr_t>(mapping_);
      return at >= own - GuardedPages::page() && at < own + mapped_ + GuardedPages::unmapped_bytes;
    }
    // The heap has numbers of its own before a piece.
    constexpr std::size_t heap_header = 16;
    const auto own = reinterpret_cast<std::uintptr_t>(memory_);
    return at >= own - heap_header && at <= own + bytes_ + guard_bytes_;
  }
  /// The pages of this memory alone, for mprotect; nullptr if it has none.
  [[nodiscard]] void* pages() const noexcept { return mapping_; }
  [[nodiscard]] std::size_t page_bytes() const noexcept { return mapped_; }
  /// The size if something has been written since `retire`, else 0.
  [[nodiscard]] std::size_t written_after_free() const noexcept {
    return holds_pattern(memory_, bytes_, freed_pattern) ? 0 : bytes_;
  }

 private:
  static constexpr std::align_val_t alignment{256};

  [[nodiscard]] static std::size_t room_of(std::size_t bytes) noexcept {
    const MemoryGuard guard = memory_guard();
    // The largest type of a kernel's vector loads has 16 bytes.
    const std::size_t unit = guard == MemoryGuard::past     ? 16
                             : guard == MemoryGuard::before ? GuardedPages::page()
                                                            : 256;
    return (bytes + unit - 1) / unit * unit;
  }
  [[nodiscard]] bool map(std::size_t bytes) noexcept {
    // The sanitizers know only memory of the heap.
    if (address_sanitizer || thread_sanitizer) return false;
    const std::size_t page = GuardedPages::page();
    const std::size_t room = room_of(bytes);
    mapped_ = (room + page - 1) / page * page;
    mapping_ = GuardedPages::take(mapped_);
    if (mapping_ == nullptr) return false;
    memory_ = static_cast<unsigned char*>(mapping_) + (mapped_ - room);
    guard_bytes_ = room - bytes;
    return true;
  }
  [[nodiscard]] bool allocate(std::size_t bytes) noexcept {
    // AddressSanitizer checks the end itself, and would take a guard for valid memory.
    guard_bytes_ = address_sanitizer ? 0 : 64;
    memory_ =
        static_cast<unsigned char*>(::operator new(bytes + guard_bytes_, alignment, std::nothrow));
    return memory_ != nullptr;
  }
  void swap(Storage& other) noexcept {
    swap_values(memory_, other.memory_);
    swap_values(bytes_, other.bytes_);
    swap_values(guard_bytes_, other.guard_bytes_);
    swap_values(mapping_, other.mapping_);
    swap_values(mapped_, other.mapped_);
  }
  unsigned char* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t guard_bytes_ = 0;
  void* mapping_ = nullptr;  // nullptr: `memory_` is of the heap
  std::size_t mapped_ = 0;
};

/// One allocation of the backend.
struct Allocation {
  Storage storage{};
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::unregistered;
  int device = -1;
  bool freed = false;    ///< freed by the program; the storage stays until its stream gets there
  bool ordered = false;  ///< allocated and freed in the order of a stream
  call_site site{nullptr, nullptr, 0};  ///< where the program allocated it, if that is known
  std::uint64_t number = 0;             ///< of the allocation; its address may be used again

  /// The failure if something was written past the end since the last call, else none. `found`: how
  /// it was found, for the text.
  [[nodiscard]] Failure take_overrun(Name found) {
    if (!storage.take_overrun()) return {};
    char text[512];
    warpsafe::detail::TextBuffer out(text, sizeof text);
    out << "something was written past the end of " << std::uint64_t{bytes} << " bytes of memory";
    put_site(out);
    out << found;
    return {raw(HostStatus::illegal_address),
            warpsafe::detail::keep_error_text({text, out.size()})};
  }
  /// Appends where the program allocated it.
  void put_site(warpsafe::detail::TextBuffer& out) const {
    if (site.file != nullptr) out << " that were allocated at " << site;
  }
  /// Whether a device may access the memory by its address.
  [[nodiscard]] bool is_accessible(const Device& from) const {
    return kind != MemoryKind::device || from.accesses(device);
  }
};

/// Memory that was freed, and is kept so that a later use is reported instead of crashing. The
/// oldest goes where it becomes too much.
class FreedMemory {
 public:
  /// Gets the memory for the next `add`, so that it cannot fail.
  void make_room() {
    if (kept_.size() == kept_.capacity()) kept_.reserve(2 * kept_.size() + 1);
  }
  void add(Allocation freed) {
    bytes_ += freed.bytes;
    kept_.push_back(std::move(freed));
    if (kept_.size() <= 2 * most_pieces && bytes_ <= 2 * most_bytes) return;
    std::size_t dropped = 0;
    for (; kept_.size() - dropped > 1; ++dropped) {
      if (kept_.size() - dropped <= most_pieces && bytes_ <= most_bytes) break;
      if (written_ == 0) written_ = kept_[dropped].storage.written_after_free();
      bytes_ -= kept_[dropped].bytes;
    }
    kept_.erase(0, dropped);
  }
  /// Gives `made` the newest memory of its kind and size, as the pools of drivers and libraries do,
  /// if there is some and `decide()` agrees. Returns whether it did.
  template <class Decide>
  [[nodiscard]] bool take(Allocation& made, const Decide& decide) {
    for (std::size_t i = kept_.size(); i != 0 && kept_.size() - i < most_looked_at;) {
      Allocation& freed = kept_[--i];
      const bool alike = freed.kind == made.kind && freed.device == made.device &&
                         freed.ordered == made.ordered && freed.storage.fits(made.bytes);
      if (!alike) continue;
      if (!decide()) return false;
      if (written_ == 0) written_ = freed.storage.written_after_free();
      made.storage = std::move(freed.storage);
      made.storage.reissue(made.bytes);
      bytes_ -= freed.bytes;
      kept_.erase(i);
      return true;
    }
    return false;
  }
  /// The size of the memory that something wrote to while it was kept here, else 0.
  [[nodiscard]] std::size_t written_after_free() const noexcept {
    std::size_t bytes = written_;
    for (const Allocation& freed : kept_) bytes += freed.storage.written_after_free();
    return bytes;
  }
  void clear() noexcept { *this = {}; }

 private:
  static constexpr std::size_t most_looked_at = 64;
  static constexpr std::size_t most_pieces = 4096;
  static constexpr std::size_t most_bytes = std::size_t{256} << 20U;
  Array<Allocation> kept_;
  std::size_t bytes_ = 0;
  std::size_t written_ = 0;
};

/// All allocations by address. Not thread-safe; its owner locks.
class MemoryRegistry {
 public:
  void add(Allocation allocation) {
    auto made = make_owned<Allocation>(std::move(allocation));
    made->number = ++last_number_;
    const std::size_t place = after(made->storage.get());
    allocations_.insert(place, std::move(made));
  }
  /// The allocation that starts at `memory`, or nullptr.
  [[nodiscard]] Allocation* at(const void* memory) {
    Allocation* const found = before(after(memory));
    return found != nullptr && found->storage.get() == memory ? found : nullptr;
  }
  /// The allocation that contains all of [memory, memory + bytes), or nullptr.
  [[nodiscard]] const Allocation* around(const void* memory, std::size_t bytes = 1) const {
    return holder(memory, bytes);
  }
  [[nodiscard]] Allocation* around(const void* memory, std::size_t bytes = 1) {
    return holder(memory, bytes);
  }
  /// The allocation that an address means: the one that contains it, or one that it lies beside, as
  /// the end of an array does, or the place before its first element. nullptr: none.
  [[nodiscard]] const Allocation* meant_by(const void* memory) const {
    if (const Allocation* const found = around(memory); found != nullptr) return found;
    const auto [below, above] = beside(memory);
    if (below != nullptr && below->storage.keeps(memory)) return below;
    return above != nullptr && above->storage.keeps(memory) ? above : nullptr;
  }
  /// The allocation that is nearest to an address outside of all, or nullptr.
  [[nodiscard]] const Allocation* nearest(const void* memory) const {
    const auto [below, above] = beside(memory);
    if (above == nullptr || below == nullptr) return above == nullptr ? below : above;
    const std::uintptr_t end = address(below->storage.get()) + below->bytes;
    const std::uintptr_t begin = address(above->storage.get());
    return begin - address(memory) < address(memory) - end ? above : below;
  }
  /// Appends how far that allocation is from the address, and where it was allocated.
  void name_nearest(warpsafe::detail::TextBuffer& out, const void* memory) const {
    const Allocation* const closest = nearest(memory);
    if (closest == nullptr) return;
    const std::uintptr_t begin = address(closest->storage.get());
    const bool before = address(memory) < begin;
    const std::uintptr_t away =
        before ? begin - address(memory) : address(memory) - (begin + closest->bytes);
    if (away > GuardedPages::unmapped_bytes) return;
    out << "; that is " << std::uint64_t{away}
        << (before ? " bytes before the beginning of " : " bytes past the end of ")
        << std::uint64_t{closest->bytes} << " bytes";
    closest->put_site(out);
  }
  /// Removes the allocation that starts at `memory`. @pre there is one
  [[nodiscard]] Allocation remove(const void* memory) {
    const std::size_t found = after(memory) - 1;
    Allocation allocation = std::move(*allocations_[found]);
    allocations_.erase(found);
    return allocation;
  }

  /// Calls `look(allocation)` for each.
  template <class Look>
  void each(const Look& look) {
    for (const Owned<Allocation>& allocation : allocations_) look(*allocation);
  }

 private:
  [[nodiscard]] Allocation* holder(const void* memory, std::size_t bytes) const {
    Allocation* const found = before(after(memory));
    if (found == nullptr) return nullptr;
    const std::size_t offset = address(memory) - address(found->storage.get());
    const bool inside = offset < found->bytes && bytes <= found->bytes - offset;
    return inside ? found : nullptr;
  }
  [[nodiscard]] static std::uintptr_t address(const void* memory) noexcept {
    return reinterpret_cast<std::uintptr_t>(memory);
  }
  /// The number of the first allocation that begins above `memory`.
  [[nodiscard]] std::size_t after(const void* memory) const {
    return allocations_.first_where([&](const Owned<Allocation>& allocation) {
      return address(memory) < address(allocation->storage.get());
    });
  }
  /// The last allocation that begins at `memory` or below, and the first one above. nullptr: none.
  struct Neighbours {
    const Allocation* below;
    const Allocation* above;
  };
  [[nodiscard]] Neighbours beside(const void* memory) const {
    const std::size_t next = after(memory);
    return {before(next), next == allocations_.size() ? nullptr : allocations_[next].get()};
  }
  [[nodiscard]] Allocation* before(std::size_t number) const {
    return number == 0 ? nullptr : allocations_[number - 1].get();
  }
  Array<Owned<Allocation>> allocations_;
  std::uint64_t last_number_ = 0;
};

/// The registry for running work, which does not hold the owner's lock.
struct SharedRegistry {
  MemoryRegistry& memory;
  Mutex& mutex;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
