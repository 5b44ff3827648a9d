// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/tool/process.hpp>

#include <atomic>

namespace warpsafe::ranks {

/// The one T of this process, made at the first call. A child after a fork gets another one: a
/// thread that it does not have may have held a lock of the parent's, or have been changing it.
/// Never destroyed, because threads may still call while the process ends.
template <class T>
[[nodiscard]] T& of_process() {
  struct Made {
    unsigned process;
    T value{};
  };
  static std::atomic<Made*> current{nullptr};
  const unsigned process = tool::process_number();
  const auto is_here = [process](const Made* made) {
    return made != nullptr && made->process == process;
  };
  Made* found = current.load(std::memory_order_acquire);
  if (is_here(found)) return found->value;
  Made* const made = new Made{process};
  while (!current.compare_exchange_weak(found, made, std::memory_order_acq_rel)) {
    if (!is_here(found)) continue;
    delete made;
    return found->value;
  }
  return made->value;
}

}  // namespace warpsafe::ranks
