// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "../options.hpp"
#include "../own_stack.hpp"
#include "../platform.hpp"
#include "foreign_text.hpp"
#include "kernel_table.hpp"
#include <warpsafe/debug.hpp>
#include <warpsafe/tool_api.hpp>

#include <cstdint>
#include <string>

namespace warpsafe::watch {

/// Finds the program's kernels, and adds new ones with what the runtime knows about them.
/// Thread-safe.
class KernelLookup {
 public:
  KernelLookup(const Platform& platform, const Options& options)
      : platform_(platform), options_(options) {}
  [[nodiscard]] KernelTable& table() noexcept { return table_; }
  /// Whether a kernel had a name that --kernel lists.
  [[nodiscard]] const tool::ListedKernels& listed() const noexcept { return listed_; }

  /// Returns the kernel of a handle that the runtime has accepted; nullptr: out of memory. `name`
  /// is called for a new kernel. Without a handle, the kernel has a name only.
  template <class MangledName>
  [[nodiscard]] Kernel* kernel(const void* function, std::int32_t device,
                               const MangledName& name) noexcept {
    if (Kernel* const known = function == nullptr ? nullptr : table_.find(function, device)) {
      return known;
    }
    // The library is found on the program's stack.
    const char* const library =
        function != nullptr && !options_.quiet ? platform_.caller.library(HostStack::here()) : "";
    Kernel* added = nullptr;
    run_on_large_stack([&]() noexcept {
      try {
        added = table_.add(function, device, foreign_text(name()).c_str(), [&](Kernel& made) {
          if (function != nullptr) {
            platform_.describe(function, device, nullptr, made);
            made.described = true;
          }
          made.listed = options_.kernels.empty() ||
                        listed_.contains(made.name_view(), options_.kernels.c_str());
          made.library = library;
        });
      } catch (...) {  // out of memory
        added = nullptr;
      }
    });
    return added;
  }

  /// Returns an entry with the name of a handle that the runtime has not accepted so far. The
  /// handle may be no kernel, and so is not passed to the runtime, and the address `symbol` may be
  /// anything. `is_named` tells whether a kernel's name was there. nullptr: out of memory.
  [[nodiscard]] Kernel* unverified_kernel(const void* function, std::int32_t device,
                                          const char* symbol, bool& is_named) noexcept {
    std::string name;
    return kernel(nullptr, device, [&] {
      name = foreign_text(symbol);
      is_named = !name.empty();
      if (!is_named) name = place_name(function);
      return name.c_str();
    });
  }

 private:
  const Platform& platform_;
  const Options& options_;
  KernelTable table_;
  tool::ListedKernels listed_;
};

}  // namespace warpsafe::watch
