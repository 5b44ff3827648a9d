// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

#include "library_thunks.hpp"

#include "../kernel/foreign_memory.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__linux__) && !defined(__ILP32__)

// Assembly names these. The tables are zero at first, and no thunk is called before its entry is
// set.
extern "C" {
[[gnu::visibility("hidden"), gnu::used]] warpsafe::watch::LibraryThunks::Target
    warpsafe_library_targets[warpsafe::watch::LibraryThunks::most +
                             warpsafe::watch::LibraryThunks::most_lookups];
[[gnu::visibility("hidden")]] extern const char warpsafe_library_thunks[];
}

namespace {

warpsafe::watch::LibraryThunks::Returned returned = nullptr;

}  // namespace

extern "C" {

/// Called by a thunk whose words to copy reach into the next page, which may be no memory: the
/// stack of a fibre may end there. Returns how many words can be read.
[[gnu::visibility("hidden"), gnu::used]] std::size_t warpsafe_library_words(
    const std::uint64_t* first) noexcept {
  using warpsafe::watch::LibraryThunks;
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t page = warpsafe::watch::detail::page;
  // The page of the return address is the stack's.
  const std::uintptr_t next = ((begin - 8) / page + 1) * page;
  const int kept = errno;
  const bool readable = warpsafe::watch::detail::is_readable(next);
  errno = kept;
  return readable ? LibraryThunks::copied_words : (next - begin) / 8;
}

/// Called by a thunk after a call that may be of interest.
[[gnu::visibility("hidden"), gnu::used]] void warpsafe_library_returned(
    const warpsafe::watch::LibraryFrame* frame, std::uint64_t* result) {
  const auto handler = __atomic_load_n(&returned, __ATOMIC_ACQUIRE);
  if (handler != nullptr) handler(*frame, *result);
}
}

// A thunk pushes its number and jumps to the common code. The rule for its frame is the one of a
// procedure linkage table: the stack is one word deeper after the push, from byte 9 on (endbr64 has
// four bytes, push five).
//
// RTLD_NEXT is -1 and RTLD_DEFAULT is 0: for these, warpsafe_library_lookup leaves the stack as the
// program's call has made it.
//
// The common code keeps the arguments' registers at rbp-8 .. rbp-56 (LibraryFrame), and the copied
// words below. rbp is a multiple of 16 plus 8, so rsp is a multiple of 16 at each call.
asm(R"(
  .pushsection .text.warpsafe_library,"ax",@progbits
  .p2align 4
  .globl warpsafe_library_thunks
  .hidden warpsafe_library_thunks
  .type warpsafe_library_thunks,@function
warpsafe_library_thunks:
  .cfi_startproc
  .cfi_escape 0x0f,0x0b,0x77,0x08,0x80,0x00,0x3f,0x1a,0x39,0x2a,0x33,0x24,0x22
  .set warpsafe_library_number,0
  .rept 3840
  .p2align 4
  endbr64
  .byte 0x68
  .long warpsafe_library_number
  .byte 0xe9
  .long warpsafe_library_call - . - 4
  .set warpsafe_library_number,warpsafe_library_number+1
  .endr
  .rept 256
  .p2align 4
  endbr64
  .byte 0x68
  .long warpsafe_library_number
  .byte 0xe9
  .long warpsafe_library_lookup - . - 4
  .set warpsafe_library_number,warpsafe_library_number+1
  .endr
  .cfi_endproc
  .size warpsafe_library_thunks, . - warpsafe_library_thunks

  .p2align 4
  .hidden warpsafe_library_lookup
  .type warpsafe_library_lookup,@function
warpsafe_library_lookup:
  .cfi_startproc
  .cfi_def_cfa_offset 16
  leaq 1(%rdi),%r10
  cmpq $1,%r10
  ja warpsafe_library_call
  popq %r10
  .cfi_def_cfa_offset 8
  shlq $4,%r10
  leaq warpsafe_library_targets(%rip),%r11
  jmpq *(%r11,%r10)
  .cfi_endproc
  .size warpsafe_library_lookup, . - warpsafe_library_lookup

  .p2align 4
  .hidden warpsafe_library_call
  .type warpsafe_library_call,@function
warpsafe_library_call:
  .cfi_startproc
  .cfi_def_cfa_offset 16
  pushq %rbp
  .cfi_def_cfa_offset 24
  .cfi_offset %rbp,-24
  movq %rsp,%rbp
  .cfi_def_cfa_register %rbp
  subq $376,%rsp
  movq %rdi,-8(%rbp)
  movq %rsi,-16(%rbp)
  movq %rdx,-24(%rbp)
  movq %rcx,-32(%rbp)
  movq %r8,-40(%rbp)
  movq %r9,-48(%rbp)
  movq %rax,-56(%rbp)
  leaq 16(%rbp),%r10
  leaq 343(%rbp),%r11
  xorq %r10,%r11
  shrq $12,%r11
  jnz 3f
  .set warpsafe_library_number,0
  .rept 20
  movq 24+warpsafe_library_number(%rbp),%r10
  movq 32+warpsafe_library_number(%rbp),%r11
  movq %r10,warpsafe_library_number(%rsp)
  movq %r11,8+warpsafe_library_number(%rsp)
  .set warpsafe_library_number,warpsafe_library_number+16
  .endr
1:
  movq 8(%rbp),%r10
  shlq $4,%r10
  leaq warpsafe_library_targets(%rip),%r11
  callq *(%r11,%r10)
  testl %eax,%eax
  jnz 4f
  movq 8(%rbp),%r10
  shlq $4,%r10
  leaq warpsafe_library_targets(%rip),%r11
  cmpq $0,8(%r11,%r10)
  jne 4f
2:
  .cfi_remember_state
  leave
  .cfi_def_cfa %rsp,16
  .cfi_restore %rbp
  leaq 8(%rsp),%rsp
  .cfi_def_cfa_offset 8
  ret
  .cfi_restore_state
3:
  subq $128,%rsp
  movups %xmm0,(%rsp)
  movups %xmm1,16(%rsp)
  movups %xmm2,32(%rsp)
  movups %xmm3,48(%rsp)
  movups %xmm4,64(%rsp)
  movups %xmm5,80(%rsp)
  movups %xmm6,96(%rsp)
  movups %xmm7,112(%rsp)
  leaq 24(%rbp),%rdi
  callq warpsafe_library_words
  movups (%rsp),%xmm0
  movups 16(%rsp),%xmm1
  movups 32(%rsp),%xmm2
  movups 48(%rsp),%xmm3
  movups 64(%rsp),%xmm4
  movups 80(%rsp),%xmm5
  movups 96(%rsp),%xmm6
  movups 112(%rsp),%xmm7
  addq $128,%rsp
  movq %rax,%rcx
  leaq 24(%rbp),%rsi
  movq %rsp,%rdi
  rep movsq
  movq -8(%rbp),%rdi
  movq -16(%rbp),%rsi
  movq -24(%rbp),%rdx
  movq -32(%rbp),%rcx
  movq -40(%rbp),%r8
  movq -48(%rbp),%r9
  movq -56(%rbp),%rax
  jmp 1b
4:
  movq %rax,(%rsp)
  movq %rdx,8(%rsp)
  movups %xmm0,16(%rsp)
  movups %xmm1,32(%rsp)
  leaq -56(%rbp),%rdi
  movq %rsp,%rsi
  callq warpsafe_library_returned
  movq (%rsp),%rax
  movq 8(%rsp),%rdx
  movups 16(%rsp),%xmm0
  movups 32(%rsp),%xmm1
  jmp 2b
  .cfi_endproc
  .size warpsafe_library_call, . - warpsafe_library_call
  .popsection
)");

