// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/config.hpp>
#include <warpsafe/core/observer.hpp>
#include <warpsafe/launch/detail/watched_launch.hpp>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION {

/// Calls `observer` from now on, after those that were added earlier. It must outlive the program,
/// or be removed first. Does nothing if it was added before. @pre no other thread adds or removes
/// an observer
inline void observe(Observer& observer) noexcept {
  Observer** const link = detail::link_to(observer);
  if (*link != nullptr) return;
  detail::watch_launches();
  __atomic_store_n(link, &observer, __ATOMIC_RELEASE);
}
/// Stops calling `observer`; does nothing if it was not added. @pre no thread launches, waits, adds
/// or removes an observer
inline void stop_observing(Observer& observer) noexcept {
  Observer** const link = detail::link_to(observer);
  if (*link == nullptr) return;
  __atomic_store_n(link, observer.next, __ATOMIC_RELEASE);
  observer.next = nullptr;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION
