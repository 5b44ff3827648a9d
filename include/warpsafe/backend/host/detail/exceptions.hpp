// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <pthread.h>

#include <exception>
#if defined(__cpp_exceptions)
#include <new>
#endif

// Exceptions and failed steps of the host backend.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

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
    on_exception("an exception that is not a std::exception");
  }
}

/// Ends the OS thread that runs a GPU thread, in the middle of a kernel.
[[noreturn]] inline void cancel_thread() { throw KernelCancelled{}; }

/// Fails as an allocation does that finds no memory.
[[noreturn]] inline void throw_bad_alloc() { throw std::bad_alloc(); }

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
// As operator new without exceptions.
[[noreturn]] inline void throw_bad_alloc() { std::terminate(); }

#endif

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