namespace warpsafe::watch {

static_assert(sizeof(LibraryThunks::Target) == 16 && LibraryThunks::most == 3840 &&
              LibraryThunks::most_lookups == 256 && LibraryThunks::copied_words == 40);
static_assert(offsetof(LibraryFrame, registers) == 8 && offsetof(LibraryFrame, index) == 64 &&
              offsetof(LibraryFrame, stack) == 80);

bool LibraryThunks::exist() noexcept { return true; }
void LibraryThunks::set_handler(Returned handler) noexcept {
  __atomic_store_n(&returned, handler, __ATOMIC_RELEASE);
}
void LibraryThunks::set(std::size_t index, Target target) noexcept {
  warpsafe_library_targets[index] = target;
}
LibraryThunks::Target LibraryThunks::get(std::size_t index) noexcept {
  return warpsafe_library_targets[index];
}
std::uintptr_t LibraryThunks::address(std::size_t index) noexcept {
  return reinterpret_cast<std::uintptr_t>(warpsafe_library_thunks) + 16 * index;
}
bool LibraryThunks::contains(std::uintptr_t address) noexcept {
  return address - LibraryThunks::address(0) < 16 * (most + most_lookups);
}
LibraryThunks::Target LibraryThunks::target_at(std::uintptr_t address) noexcept {
  return get((address - LibraryThunks::address(0)) / 16);
}

}  // namespace warpsafe::watch

#else  // the calling convention of other machines is another

namespace warpsafe::watch {

bool LibraryThunks::exist() noexcept { return false; }
void LibraryThunks::set_handler(Returned) noexcept {}
void LibraryThunks::set(std::size_t, Target) noexcept {}
LibraryThunks::Target LibraryThunks::get(std::size_t) noexcept { return {}; }
std::uintptr_t LibraryThunks::address(std::size_t) noexcept { return 0; }
bool LibraryThunks::contains(std::uintptr_t) noexcept { return false; }
LibraryThunks::Target LibraryThunks::target_at(std::uintptr_t) noexcept { return {}; }

}  // namespace warpsafe::watch

#endif
