// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <pthread.h>

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
