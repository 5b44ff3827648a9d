// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <pthread.h>

#include <cstddef>

// As <sanitizer/asan_interface.h> and <sanitizer/common_interface_defs.h> declare them: a clang
// whose sanitizer runtime is not installed has no such headers. Called only where the runtime is
// linked.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
extern "C" {
void __asan_unpoison_memory_region(const volatile void* begin, std::size_t bytes);
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t bytes);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* bytes);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)

namespace warpsafe::host {

// The sanitizer of this build decides how a block's threads are run.
#if defined(__clang__)
inline constexpr bool address_sanitizer = __has_feature(address_sanitizer);
inline constexpr bool thread_sanitizer = __has_feature(thread_sanitizer);
#else
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif
#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif
#endif

}  // namespace warpsafe::host

#if defined(__cpp_exceptions)
#include <exception>
#include <new>
#endif

namespace warpsafe::host {

/// Undoes a step if what follows it fails: calls `undo` at the end of the scope, unless `active` is
/// false.
template <class Undo>
struct OnFailure {
  Undo undo;
  bool active = true;
  ~OnFailure() {
    if (active) undo();
  }
};
template <class Undo>
OnFailure(Undo) -> OnFailure<Undo>;

/// Thrown to leave a thread of a block that cannot continue; see call_kernel.
struct KernelCancelled {};

// The only code of the host backend that depends on whether the program has exceptions.
#if defined(__cpp_exceptions)

/// Runs `body()`. Returns the status `on_memory` if the system had no memory or thread left.
template <class Body>
int guarded(Body&& body, int on_memory) noexcept {
  try {
    return body();
  } catch (...) {
    return on_memory;
  }
}

/// Runs `body()`, which is kernel code. An exception ends here and is passed to
/// `on_exception(what)`. Inlined, because a processor cannot predict a return on a stack that was
/// switched to after the call, so each call less below a kernel counts.
template <class Body, class OnException>
[[gnu::always_inline]] inline void call_kernel(Body&& body, OnException&& on_exception) {
  try {
    body();
  } catch (const KernelCancelled&) {
    return;
  } catch (const std::exception& exception) {
    on_exception(exception.what());
  } catch (...) {
    on_exception("an exception that is no std::exception");
  }
}

/// Ends the OS thread that runs a GPU thread, in the middle of a kernel.
[[noreturn]] inline void cancel_thread() { throw KernelCancelled{}; }

#else

template <class Body>
int guarded(Body&& body, int) noexcept {
  return body();
}
template <class Body, class OnException>
[[gnu::always_inline]] inline void call_kernel(Body&& body, OnException&&) {
  body();
}
[[noreturn]] inline void cancel_thread() { pthread_exit(nullptr); }

#endif

}  // namespace warpsafe::host
