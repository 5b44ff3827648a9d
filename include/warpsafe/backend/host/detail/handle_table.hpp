// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/backend/host/detail/containers.hpp>
#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

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
  struct Entry {
    Handle<State>* handle = nullptr;
    Owned<State> state{};
  };

  /// Adds a State. `again`: its handle is the one that was given back last, if there is one.
  Handle<State>* add(Owned<State> state, bool again = true) {
    if (free_.empty() || !again) {
      if (free_.capacity() < all_.size() + 1) free_.reserve(2 * all_.size() + 8);
      all_.push_back(make_owned<Handle<State>>());
      free_.push_back(all_.back().get());
    }
    Handle<State>* const handle = free_.back();
    existing_.insert(place_of(handle), {handle, std::move(state)});
    free_.pop_back();
    return handle;
  }
  /// nullptr for what is no handle, or no longer.
  [[nodiscard]] State* find(Handle<State>* handle) const noexcept {
    const std::size_t found = place_of(handle);
    return has(found, handle) ? existing_[found].state.get() : nullptr;
  }
  /// Removes the State of a handle, which is free from then on; nullptr if there is none.
  [[nodiscard]] Owned<State> remove(Handle<State>* handle) noexcept {
    const std::size_t found = place_of(handle);
    if (!has(found, handle)) return nullptr;
    Owned<State> state = std::move(existing_[found].state);
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
  [[nodiscard]] std::size_t place_of(const Handle<State>* handle) const noexcept {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    return existing_.first_where([&](const Entry& entry) {
      return reinterpret_cast<std::uintptr_t>(entry.handle) >= number;
    });
  }
  [[nodiscard]] bool has(std::size_t place, const Handle<State>* handle) const noexcept {
    return place != existing_.size() && existing_[place].handle == handle;
  }

  Array<Entry> existing_;  // in the order of the handles' addresses
  Array<Owned<Handle<State>>> all_;
  Array<Handle<State>*> free_;  // the newest last
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
