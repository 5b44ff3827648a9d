// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../kernel/foreign_text.hpp"
#include "../stream/captures.hpp"
#include "../stream/stream_names.hpp"
#include "../watcher.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace warpsafe::watch {

/// Handles what a program says about the blocks of its own pool (pools/warpsafe_pool.h).
class PoolCalls {
 public:
  PoolCalls(Watcher& watcher, Captures& captures) : watcher_(watcher), captures_(captures) {}

  /// Returns whether anything is done with it.
  [[nodiscard]] bool on() const noexcept {
    return !watcher_.quiet() && watcher_.suspicions().order.suspects_own();
  }
  /// @pre on()
  void allocated(const void* memory, std::size_t bytes, const void* stream, std::int32_t device,
                 const char* where) noexcept {
    if (memory == nullptr || bytes == 0 || is_captured(stream)) return;
    follow([&](OrderWatch& order) {
      PoolBlock block;
      block.begin = reinterpret_cast<std::uintptr_t>(memory);
      block.bytes = bytes;
      block.owner = place_of(stream, false, device, watcher_.streams());
      order.pool_allocated(std::move(block), where == nullptr ? "" : single_line(where));
    });
  }
  /// @pre on()
  void freed(const void* memory, const void* stream, std::int32_t device) noexcept {
    if (is_captured(stream)) return;
    follow([&](OrderWatch& order) {
      order.pool_freed(reinterpret_cast<std::uintptr_t>(memory),
                       place_of(stream, false, device, watcher_.streams()));
    });
  }
  /// @pre on()
  void returned(const void* memory) noexcept {
    follow(
        [&](OrderWatch& order) { order.pool_returned(reinterpret_cast<std::uintptr_t>(memory)); });
  }

 private:
  /// What a captured stream does happens later, if at all, and in the memory of the graph.
  [[nodiscard]] bool is_captured(const void* stream) noexcept {
    return captures_.is_capturing(name_of(stream, false));
  }
  template <class Body>
  void follow(const Body& body) noexcept {
    OrderWatch& order = watcher_.suspicions().order;
    try {
      body(order);
    } catch (...) {  // out of memory: no further suspicions
      order.give_up();
    }
  }

  Watcher& watcher_;
  Captures& captures_;
};

}  // namespace warpsafe::watch
