// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Stands before the allocator of any program (LD_PRELOAD). At one call of WALK_EVERY it compares
// the walk of the recorder with the unwinder's. At the end of the process it appends a line to the
// file WALK_REPORT: how many walks were compared, how many of them a frame without a simple rule
// ended, and how many were wrong.

#include "tools/ranks/record/call_stack.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using warpsafe::ranks::CallFrame;
using warpsafe::ranks::CallStack;

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
}

namespace {

constexpr std::size_t deepest = 400;
struct Addresses {
  void* list[deepest];
  std::size_t count = 0;
  void* begin = nullptr;

  bool add(void* address) noexcept {
    if (begin != nullptr && address != begin) return true;
    begin = nullptr;
    if (address != nullptr) list[count++] = address;
    return count < deepest;
  }
};

std::atomic<unsigned long> calls{0}, walks{0}, unknown{0}, wrong{0};
unsigned long every = 0;
char report[512];
[[gnu::tls_model("initial-exec")]] thread_local bool is_inside = false;
[[gnu::tls_model("initial-exec")]] thread_local CallStack* stack = nullptr;

struct Report {
  Report() {
    const char* const file = std::getenv("WALK_REPORT");
    const char* const number = std::getenv("WALK_EVERY");
    if (file == nullptr || number == nullptr) return;
    std::snprintf(report, sizeof report, "%s", file);
    every = std::strtoul(number, nullptr, 10);
  }
  ~Report() {
    if (every == 0) return;
    every = 0;
    char program[256] = "";
    (void)!::readlink("/proc/self/exe", program, sizeof program - 1);
    char line[512];
    const int size = std::snprintf(line, sizeof line, "%s %lu %lu %lu\n", program, walks.load(),
                                   unknown.load(), wrong.load());
    const int file = ::open(report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file >= 0) (void)!::write(file, line, static_cast<std::size_t>(size));
    if (file >= 0) ::close(file);
  }
};
Report at_end;

void show(const char* who, const Addresses& addresses, std::size_t at) {
  for (std::size_t i = at < 2 ? 0 : at - 2; i < addresses.count && i < at + 2; ++i) {
    Dl_info info{};
    ::dladdr(addresses.list[i], &info);
    std::fprintf(stderr, "  %s %zu: %p %s+0x%lx %s\n", who, i, addresses.list[i],
                 info.dli_fname != nullptr ? info.dli_fname : "?",
                 static_cast<unsigned long>(static_cast<char*>(addresses.list[i]) -
                                            static_cast<char*>(info.dli_fbase)),
                 info.dli_sname != nullptr ? info.dli_sname : "");
  }
}

bool is(const CallStack::Walked& one, const CallStack::Walked& other) {
  return one.program == other.program && one.framework == other.framework &&
         one.reached_interpreter == other.reached_interpreter;
}

[[gnu::noinline]] void compare(const CallFrame& call) {
  if (stack == nullptr) stack = new CallStack;
  static_cast<void>(stack->forget_unloaded());
  Addresses ours;
  const bool is_known =
      stack->walk(call, [&](void* address, const auto&) { return ours.add(address); });
  Addresses theirs;
  theirs.begin = call.return_address;
  ::_Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        const bool goes_on =
            static_cast<Addresses*>(data)->add(reinterpret_cast<void*>(::_Unwind_GetIP(context)));
        return goes_on ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &theirs);
  ++walks;
  // Up to the unknown frame, the walk is right too.
  const std::size_t count = ours.count < theirs.count ? ours.count : theirs.count;
  std::size_t same = 0;
  while (same < count && ours.list[same] == theirs.list[same]) ++same;
  const CallStack::Walked wanted = stack->by_unwinder(call);
  // The first one may be a new walk, and the second one is a known one.
  const bool is_sorted = is(stack->of(call), wanted) && is(stack->of(call), wanted);
  const bool is_right = is_sorted && same == ours.count && (!is_known || same == theirs.count);
  static const bool tells = std::getenv("WALK_TELL") != nullptr;
  if (!is_right) {
    ++wrong;
    if (wrong <= 5)
      std::fprintf(stderr, "a wrong walk: %zu frames, and %zu by the unwinder\n", ours.count,
                   theirs.count);
    if (wrong <= 5) show("walk", ours, same);
    if (wrong <= 5) show("unwinder", theirs, same);
  } else if (!is_known) {
    ++unknown;
    if (tells && unknown <= 50) show("unknown", ours, ours.count - 1);
  }
}

void seen(const CallFrame& call) {
  if (every == 0 || is_inside || calls++ % every != 0) return;
  is_inside = true;
  compare(call);
  is_inside = false;
}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] void* malloc(std::size_t bytes) {
  seen(WARPSAFE_CALL_FRAME);
  return __libc_malloc(bytes);
}
[[gnu::visibility("default")]] void* calloc(std::size_t count, std::size_t bytes) {
  seen(WARPSAFE_CALL_FRAME);
  return __libc_calloc(count, bytes);
}
[[gnu::visibility("default")]] void* realloc(void* memory, std::size_t bytes) {
  seen(WARPSAFE_CALL_FRAME);
  return __libc_realloc(memory, bytes);
}
}
