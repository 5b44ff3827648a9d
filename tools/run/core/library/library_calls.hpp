// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_memory.hpp"
#include "../place/host_stack.hpp"
#include "../watcher.hpp"
#include "library_failure.hpp"
#include "library_slots.hpp"
#include "library_thunks.hpp"

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace warpsafe::watch {

/// Reads the statuses that the vendor's libraries return to the program. There is one per process,
/// which is never destroyed. Thread-safe.
class LibraryCalls {
 public:
  /// `families` and `inside`: see LibrarySlots.
  LibraryCalls(Watcher& watcher, std::span<const LibraryFamily> families,
               LibraryNames inside) noexcept
      : watcher_(watcher),
        on_(LibraryThunks::exist() && !watcher.options().no_libraries),
        slots_(families, inside) {}

  /// Begins. `handler` passes its calls on to `returned`, except those that the watch makes
  /// itself.
  void begin(LibraryThunks::Returned handler) noexcept {
    if (!on_) return;
    LibraryThunks::set_handler(handler);
    slots_.look();
  }
  /// Call often, but not from a launch: the program may have loaded further objects.
  void look() noexcept {
    if (on_) slots_.look();
  }
  /// Call when a thunk has made a call of the program. `result` is what the function has returned.
  void returned(const LibraryFrame& frame, std::uint64_t& result) noexcept {
    const bool is_pending = LibraryThunks::get(frame.index).pending != nullptr;
    const bool is_library = !is_pending || slots_.bound(frame.index);
    if (frame.index >= LibraryThunks::most) {
      // dlsym has just read the name.
      const auto* const name = reinterpret_cast<const char*>(frame.registers[4]);
      if (result != 0) result = slots_.found(name, result);
      return;
    }
    const int status = static_cast<int>(static_cast<std::uint32_t>(result));
    if (!is_library || status == 0) return;
    try {
      LibrarySlots::Function function = slots_.function(frame.index);
      if (function.family == nullptr) return;
      const LibraryStatus* const known = function.family->find(status);
      if (known == nullptr) return;
      LibraryFailure made{function.family, known, std::move(function.name), {}, 6};
      for (std::size_t i = 0; i < 6; ++i) made.words[i] = frame.registers[5 - i];
      // The stack may end behind the arguments.
      constexpr std::size_t most = LibraryFailure::most_words - 6;
      const iovec words{const_cast<std::uint64_t*>(frame.stack), most * sizeof(std::uint64_t)};
      made.count += copy_pieces(made.words + 6, {&words, 1}) / sizeof(std::uint64_t);
      watcher_.library_failed(made, HostStack::here());
    } catch (...) {  // out of memory: it is not reported
      return;
    }
  }

 private:
  Watcher& watcher_;
  bool on_;
  LibrarySlots slots_;
};

}  // namespace warpsafe::watch
