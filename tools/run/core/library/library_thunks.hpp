// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpsafe::watch {

/// A call of a library's function that a thunk has made, as the thunk's frame has it (its assembly
/// is in library_thunks.cpp). Lies on the caller's stack.
struct LibraryFrame {
  std::uint64_t vector_registers;  ///< al, as the caller set it
  std::uint64_t registers[6];      ///< the last argument first: r9, r8, rcx, rdx, rsi, rdi
  std::uint64_t frame_pointer;
  std::uint64_t index;           ///< of the thunk
  void* return_address;          ///< in the program
  const std::uint64_t stack[1];  ///< the arguments on the stack, as many as there are
};

/// Code that calls a library's function in place of the program, and looks at the status that the
/// function returns. A thunk leaves no trace in the program's registers and stack, and unwinding,
/// exceptions and longjmp pass through it. It makes a call of its own, and does not exchange the
/// return address, which would break unwinding and shadow stacks. So it copies the arguments on the
/// stack: 40 words, or as many as can be read. The longest function of the libraries has 27.
struct LibraryThunks {
  static constexpr std::size_t most = 3840;
  /// Further thunks, with the indices from `most` on, are for dlsym. They make a call of their own
  /// only with a library's handle: with RTLD_NEXT and RTLD_DEFAULT, dlsym asks who calls it.
  static constexpr std::size_t most_lookups = 256;
  static constexpr std::size_t copied_words = 40;

  /// Where a thunk goes. A function that the loader has not bound yet goes to the loader's code,
  /// and `pending` is the slot that the loader will bind.
  struct Target {
    void* function = nullptr;
    std::uintptr_t* pending = nullptr;
  };
  /// Called after each call whose result is not 0 as a status, and after each call of a thunk with
  /// a pending slot. May replace the result. Must throw nothing of its own; the thread may be
  /// cancelled there.
  using Returned = void (*)(const LibraryFrame& frame, std::uint64_t& result);

  /// Returns whether there are thunks for this machine.
  [[nodiscard]] static bool exist() noexcept;
  static void set_handler(Returned handler) noexcept;
  /// Sets where thunk `index` goes. @pre index < most + most_lookups
  static void set(std::size_t index, Target target) noexcept;
  [[nodiscard]] static Target get(std::size_t index) noexcept;
  [[nodiscard]] static std::uintptr_t address(std::size_t index) noexcept;
  /// Returns where the thunk at that address goes. @pre contains(address)
  [[nodiscard]] static Target target_at(std::uintptr_t address) noexcept;
  /// Returns whether an address is that of a thunk.
  [[nodiscard]] static bool contains(std::uintptr_t address) noexcept;
};

}  // namespace warpsafe::watch
