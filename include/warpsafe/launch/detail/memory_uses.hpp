// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/args/detail/memory_owner.hpp>
#include <warpsafe/backend/detail/runtime_error.hpp>
#include <warpsafe/error/result.hpp>
#include <warpsafe/kernel/detail/arguments.hpp>
#include <warpsafe/stream/stream_ref.hpp>

namespace warpsafe::detail {

/// Checks that the memory of `owner`, in which the view at `view` begins, was not freed, and that
/// work of `device` can access it. False with the problem in `error`.
template <class B>
[[nodiscard, gnu::cold, gnu::noinline]] bool check_access(int device, MemoryOwner& owner,
                                                          const void* view, int number,
                                                          LaunchError& error) noexcept {
  const void* memory = nullptr;  // each view begins with its address
  __builtin_memcpy(&memory, view, sizeof memory);
  return (owner.of_device != memory_was_freed &&
          (owner.vendor != static_cast<unsigned char>(B::vendor) ||
           can_access<B>(device, memory, owner.of_device, &owner))) ||
         refuse_access(error, device, owner.of_device, number);
}

/// Records that `stream` uses `owner`'s memory, if it is of B's vendor. Returns B's status.
template <class B>
[[nodiscard]] int record_use(const basic_stream_ref<B>& stream, MemoryOwner& owner) noexcept {
  if (owner.vendor != static_cast<unsigned char>(B::vendor)) return 0;
  return owner.add_use(owner, stream.native(), stream.device().value());
}

/// Records in the buffers behind the passed views that `stream`, which is not their own, uses them.
/// At every check level they are freed after that work. Errc::runtime_failed.
// Takes the place in parts and the stream by reference, for the reason that launch_failed gives.
template <class B, class... Owner>
[[gnu::cold, gnu::noinline]] result<void> record_uses(const basic_stream_ref<B>& stream,
                                                      const char* file, const char* function,
                                                      unsigned line, Owner... owners) noexcept {
  int status = 0;
  for (MemoryOwner* const owner : {owners...}) {
    if (status == 0 && owner != nullptr && owner->freed_on != stream.native()) {
      status = record_use<B>(stream, *owner);
    }
  }
  if (status != 0) {
    return runtime_error<B>(status, Name::of("event record"), {file, function, line});
  }
  return success();
}

}  // namespace warpsafe::detail
