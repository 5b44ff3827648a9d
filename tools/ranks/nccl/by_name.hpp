// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <dlfcn.h>
#include <features.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

// Programs that load NCCL by dlopen and ask for its functions by name, as CuPy and JAX do. Their
// dlsym is received first, and for a function that is recorded it returns the one here.

namespace warpsafe::ranks::nccl {

using Lookup = void* (*)(void*, const char*);

/// The C library's dlsym. This library exports a function of that name too. RTLD_NEXT means the
/// libraries behind the one that calls the result.
[[nodiscard]] inline Lookup lookup() noexcept {
#if defined(__GLIBC__)
  static std::atomic<void*> known{nullptr};
  void* found = known.load(std::memory_order_acquire);
  // The version depends on the architecture and on the release of the C library.
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
    if (found == nullptr) found = ::dlvsym(RTLD_NEXT, "dlsym", version);
  }
  known.store(found, std::memory_order_release);
  return reinterpret_cast<Lookup>(found);
#else
  return &::dlsym;
#endif
}

/// Keeps the library of `function` loaded until the process ends: its address is remembered.
inline void keep_loaded(const void* function) noexcept {
  Dl_info info{};
  if (::dladdr(function, &info) == 0) return;
  void* const object = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (object != nullptr) ::dlclose(object);
}

/// The library that was loaded by name: the first one of which the program asked for a function
/// that is recorded. A program may load two releases of NCCL, and a function here cannot know for
/// which of them it was called.
class LoadedByName {
 public:
  /// False: `function` is another library's.
  [[nodiscard]] static bool remember(void* function) noexcept {
    void* first = nullptr;
    if (!one().compare_exchange_strong(first, function)) return base_of(first) == base_of(function);
    keep_loaded(function);
    return true;
  }
  /// Null: no library was loaded by name, or it has no function of that name.
  [[nodiscard]] static void* find(const char* name) noexcept {
    void* const function = one().load();
    Dl_info info{};
    if (function == nullptr || ::dladdr(function, &info) == 0) return nullptr;
    void* const object = ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (object == nullptr) return nullptr;
    void* const found = lookup()(object, name);
    ::dlclose(object);
    return found;
  }

 private:
  static void* base_of(const void* function) noexcept {
    Dl_info info{};
    return ::dladdr(function, &info) == 0 ? nullptr : info.dli_fbase;
  }
  static std::atomic<void*>& one() noexcept {
    static std::atomic<void*> function{nullptr};
    return function;
  }
};

/// True for an address in this library.
[[nodiscard]] inline bool is_own(const void* address) noexcept {
  Dl_info own{};
  Dl_info other{};
  return ::dladdr(reinterpret_cast<const void*>(&is_own), &own) != 0 &&
         ::dladdr(address, &other) != 0 && own.dli_fbase == other.dli_fbase;
}
/// Leaves no error for the program's next dlerror.
[[nodiscard]] inline void* find_quietly(void* handle, const char* name) noexcept {
  void* const found = lookup()(handle, name);
  if (found == nullptr) ::dlerror();
  return found;
}
/// The function here that stands for the one of that name; null: it is not recorded.
[[nodiscard]] inline void* own_function(const char* name) noexcept {
  // This library is preloaded, so it comes first.
  void* const found = find_quietly(RTLD_DEFAULT, name);
  return found != nullptr && is_own(found) ? found : nullptr;
}

/// In place of dlsym, for names of NCCL.
inline void* find_by_name(void* handle, const char* name) noexcept {
  void* const real = lookup()(handle, name);
  const char* const folder = ::secure_getenv("WARPSAFE_RANKS");
  if (real == nullptr || folder == nullptr || *folder == '\0' || is_own(real)) return real;
  void* const own = own_function(name);
  if (own == nullptr) return real;
  // A library that the program links is found without its name.
  void* const linked = find_quietly(RTLD_NEXT, name);
  if (linked != nullptr && linked != real) return real;
  return LoadedByName::remember(real) ? own : real;
}
inline void* find_nothing(void*, const char*) noexcept { return nullptr; }

}  // namespace warpsafe::ranks::nccl

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

/// Which function is to answer this call of dlsym.
extern "C" [[gnu::used, gnu::visibility("hidden")]] inline warpsafe::ranks::nccl::Lookup
warpsafe_ranks_lookup_of(void* handle, const char* name) noexcept {
  using namespace warpsafe::ranks::nccl;
  if (lookup() == nullptr) return &find_nothing;
  // Both scopes are the caller's, and the preloaded library here is first in them.
  const bool is_library = handle != RTLD_NEXT && handle != RTLD_DEFAULT;
  const bool is_nccl = is_library && name != nullptr && std::strncmp(name, "nccl", 4) == 0;
  return is_nccl ? &find_by_name : lookup();
}

// dlsym itself. The C library reads the return address to know what RTLD_NEXT means for the caller,
// so this function jumps and leaves no frame: no compiler promises that of a call.
// clang-format off
#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  call warpsafe_ranks_lookup_of
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, .-dlsym
  .popsection
)");
#else
asm(R"(
  .pushsection .text
  .globl dlsym
  .type dlsym, %function
dlsym:
  .cfi_startproc
  hint #34
  stp x0, x1, [sp, #-32]!
  .cfi_adjust_cfa_offset 32
  str x30, [sp, #16]
  .cfi_rel_offset x30, 16
  bl warpsafe_ranks_lookup_of
  mov x16, x0
  ldr x30, [sp, #16]
  .cfi_restore x30
  ldp x0, x1, [sp], #32
  .cfi_adjust_cfa_offset -32
  br x16
  .cfi_endproc
  .size dlsym, .-dlsym
  .popsection
)");
#endif
// clang-format on

#endif
