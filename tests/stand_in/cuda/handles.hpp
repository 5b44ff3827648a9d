// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace stand_in_cuda {

/// The values of one kind of handle. The next object gets the value of the object that was
/// destroyed last, also while the destroyed one's work still runs. So does CUDA with streams (H200,
/// driver 580), and nothing forbids it with the rest.
class HandleValues {
 public:
  void* take() {
    if (free_.empty()) return &values_.emplace_back();
    void* const value = free_.back();
    free_.pop_back();
    return value;
  }
  void give_back(void* value) { free_.push_back(value); }
  /// A value that comes back when its last copy goes. The object lives as long as the process.
  std::shared_ptr<void> shared() {
    return {take(), [this](void* value) { give_back(value); }};
  }

 private:
  std::deque<std::max_align_t> values_;  ///< only their addresses count
  std::vector<void*> free_;
};

/// What a handle stands for. A destroyed object may stay, without its handle: its work may still
/// run.
template <class Handle>
class Handled {
 public:
  explicit Handled(bool has_handle = true) : value_(has_handle ? values().take() : nullptr) {}
  Handled(const Handled&) = delete;
  Handled& operator=(const Handled&) = delete;
  Handle handle() const { return static_cast<Handle>(value_); }
  bool alive() const { return alive_; }
  /// Also true after the object's end, and then not only for this object.
  bool had(const void* handle) const { return value_ == handle; }
  bool has(const void* handle) const { return alive_ && value_ == handle; }
  void destroy() {
    alive_ = false;
    values().give_back(value_);
  }

 private:
  static HandleValues& values() {
    static HandleValues& all = *new HandleValues;  // a host function's thread may outlive main
    return all;
  }
  void* value_;
  bool alive_ = true;
};

/// @return nullptr for a handle that no live object has
template <class Objects>
typename Objects::value_type* find(Objects& objects, const void* handle) {
  for (auto& each : objects) {
    if (each.has(handle)) return &each;
  }
  return nullptr;
}

}  // namespace stand_in_cuda
