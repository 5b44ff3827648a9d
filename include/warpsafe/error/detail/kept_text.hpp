// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/name.hpp>

#include <pthread.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace warpsafe::detail {

struct KeptText {
  KeptText* next;
  std::size_t size;
};
/// One list for the whole program, reachable for leak checkers.
[[gnu::visibility("default")]] inline KeptText* kept_texts = nullptr;
[[gnu::visibility("default")]] inline std::size_t kept_text_bytes = 0;
[[gnu::visibility("default")]] inline pthread_mutex_t kept_text_mutex = PTHREAD_MUTEX_INITIALIZER;

/// Returns a copy of `text` that lives as long as the program, as the texts of an error must: names
/// of loaded kernels, faults of an image. Equal texts share one copy. Without memory, or after a
/// megabyte of different texts, it returns a fixed text. It locks and allocates, so call it only
/// for loading and for errors.
[[nodiscard]] inline Name keep_text(Name text) noexcept {
  constexpr std::size_t most = std::size_t{1} << 20U;
  if (text.empty()) return {};
  pthread_mutex_lock(&kept_text_mutex);
  Name found{};
  for (KeptText* kept = kept_texts; kept != nullptr; kept = kept->next) {
    const Name its{reinterpret_cast<const char*>(kept + 1), kept->size};
    if (its == text) found = its;
  }
  if (found.empty() && kept_text_bytes + text.size <= most) {
    if (void* const memory = std::malloc(sizeof(KeptText) + text.size)) {
      auto* const made = static_cast<KeptText*>(memory);
      made->next = kept_texts;
      made->size = text.size;
      std::memcpy(static_cast<void*>(made + 1), text.data, text.size);
      kept_texts = made;
      kept_text_bytes += text.size;
      found = {reinterpret_cast<const char*>(made + 1), text.size};
    }
  }
  pthread_mutex_unlock(&kept_text_mutex);
  return found.empty() ? Name::of("(no memory was left for this text)") : found;
}

}  // namespace warpsafe::detail
