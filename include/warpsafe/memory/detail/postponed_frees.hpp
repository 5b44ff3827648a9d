// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

namespace warpsafe::detail {

/// Makes the frees that met a capture and had to wait for its end (DeviceMemory). nullptr until one
/// did: a program that captures need not have buffers.
template <class B>
inline void (*postponed_frees)() noexcept = nullptr;

/// A capture has ended.
template <class B>
void make_postponed_frees() noexcept {
  if (void (*const make)() noexcept = __atomic_load_n(&postponed_frees<B>, __ATOMIC_ACQUIRE)) {
    make();
  }
}

}  // namespace warpsafe::detail
