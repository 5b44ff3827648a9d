// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include "interposer.hpp"

#include <cstddef>
#include <vector>

namespace interposer {

/// The handles of streams and events that the program gets in place of the runtime's. The next one
/// of a kind gets the value of the one that was destroyed last, also while its work runs: HIP's
/// page "Stream Management" leaves open whether hipStreamDestroy waits for the work. Thread-safe.
class Handles {
 public:
  enum class Kind { stream, event };

  static Handles& all() {
    static auto* const made = new Handles;
    return *made;
  }
  /// A value for the runtime's new handle; the handle itself if there are none left.
  Word make(Kind kind, Word real) {
    const std::lock_guard hold(lock_);
    std::vector<std::size_t>& free = free_[static_cast<std::size_t>(kind)];
    if (free.empty() && used_ == most) return real;
    const std::size_t place = free.empty() ? used_++ : free.back();
    if (!free.empty()) free.pop_back();
    real_[place] = real;
    return value_of(place);
  }
  /// The runtime's handle for the program's. Other words are left as they are.
  Word real(Word given) {
    const std::size_t place = place_of(given);
    const std::lock_guard hold(lock_);
    return place < used_ ? real_[place] : given;
  }
  /// The program has destroyed it.
  void give_back(Kind kind, Word given) {
    const std::size_t place = place_of(given);
    const std::lock_guard hold(lock_);
    if (place < used_) free_[static_cast<std::size_t>(kind)].push_back(place);
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 16;
  static constexpr std::size_t step = 16;

  Word value_of(std::size_t place) const { return reinterpret_cast<Word>(values_) + place * step; }
  /// `most` or more: none of these handles.
  std::size_t place_of(Word value) const {
    const Word offset = value - reinterpret_cast<Word>(values_);
    return offset < most * step && offset % step == 0 ? offset / step : most;
  }

  std::mutex lock_;
  Word real_[most] = {};
  std::size_t used_ = 0;
  std::vector<std::size_t> free_[2];
  alignas(step) char values_[most * step];  ///< only their addresses count
};

/// The runtime's stream for the program's.
inline hipStream_t real_stream(hipStream_t stream) {
  return reinterpret_cast<hipStream_t>(Handles::all().real(reinterpret_cast<Word>(stream)));
}

/// Destroys the streams that the program has destroyed while their work was held.
void bury_streams();

}  // namespace interposer
