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

// Which sanitizer watches this build: a block's threads are run in the way that it understands.
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

/// Leaves a thread of a block that cannot go on: see call_kernel.
struct KernelCancelled {};

// The only code of the host backend that knows whether the program has exceptions.
#if defined(__cpp_exceptions)

/// `body()`; `on_memory` if the system had no memory or no thread left, as a status of any call.
template <class Body>
int guarded(Body&& body, int on_memory) noexcept {
  try {
    return body();
  } catch (...) {
    return on_memory;
  }
}

/// `body()`, which runs kernel code. An exception ends here, and `on_exception(what)` hears of it.
/// Inlined: a processor foretells no return on a stack that was switched to since the call, so each
/// one less under a kernel counts.
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

/// Ends the OS thread that plays a GPU thread, out of the middle of a kernel.
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
