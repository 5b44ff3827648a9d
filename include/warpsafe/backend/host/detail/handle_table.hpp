// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

/// What the program holds in place of a State.
template <class State>
struct Handle {
  const State* former = nullptr;  ///< a key: the last destroyed State that had this handle
};

/// The existing States of one kind, by the program's handles. The handle of a destroyed State goes
/// to the next one, also while the old State still works: CUDA does so with streams at once (200 of
/// 200 on an H200, driver 580), and no vendor promises more for another kind of handle. Not
/// thread-safe; its owner locks. A call that fails changes nothing.
template <class State>
class HandleTable {
 public:
  using Map = std::unordered_map<Handle<State>*, std::unique_ptr<State>>;

  /// Adds a State. `again`: its handle is the one that was given back last, if there is one.
  Handle<State>* add(std::unique_ptr<State> state, bool again = true) {
    if (free_.empty() || !again) {
      if (free_.capacity() < all_.size() + 1) free_.reserve(2 * all_.size() + 8);
      all_.push_back(std::make_unique<Handle<State>>());
      free_.push_back(all_.back().get());
    }
    existing_.emplace(free_.back(), std::move(state));
    Handle<State>* const handle = free_.back();
    free_.pop_back();
    return handle;
  }
  /// nullptr for what is no handle, or no longer.
  [[nodiscard]] State* find(Handle<State>* handle) const noexcept {
    const auto found = existing_.find(handle);
    return found == existing_.end() ? nullptr : found->second.get();
  }
  /// Removes the State of a handle, which is free from then on; nullptr if there is none.
  [[nodiscard]] std::unique_ptr<State> remove(Handle<State>* handle) noexcept {
    const auto found = existing_.find(handle);
    if (found == existing_.end()) return nullptr;
    std::unique_ptr<State> state = std::move(found->second);
    handle->former = state.get();
    existing_.erase(found);
    free_.push_back(handle);  // there is room for each handle
    return state;
  }
  /// The State that last had this handle, as a key; nullptr if none had it, or one has it now.
  [[nodiscard]] const State* former(const Handle<State>* handle) const noexcept {
    for (const Handle<State>* one : free_) {
      if (one == handle) return one->former;
    }
    return nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept { return existing_.size(); }
  [[nodiscard]] bool empty() const noexcept { return existing_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return existing_.begin(); }
  [[nodiscard]] auto end() const noexcept { return existing_.end(); }

 private:
  Map existing_;
  std::vector<std::unique_ptr<Handle<State>>> all_;
  std::vector<Handle<State>*> free_;  // the newest last
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
