// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/detail/process_lock.hpp>
#include <warpsafe/core/name.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail {

struct KeptText {
  KeptText* next;
  std::size_t size;
};
/// A table for the whole program, reachable for leak checkers. Lists by the texts' hashes.
inline constexpr std::size_t kept_text_lists = 4096;
[[gnu::visibility("default")]] inline KeptText* kept_texts[kept_text_lists] = {};
[[gnu::visibility("default")]] inline ProcessLock kept_text_lock{};

/// Returns a copy of `text` that lives as long as the program, as a `Name` must: the names of
/// loaded kernels are in errors and records that outlive the module. Equal texts share
/// one copy, so the memory grows with the number of different texts only. Without memory, `data` is
/// nullptr, which is the name of nothing. It locks and allocates, so call it only for loading and
/// for errors.
[[nodiscard]] inline Name keep_name(Name text) noexcept {
  if (text.empty()) return Name::of("");
  KeptText** const list = &kept_texts[hash_of(text) % kept_text_lists];
  const Locked lock(kept_text_lock);
  for (const KeptText* kept = *list; kept != nullptr; kept = kept->next) {
    const Name its{reinterpret_cast<const char*>(kept + 1), kept->size};
    if (its.size == text.size && std::memcmp(its.data, text.data, text.size) == 0) return its;
  }
  void* const memory = std::malloc(sizeof(KeptText) + text.size);
  if (memory == nullptr) return {nullptr, 0};
  auto* const made = static_cast<KeptText*>(memory);
  made->next = *list;
  made->size = text.size;
  std::memcpy(static_cast<void*>(made + 1), text.data, text.size);
  __atomic_store_n(list, made, __ATOMIC_RELEASE);
  return {reinterpret_cast<const char*>(made + 1), text.size};
}

/// The same for a text that only an error shows. Without memory it is a text that says so, so it
/// must never be compared or looked up.
[[nodiscard]] inline Name keep_error_text(Name text) noexcept {
  const Name kept = keep_name(text);
  return kept.data == nullptr ? Name::of("(no memory was left for this text)") : kept;
}

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::detail
