// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
#pragma once

#include <warpsafe/core/cxx20.hpp>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>

// The pointers and containers of the host backend. Those of the standard library take most of the
// time in which a program with the backend compiles.

namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host {

template <class T>
constexpr void swap_values(T& a, T& b) noexcept {
  T kept = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(kept);
}
/// Sets `value` and returns what it was.
template <class T, class Next = T>
[[nodiscard]] constexpr T take_value(T& value, Next&& next = {}) noexcept {
  T taken = static_cast<T&&>(value);
  value = static_cast<Next&&>(next);
  return taken;
}

template <class T>
struct DeleteObject {
  void operator()(T* object) const noexcept { delete object; }
};
/// The only pointer to an object, which it deletes.
template <class T, class Delete = DeleteObject<T>>
class Owned {
 public:
  Owned() = default;
  Owned(decltype(nullptr)) noexcept {}  // NOLINT(google-explicit-constructor)
  explicit Owned(T* object) noexcept : object_(object) {}
  Owned(Owned&& other) noexcept : object_(take_value(other.object_)) {}
  Owned& operator=(Owned&& other) noexcept {
    swap_values(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_ != nullptr) Delete{}(object_);
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  friend bool operator==(const Owned& a, const T* b) noexcept { return a.object_ == b; }

 private:
  T* object_ = nullptr;
};
template <class T, class... A>
[[nodiscard]] Owned<T> make_owned(A&&... parts) {
  return Owned<T>(new T(static_cast<A&&>(parts)...));
}

/// Counts the pointers to an object of a derived class.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) noexcept {}
  Counted& operator=(const Counted&) noexcept { return *this; }  // NOLINT(cert-oop54-cpp)

  void hold() const noexcept { __atomic_add_fetch(&holders_, 1U, __ATOMIC_RELAXED); }
  /// Whether nobody holds it any longer.
  [[nodiscard]] bool release() const noexcept {
    return __atomic_sub_fetch(&holders_, 1U, __ATOMIC_ACQ_REL) == 0;
  }
  [[nodiscard]] unsigned holders() const noexcept {
    return __atomic_load_n(&holders_, __ATOMIC_ACQUIRE);
  }

 protected:
  ~Counted() = default;

 private:
  mutable unsigned holders_ = 0;
};

/// One of several pointers to a Counted object. The last one deletes it.
template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(decltype(nullptr)) noexcept {}  // NOLINT(google-explicit-constructor)
  explicit Shared(T* object) noexcept : object_(object) { hold(); }
  Shared(const Shared& other) noexcept : object_(other.object_) { hold(); }
  Shared(Shared&& other) noexcept : object_(take_value(other.object_)) {}
  template <class D>
  requires requires(T*& to, D* from) { to = from; }
  Shared(const Shared<D>& other) noexcept  // NOLINT(google-explicit-constructor)
      : object_(other.get()) {
    hold();
  }
  Shared& operator=(Shared other) noexcept {
    swap_values(object_, other.object_);
    return *this;
  }
  ~Shared() {
    if (object_ != nullptr && object_->release()) delete object_;
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  friend bool operator==(const Shared& a, const Shared& b) noexcept {
    return a.object_ == b.object_;
  }
  friend bool operator==(const Shared& a, decltype(nullptr)) noexcept {
    return a.object_ == nullptr;
  }

 private:
  void hold() const noexcept {
    if (object_ != nullptr) object_->hold();
  }
  T* object_ = nullptr;
};
template <class T, class... A>
[[nodiscard]] Shared<T> make_shared(A&&... parts) {
  return Shared<T>(new T(static_cast<A&&>(parts)...));
}

/// Elements in a row, which grows. A call that finds no memory changes nothing.
template <class T>
class Array {
 public:
  using value_type = T;
  using const_iterator = const T*;

  Array() = default;
  Array(std::size_t count, const T& value) {
    reserve(count);
    while (size_ < count) push_back(value);
  }
  Array(std::initializer_list<T> elements) { append(elements.begin(), elements.end()); }
  Array(const T* first, const T* last) { append(first, last); }
  Array(const Array& other) { append(other.begin(), other.end()); }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    clear();
    free(elements_);
  }
  void swap(Array& other) noexcept {
    swap_values(elements_, other.elements_);
    swap_values(size_, other.size_);
    swap_values(capacity_, other.capacity_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return elements_; }
  [[nodiscard]] const T* data() const noexcept { return elements_; }
  [[nodiscard]] T* begin() noexcept { return elements_; }
  [[nodiscard]] T* end() noexcept { return elements_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return elements_; }
  [[nodiscard]] const T* end() const noexcept { return elements_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return elements_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return elements_[i]; }
  [[nodiscard]] T& front() noexcept { return elements_[0]; }
  [[nodiscard]] const T& front() const noexcept { return elements_[0]; }
  [[nodiscard]] T& back() noexcept { return elements_[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return elements_[size_ - 1]; }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    T* const moved = allocate(count);
    if constexpr (std::is_trivially_copyable_v<T>) {
      // NOLINTNEXTLINE(bugprone-sizeof-expression): the elements may be pointers
      if (size_ != 0) std::memcpy(static_cast<void*>(moved), elements_, size_ * sizeof(T));
    } else {
      for (std::size_t i = 0; i < size_; ++i) {
        new (static_cast<void*>(moved + i)) T(static_cast<T&&>(elements_[i]));
        elements_[i].~T();
      }
    }
    free(elements_);
    elements_ = moved;
    capacity_ = count;
  }
  T& push_back(T value) {
    if (size_ == capacity_) reserve(2 * size_ + 4);
    T* const made = new (static_cast<void*>(elements_ + size_)) T(static_cast<T&&>(value));
    ++size_;
    return *made;
  }
  void append(const T* first, const T* last) {
    const auto count = static_cast<std::size_t>(last - first);
    reserve(size_ + count);
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (count == 0) return;
      std::memcpy(static_cast<void*>(elements_ + size_), first, count * sizeof(T));
      size_ += count;
    } else {
      for (; first != last; ++first) push_back(*first);
    }
  }
  void insert(std::size_t at, T value) {
    push_back(static_cast<T&&>(value));
    for (std::size_t i = size_ - 1; i > at; --i) swap_values(elements_[i], elements_[i - 1]);
  }
  void pop_back() noexcept { elements_[--size_].~T(); }
  /// Removes `count` elements.
  void erase(std::size_t at, std::size_t count = 1) noexcept {
    for (std::size_t i = at; i + count < size_; ++i) {
      elements_[i] = static_cast<T&&>(elements_[i + count]);
    }
    for (; count != 0; --count) pop_back();
  }
  /// Removes the elements for which `unwanted(element)` is true.
  template <class Unwanted>
  void erase_if(const Unwanted& unwanted) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (unwanted(elements_[i])) continue;
      if (kept != i) elements_[kept] = static_cast<T&&>(elements_[i]);
      ++kept;
    }
    erase(kept, size_ - kept);
  }
  void resize(std::size_t count) {
    reserve(count);
    if constexpr (sizeof(T) == 1) {
      if (count > size_) std::memset(elements_ + size_, 0, count - size_);
      size_ = count;
    } else {
      while (size_ < count) push_back(T{});
      while (size_ > count) pop_back();
    }
  }
  void clear() noexcept {
    while (size_ != 0) pop_back();
  }
  /// Of elements in order: the number of the first for which `holds(element)`, as for all after it.
  template <class Holds>
  [[nodiscard]] std::size_t first_where(const Holds& holds) const {
    std::size_t from = 0;
    std::size_t to = size_;
    while (from != to) {
      const std::size_t middle = from + (to - from) / 2;
      holds(elements_[middle]) ? to = middle : from = middle + 1;
    }
    return from;
  }
  friend bool operator==(const Array& a, const Array& b) noexcept {
    bool equal = a.size_ == b.size_;
    for (std::size_t i = 0; equal && i < a.size_; ++i) equal = a[i] == b[i];
    return equal;
  }

 private:
  [[nodiscard]] static T* allocate(std::size_t count) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the elements may be pointers
    return static_cast<T*>(::operator new(count * sizeof(T)));
  }
  static void free(T* elements) noexcept { ::operator delete(elements); }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Elements that come at the end and go at the beginning.
template <class T>
class Queue {
 public:
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return elements_.size() - first_; }
  [[nodiscard]] const T& front() const noexcept { return elements_[first_]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return elements_[first_ + i]; }
  [[nodiscard]] const T* begin() const noexcept { return elements_.begin() + first_; }
  [[nodiscard]] const T* end() const noexcept { return elements_.end(); }
  void push_back(const T& value) { elements_.push_back(value); }
  void pop_back() noexcept { elements_.pop_back(); }
  void pop_front() noexcept {
    elements_[first_++] = T{};
    if (2 * first_ < elements_.size()) return;
    elements_.erase(0, first_);
    first_ = 0;
  }

 private:
  Array<T> elements_;
  std::size_t first_ = 0;
};

}  // namespace warpsafe::inline WARPSAFE_DETAIL_VERSION::host
